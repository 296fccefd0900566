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

mod relative;
mod sums;

use relative::Span;
use sums::{add_weighted, dots};

use crate::isa::Task;
use crate::quantize::row_count;
use crate::simd::Simd;
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
    /// One head's keys, then its values, `[2, keys, d]`.
    packed: Buffer<f32>,
}

impl AttentionScratch {
    /// The attention weights of the last query row, `[heads, keys]`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

/// From this many query rows on, copying each head's keys and values together pays off.
const PACK_FROM: usize = 4;

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
            q,
            q_stride,
            first_position,
            attention,
            scratch,
            out,
            width,
        });
    }
}

struct Attend<'a> {
    q: &'a [f32],
    q_stride: usize,
    first_position: usize,
    attention: &'a Attention<'a>,
    scratch: &'a mut AttentionScratch,
    out: &'a mut [f32],
    width: usize,
}

impl Task for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Attention {
            heads,
            keys,
            values,
            stride,
            head_stride,
            rows,
            valid,
            relative,
        } = *self.attention;
        let (count, d) = (rows.len(), self.width / heads);
        let factor = (1.0 / (d as f64).sqrt()) as f32;
        let queries = self.out.len() / self.width;
        let AttentionScratch {
            weights,
            query,
            buckets,
            packed,
        } = self.scratch;
        for h in 0..heads {
            let weights = &mut weights[h * count..][..count];
            let mut head = Head {
                keys,
                values,
                stride,
                rows,
                column: h * head_stride,
                d,
            };
            if queries >= PACK_FROM && stride != d {
                head = head.pack(packed);
            }
            for r in 0..queries {
                let q = &self.q[r * self.q_stride + h * d..][..d];
                for (scaled, &q) in query.iter_mut().zip(q) {
                    *scaled = q * factor;
                }
                let out = &mut self.out[r * self.width + h * d..][..d];
                head.attend(
                    simd,
                    query,
                    self.first_position + r,
                    valid,
                    relative,
                    weights,
                    buckets,
                    out,
                );
            }
        }
    }
}

/// Keys and values of one head: d numbers from `column` on in every row.
#[derive(Clone, Copy)]
struct Head<'a> {
    keys: &'a [f32],
    values: &'a [f32],
    stride: usize,
    rows: Rows<'a>,
    column: usize,
    d: usize,
}

impl<'a> Head<'a> {
    #[inline(always)]
    fn row(&self, data: &'a [f32], j: usize) -> &'a [f32] {
        &data[self.rows.row(j) * self.stride..][self.column..self.column + self.d]
    }

    /// The same head in consecutive memory: strides of a power of two would evict each other from
    /// the L1 cache.
    #[inline(always)]
    fn pack<'b>(&self, buffer: &'b mut Buffer<f32>) -> Head<'b> {
        let (len, d) = (self.rows.len(), self.d);
        buffer.resize(2 * len * d);
        let (keys, values) = buffer.split_at_mut(len * d);
        for (j, (key, value)) in keys
            .chunks_exact_mut(d)
            .zip(values.chunks_exact_mut(d))
            .enumerate()
        {
            key.copy_from_slice(self.row(self.keys, j));
            value.copy_from_slice(self.row(self.values, j));
        }
        Head {
            keys,
            values,
            stride: d,
            rows: Rows::Range { start: 0, len },
            column: 0,
            d,
        }
    }

    /// One query of one head; `q` is scaled.
    #[inline(always)]
    fn attend<S: Simd>(
        &self,
        simd: S,
        q: &[f32],
        position: usize,
        valid: Option<&[bool]>,
        relative: Option<Relative<'_>>,
        weights: &mut [f32],
        buckets: &mut [f32],
        out: &mut [f32],
    ) {
        let d = self.d;
        dots(simd, q, |j| self.row(self.keys, j), weights);
        let relative = relative.map(|relative| {
            (
                relative,
                Span::new(relative.max_distance, position, weights.len()),
            )
        });
        if let Some((relative, span)) = relative {
            let buckets = &mut buckets[span.first..=span.last];
            dots(
                simd,
                q,
                |t| &relative.keys[(span.first + t) * d..][..d],
                buckets,
            );
            span.spread(buckets, weights);
        }
        if let Some(valid) = valid {
            for (weight, &valid) in weights.iter_mut().zip(valid) {
                *weight = if valid { *weight } else { f32::NEG_INFINITY };
            }
        }
        softmax_row(simd, weights);
        out.fill(0.0);
        add_weighted(simd, weights, |j| self.row(self.values, j), out);
        if let Some((relative, span)) = relative {
            let buckets = &mut buckets[span.first..=span.last];
            span.collect(weights, buckets);
            add_weighted(
                simd,
                buckets,
                |t| &relative.values[(span.first + t) * d..][..d],
                out,
            );
        }
    }
}
