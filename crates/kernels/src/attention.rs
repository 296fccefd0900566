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

use crate::Kernels;
use crate::dense::dot;
use crate::isa::Task;
use crate::quantize::row_count;
use crate::simd::{LANES, Simd};
use crate::softmax::softmax_row;

/// Keys and values of one sentence, and how to attend to them.
#[derive(Clone, Copy, Debug)]
pub struct Attention<'a> {
    /// Heads; head h has the columns `h*d..(h+1)*d`.
    pub heads: usize,
    /// Row r of the keys starts at `r * stride`.
    pub keys: &'a [f32],
    /// Row r of the values starts at `r * stride`.
    pub values: &'a [f32],
    /// Elements between rows, of keys and values alike.
    pub stride: usize,
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
    query: Vec<f32>,
    /// One number per relative table row.
    buckets: Vec<f32>,
    /// One head's keys, then its values, `[2, keys, d]`, and space to align them.
    packed: Vec<f32>,
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
        scratch.weights.clear();
        scratch.weights.resize(heads * attention.rows.len(), 0.0);
        scratch.query.resize(width / heads, 0.0);
        scratch.buckets.resize(
            attention
                .relative
                .map_or(0, |relative| 2 * relative.max_distance + 1),
            0.0,
        );
        if attention.rows.is_empty() || width == 0 {
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
                column: h * d,
                d,
            };
            if queries >= PACK_FROM {
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

/// Keys and values of one head: columns `column..column + d` of the rows.
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
    fn pack<'b>(&self, buffer: &'b mut Vec<f32>) -> Head<'b> {
        let (len, d) = (self.rows.len(), self.d);
        buffer.resize(2 * len * d + LANES, 0.0);
        // Loads that straddle cache lines cost twice.
        let start = buffer.as_ptr().align_offset(4 * LANES).min(LANES);
        let (keys, values) = buffer[start..][..2 * len * d].split_at_mut(len * d);
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

/// The relative table rows that the keys `0..count` need, seen from query position i. The index
/// falls as j rises: `last` for all keys up to `near`, then one less per key, `first` from `far` on.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    last: usize,
    /// Keys `0..near` share row `last`.
    near: usize,
    /// Keys `far..count` share row `first`.
    far: usize,
}

impl Span {
    /// `count > 0`
    #[inline(always)]
    fn new(max_distance: usize, i: usize, count: usize) -> Self {
        let index = |j: usize| {
            let (past, future) = (
                i.saturating_sub(j).min(max_distance),
                j.saturating_sub(i).min(max_distance),
            );
            max_distance + past - future
        };
        let (first, last) = (index(count - 1), index(0));
        // Key j has index i + M - j in between.
        let near = (i.saturating_add(max_distance) - last + 1).min(count);
        let far = near + (last - first).saturating_sub(1);
        Self {
            first,
            last,
            near,
            far: far.min(count),
        }
    }

    /// `weights[j] += buckets[index(j) - first]`
    #[inline(always)]
    fn spread(self, buckets: &[f32], weights: &mut [f32]) {
        let (nearest, rest) = weights.split_at_mut(self.near);
        let (middle, farthest) = rest.split_at_mut(self.far - self.near);
        for weight in nearest {
            *weight += buckets[self.last - self.first];
        }
        // Without `last`, and without `first` unless no key is farther.
        for (weight, bucket) in middle
            .iter_mut()
            .zip(buckets[..self.last - self.first].iter().rev())
        {
            *weight += bucket;
        }
        for weight in farthest {
            *weight += buckets[0];
        }
    }

    /// `buckets[t] = Σ weights[j]` over the keys with that index, in the order of j.
    #[inline(always)]
    fn collect(self, weights: &[f32], buckets: &mut [f32]) {
        buckets.fill(0.0);
        let (nearest, rest) = weights.split_at(self.near);
        let (middle, farthest) = rest.split_at(self.far - self.near);
        for weight in nearest {
            buckets[self.last - self.first] += weight;
        }
        for (weight, bucket) in middle
            .iter()
            .zip(buckets[..self.last - self.first].iter_mut().rev())
        {
            *bucket += weight;
        }
        for weight in farthest {
            buckets[0] += weight;
        }
    }
}

/// `out[j] = q · row(j)`; all rows as long as `q`.
#[inline(always)]
fn dots<'a, S: Simd>(simd: S, q: &[f32], row: impl Fn(usize) -> &'a [f32], out: &mut [f32]) {
    let (blocks, rest) = out.as_chunks_mut::<8>();
    let mut j = 0;
    for out in blocks {
        let mut sums = [simd.fold(simd.splat(0.0)); 8];
        if S::SUMS >= 4 {
            dots_of_rows::<S, 4>(simd, q, &row, j, &mut sums);
        } else {
            dots_of_rows::<S, 2>(simd, q, &row, j, &mut sums);
        }
        simd.sum8(&sums, out);
        j += 8;
    }
    for (i, out) in rest.iter_mut().enumerate() {
        *out = dot(simd, q, row(j + i));
    }
}

/// The products of rows `j..j + 8` with the query, `R` rows at a time, summed down to eight lanes.
#[inline(always)]
fn dots_of_rows<'a, S: Simd, const R: usize>(
    simd: S,
    q: &[f32],
    row: &impl Fn(usize) -> &'a [f32],
    j: usize,
    out: &mut [S::H; 8],
) {
    let (q_chunks, q_rest) = q.as_chunks::<LANES>();
    for (group, out) in out.as_chunks_mut::<R>().0.iter_mut().enumerate() {
        let mut rows = [&[][..]; R];
        for i in 0..R {
            rows[i] = &row(j + group * R + i)[..q.len()];
        }
        let mut sums = [simd.splat(0.0); R];
        for (c, q) in q_chunks.iter().enumerate() {
            let q = simd.load(q);
            for i in 0..R {
                sums[i] = simd.add(sums[i], simd.mul(q, simd.load(&rows[i].as_chunks().0[c])));
            }
        }
        if !q_rest.is_empty() {
            let q = simd.load_part(q_rest, 0.0);
            for i in 0..R {
                let key = simd.load_part(rows[i].as_chunks::<LANES>().1, 0.0);
                sums[i] = simd.add(sums[i], simd.mul(q, key));
            }
        }
        for i in 0..R {
            out[i] = simd.fold(sums[i]);
        }
    }
}

/// `out += Σ_j weights[j] · row(j)`, in the order of j; all rows as long as `out`.
#[inline(always)]
fn add_weighted<'a, S: Simd>(
    simd: S,
    weights: &[f32],
    row: impl Fn(usize) -> &'a [f32],
    out: &mut [f32],
) {
    let mut first = 0;
    while S::SUMS >= 4 && out.len() - first >= 4 * LANES {
        add_columns::<S, 4>(simd, weights, &row, first, out);
        first += 4 * LANES;
    }
    while S::SUMS < 4 && out.len() - first >= 2 * LANES {
        add_columns::<S, 2>(simd, weights, &row, first, out);
        first += 2 * LANES;
    }
    while out.len() - first >= LANES {
        add_columns::<S, 1>(simd, weights, &row, first, out);
        first += LANES;
    }
    for out in out[first..].chunks_mut(LANES) {
        let mut sum = simd.load_part(out, 0.0);
        for (j, &weight) in weights.iter().enumerate() {
            let row = simd.load_part(&row(j)[first..first + out.len()], 0.0);
            sum = simd.add(sum, simd.mul(simd.splat(weight), row));
        }
        simd.store_part(sum, out);
        first += out.len();
    }
}

/// [`add_weighted`] for `V` vectors of columns from column `first` on, summed in registers.
#[inline(always)]
fn add_columns<'a, S: Simd, const V: usize>(
    simd: S,
    weights: &[f32],
    row: &impl Fn(usize) -> &'a [f32],
    first: usize,
    out: &mut [f32],
) {
    let out = out[first..first + V * LANES].as_chunks_mut::<LANES>().0;
    let mut sums = [simd.splat(0.0); V];
    for i in 0..V {
        sums[i] = simd.load(&out[i]);
    }
    for (j, &weight) in weights.iter().enumerate() {
        let row = row(j)[first..first + V * LANES].as_chunks::<LANES>().0;
        let weight = simd.splat(weight);
        for i in 0..V {
            sums[i] = simd.add(sums[i], simd.mul(weight, simd.load(&row[i])));
        }
    }
    for i in 0..V {
        simd.store(sums[i], &mut out[i]);
    }
}
