//! Multi-head attention of one query row over the keys and values of one sentence.
//!
//! ```text
//! q = q·d^-0.5
//! logit[h,j] = q[h]·key[j,h] + q[h]·relative_key[index(i,j)]     index(i,j) = clamp(i-j, -M, M) + M
//! weight[h]  = softmax over the valid keys, exactly 0 on the others
//! out[h]     = Σ_j weight[h,j]·value[j,h] + Σ_j weight[h,j]·relative_value[index(i,j)]
//! ```
//!
//! Sums over j run in the order of j; the relative values are summed per table row first.

mod ahead;
mod head;
mod relative;
mod sums;
mod together;

use std::ops::Range;

use head::Head;
use together::Together;

use crate::isa::Task;
use crate::quantize::row_count;
use crate::simd::{LANES, Simd};
use crate::softmax::softmax_row;
use crate::{Buffer, Kernels};

/// Keys and values of one sentence, and how to attend to them.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// Heads.
    pub heads: usize,
    /// Row r of the keys of head h starts at `r * stride + h * head_stride`.
    pub keys: &'a [f32],
    /// The values lie as the keys.
    pub values: &'a [f32],
    /// Elements between rows.
    pub stride: usize,
    /// Elements between heads: d when they lie side by side in a row.
    pub head_stride: usize,
    /// Which rows, in the order of positions.
    pub rows: Rows<'a>,
    /// Keys that are `false` get weight exactly 0.
    pub valid: Option<&'a [bool]>,
    /// Relative position tables.
    pub relative: Option<Relative<'a>>,
}

impl<'a> Attention<'a> {
    /// The keys and values of a head of a query of `width` numbers, given where rows begin.
    #[inline(always)]
    fn head<'b, const D: usize>(&self, h: usize, width: usize, places: &'b [usize]) -> Head<'b, D>
    where
        'a: 'b,
    {
        Head {
            keys: self.keys,
            values: self.values,
            places,
            column: h * self.head_stride,
            d: width / self.heads,
        }
    }

    /// Fills `places` with where the rows begin.
    #[inline(always)]
    fn place_rows(&self, places: &mut Vec<usize>) {
        places.clear();
        let place = |j| self.rows.row(j) * self.stride;
        places.extend((0..self.rows.len()).map(place));
    }
}

/// The row of key j.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Row `start + j`.
    Range {
        /// Row of key 0.
        start: usize,
        /// Keys.
        len: usize,
    },
    /// Row `list[j]`.
    List(&'a [u32]),
}

impl Rows<'_> {
    /// Keys.
    pub const fn len(&self) -> usize {
        match self {
            Self::Range { len, .. } => *len,
            Self::List(list) => list.len(),
        }
    }

    /// Whether there are no keys.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    fn row(&self, j: usize) -> usize {
        match self {
            Self::Range { start, .. } => start + j,
            Self::List(list) => list[j] as usize,
        }
    }
}

/// Relative position tables `[2·max_distance + 1, d]`, shared by the heads.
#[derive(Clone, Copy, Debug)]
pub struct Relative<'a> {
    /// Added to the keys.
    pub keys: &'a [f32],
    /// Added to the values.
    pub values: &'a [f32],
    /// M: distances beyond it share the outermost rows.
    pub max_distance: usize,
}

/// Buffers of [`Kernels::attend`] and [`Kernels::attend_rows`], to be used again.
#[derive(Clone, Debug, Default)]
pub struct AttentionScratch {
    /// `[heads, keys]`
    weights: Vec<f32>,
    /// One head of a query, scaled.
    query: Buffer<f32>,
    /// One number per relative table row.
    buckets: Vec<f32>,
    /// Where the rows of the keys begin.
    places: Vec<usize>,
    /// One head's keys, then its values, `[2, keys, d]`.
    packed: Buffer<f32>,
    /// Where the rows of those keys begin.
    packed_places: Vec<usize>,
    /// The weights of a group of cells, `[GROUP, keys]`, rows padded to whole vectors: a vector that
    /// reaches into the next row would wait until what has been stored there is in the cache.
    group: Buffer<f32>,
}

impl AttentionScratch {
    /// The attention weights of the last query row, `[heads, keys]`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

/// From this many query rows on, copying each head's keys and values together pays off.
const PACK_FROM: usize = 4;

/// Cells (one query of one head each) that go through the stages side by side: each by itself is a
/// chain of operations that wait for each other, sums over lanes, maximum, exponential, division.
const GROUP: usize = 4;

/// From this many keys on a cell is long enough by itself.
const MANY_KEYS: usize = 24;

impl Kernels {
    /// Attends from one unscaled query row `q: [heads * d]` at `query_position`; `out` is like `q`.
    /// Without a single (valid) key, `out` is 0.
    ///
    /// # Panics
    /// If the lengths do not fit: `q` and `out` whole heads, all rows within keys and values, one
    /// `valid` per key, relative tables `[2·max_distance + 1, d]`.
    pub fn attend(
        self,
        q: &[f32],
        query_position: usize,
        attention: &Attention<'_>,
        scratch: &mut AttentionScratch,
        out: &mut [f32],
    ) {
        assert_eq!(q.len(), out.len(), "query and output differ in length");
        self.attend_rows(q, q.len(), q.len(), query_position, attention, scratch, out);
    }

    /// [`Self::attend`] from consecutive positions, as a sentence to itself: row r of `out:
    /// [rows, width]` comes from `q[r * q_stride..][..width]` at position `first_position + r`. The
    /// same bits as row by row, but faster.
    ///
    /// # Panics
    /// As [`Self::attend`].
    pub fn attend_rows(
        self,
        q: &[f32],
        q_stride: usize,
        width: usize,
        first_position: usize,
        attention: &Attention<'_>,
        scratch: &mut AttentionScratch,
        out: &mut [f32],
    ) {
        let heads = attention.heads;
        assert!(
            heads > 0 && width.is_multiple_of(heads),
            "{width} columns in {heads} heads"
        );
        let rows = row_count(out.len(), width);
        assert!(
            rows == 0 || q.len() >= (rows - 1) * q_stride + width,
            "{} numbers in {rows} query rows",
            q.len()
        );
        if let Some(valid) = attention.valid {
            assert_eq!(valid.len(), attention.rows.len(), "one validity per key");
        }
        if let Some(relative) = attention.relative {
            let len = (2 * relative.max_distance + 1) * (width / heads);
            assert_eq!(relative.keys.len(), len, "relative keys");
            assert_eq!(relative.values.len(), len, "relative values");
        }
        scratch.weights.resize(heads * attention.rows.len(), 0.0);
        scratch.query.resize(width / heads);
        scratch.buckets.resize(
            attention
                .relative
                .map_or(0, |relative| 2 * relative.max_distance + 1),
            0.0,
        );
        if attention.rows.is_empty() || width == 0 {
            scratch.weights.fill(0.0);
            out.fill(0.0);
            return;
        }
        self.run(Attend {
            kernels: self,
            q,
            q_stride,
            first_position,
            attention,
            scratch,
            out,
            width,
            factor: (1.0 / ((width / heads) as f64).sqrt()) as f32,
        });
    }
}

struct Attend<'a> {
    kernels: Kernels,
    q: &'a [f32],
    q_stride: usize,
    first_position: usize,
    attention: &'a Attention<'a>,
    scratch: &'a mut AttentionScratch,
    out: &'a mut [f32],
    width: usize,
    /// `d^-0.5`
    factor: f32,
}

impl Task for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        match self.width / self.attention.heads {
            together::SIZE if S::SHARES_KEYS && self.queries() > 1 => {
                // A function of its own: in one with all loops of this one there would not be
                // enough registers for what they have in common.
                let kernels = self.kernels;
                kernels.run(Together(self));
            }
            64 => self.heads::<S, 64>(simd),
            _ => self.heads::<S, 0>(simd),
        }
    }
}

impl Attend<'_> {
    fn queries(&self) -> usize {
        self.out.len() / self.width
    }

    /// Attends with heads of `D` numbers, as many as models usually have; 0 for any number.
    #[inline(always)]
    fn heads<S: Simd, const D: usize>(mut self, simd: S) {
        let (attention, width) = (self.attention, self.width);
        let heads = attention.heads;
        let queries = self.queries();
        let mut places = std::mem::take(&mut self.scratch.places);
        attention.place_rows(&mut places);
        let head = |h| attention.head::<D>(h, width, &places);
        if self.packs() {
            let mut packed = std::mem::take(&mut self.scratch.packed);
            let mut packed_places = std::mem::take(&mut self.scratch.packed_places);
            for h in 0..heads {
                let head = head(h).pack(&mut packed, &mut packed_places);
                self.cells(simd, h * queries..(h + 1) * queries, |_| head);
            }
            self.scratch.packed = packed;
            self.scratch.packed_places = packed_places;
        } else {
            self.cells(simd, 0..heads * queries, head);
        }
        self.scratch.places = places;
    }

    /// Whether to copy each head's keys and values together.
    fn packs(&self) -> bool {
        let Attention { stride, heads, .. } = *self.attention;
        self.queries() >= PACK_FROM && stride != self.width / heads
    }

    /// Attends from cells: `[heads, queries]`, one query of one head each.
    #[inline(always)]
    fn cells<'h, S: Simd, const D: usize>(
        &mut self,
        simd: S,
        cells: Range<usize>,
        head: impl Fn(usize) -> Head<'h, D>,
    ) {
        let (count, width) = (self.attention.rows.len(), self.width);
        let d = width / self.attention.heads;
        let queries = self.queries();
        let size = if count < MANY_KEYS { GROUP } else { 1 };
        let padded = padded(count);
        self.scratch.group.resize(size * padded);
        for first in cells.clone().step_by(size) {
            let group = first..cells.end.min(first + size);
            let row = |cell| (cell - first) * padded..(cell - first) * padded + count;
            for cell in group.clone() {
                let (h, r) = (cell / queries, cell % queries);
                let q = &self.q[r * self.q_stride + h * d..][..d];
                let scratch = &mut *self.scratch;
                scale(q, self.factor, &mut scratch.query);
                let logits = &mut scratch.group[row(cell)];
                let head = head(h);
                head.dots(simd, &scratch.query, logits);
                let position = self.first_position + r;
                let buckets = &mut scratch.buckets;
                head.adjust(
                    simd,
                    &scratch.query,
                    position,
                    self.attention,
                    logits,
                    buckets,
                );
            }
            for cell in group.clone() {
                softmax_row(simd, &mut self.scratch.group[row(cell)]);
            }
            for cell in group {
                let (h, r) = (cell / queries, cell % queries);
                let scratch = &mut *self.scratch;
                let weights = &scratch.group[row(cell)];
                let out = &mut self.out[r * width + h * d..][..d];
                head(h).weighted_values(simd, weights, out);
                if let Some(relative) = self.attention.relative {
                    let position = self.first_position + r;
                    let buckets = &mut scratch.buckets;
                    head(h).add_relative_values(simd, weights, position, relative, buckets, out);
                }
                if r + 1 == queries {
                    scratch.weights[h * count..][..count].copy_from_slice(weights);
                }
            }
        }
    }
}

/// Numbers from one row of weights to the next. At least one number of padding: even an empty
/// remainder is a vector without lanes.
fn padded(count: usize) -> usize {
    (count + 1).next_multiple_of(LANES)
}

#[inline(always)]
fn scale(q: &[f32], factor: f32, scaled: &mut [f32]) {
    for (scaled, &q) in scaled.iter_mut().zip(q) {
        *scaled = q * factor;
    }
}
