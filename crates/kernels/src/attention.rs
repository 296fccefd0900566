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

impl Relative<'_> {
    /// Table row of key position j seen from query position i: query minus key.
    #[inline(always)]
    fn index(&self, i: usize, j: usize) -> usize {
        if j >= i {
            self.max_distance - (j - i).min(self.max_distance)
        } else {
            self.max_distance + (i - j).min(self.max_distance)
        }
    }
}

/// Buffers of [`Kernels::attend`], to be used again.
#[derive(Clone, Debug, Default)]
pub struct AttentionScratch {
    weights: Vec<f32>,
    query: Vec<f32>,
    /// One number per relative table row.
    buckets: Vec<f32>,
}

impl AttentionScratch {
    /// The attention weights of the last call, `[heads, keys]`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

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
        let heads = attention.heads;
        assert!(
            heads > 0 && q.len().is_multiple_of(heads),
            "{} columns in {heads} heads",
            q.len()
        );
        assert_eq!(q.len(), out.len(), "query and output differ in length");
        if let Some(valid) = attention.valid {
            assert_eq!(valid.len(), attention.rows.len(), "one validity per key");
        }
        if let Some(relative) = attention.relative {
            let len = (2 * relative.max_distance + 1) * (q.len() / heads);
            assert_eq!(relative.keys.len(), len, "relative keys");
            assert_eq!(relative.values.len(), len, "relative values");
        }
        let AttentionScratch {
            weights,
            query,
            buckets,
        } = scratch;
        weights.clear();
        weights.resize(heads * attention.rows.len(), 0.0);
        query.resize(q.len(), 0.0);
        buckets.resize(
            attention
                .relative
                .map_or(0, |relative| 2 * relative.max_distance + 1),
            0.0,
        );
        self.run(Attend {
            q,
            i: query_position,
            attention,
            weights,
            query,
            buckets,
            out,
        });
    }
}

struct Attend<'a> {
    q: &'a [f32],
    /// Query position.
    i: usize,
    attention: &'a Attention<'a>,
    weights: &'a mut [f32],
    query: &'a mut [f32],
    buckets: &'a mut [f32],
    out: &'a mut [f32],
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
        let (count, width) = (rows.len(), self.q.len());
        let d = width / heads;
        self.out.fill(0.0);
        if count == 0 || d == 0 {
            return;
        }
        let factor = (1.0 / (d as f64).sqrt()) as f32;
        for (scaled, &q) in self.query.iter_mut().zip(self.q) {
            *scaled = q * factor;
        }
        for j in 0..count {
            let key = &keys[rows.row(j) * stride..][..width];
            for (h, (q, key)) in self
                .query
                .chunks_exact(d)
                .zip(key.chunks_exact(d))
                .enumerate()
            {
                self.weights[h * count + j] = dot(simd, q, key);
            }
        }
        for h in 0..heads {
            let q = &self.query[h * d..][..d];
            let weights = &mut self.weights[h * count..][..count];
            if let Some(relative) = relative {
                // The farthest key first: its index is the largest.
                let (first, last) = (relative.index(self.i, count - 1), relative.index(self.i, 0));
                for index in first..=last {
                    self.buckets[index] = dot(simd, q, &relative.keys[index * d..][..d]);
                }
                for (j, weight) in weights.iter_mut().enumerate() {
                    *weight += self.buckets[relative.index(self.i, j)];
                }
            }
            if let Some(valid) = valid {
                for (weight, &valid) in weights.iter_mut().zip(valid) {
                    *weight = if valid { *weight } else { f32::NEG_INFINITY };
                }
            }
            softmax_row(simd, weights);

            let out = &mut self.out[h * d..][..d];
            let row = |j: usize| &values[rows.row(j) * stride + h * d..][..d];
            add_weighted(simd, weights, row, out);
            if let Some(relative) = relative {
                let (first, last) = (relative.index(self.i, count - 1), relative.index(self.i, 0));
                self.buckets[first..=last].fill(0.0);
                for (j, &weight) in weights.iter().enumerate() {
                    self.buckets[relative.index(self.i, j)] += weight;
                }
                let row = |index: usize| &relative.values[(first + index) * d..][..d];
                add_weighted(simd, &self.buckets[first..=last], row, out);
            }
        }
    }
}

/// Vectors of columns summed at a time, in registers.
const BLOCK: usize = 4;

/// `out += Σ_j weights[j] · row(j)`, in the order of j; all rows as long as `out`.
#[inline(always)]
fn add_weighted<'a, S: Simd>(
    simd: S,
    weights: &[f32],
    row: impl Fn(usize) -> &'a [f32],
    out: &mut [f32],
) {
    let mut first = 0;
    let (blocks, rest) = out.as_chunks_mut::<{ BLOCK * LANES }>();
    for out in blocks {
        let out = out.as_chunks_mut::<LANES>().0;
        let mut sums = [
            simd.load(&out[0]),
            simd.load(&out[1]),
            simd.load(&out[2]),
            simd.load(&out[3]),
        ];
        for (j, &weight) in weights.iter().enumerate() {
            let row = row(j)[first..first + BLOCK * LANES].as_chunks::<LANES>().0;
            let weight = simd.splat(weight);
            for i in 0..BLOCK {
                sums[i] = simd.add(sums[i], simd.mul(weight, simd.load(&row[i])));
            }
        }
        for i in 0..BLOCK {
            simd.store(sums[i], &mut out[i]);
        }
        first += BLOCK * LANES;
    }
    for out in rest.chunks_mut(LANES) {
        let mut sum = simd.load_part(out, 0.0);
        for (j, &weight) in weights.iter().enumerate() {
            let row = simd.load_part(&row(j)[first..first + out.len()], 0.0);
            sum = simd.add(sum, simd.mul(simd.splat(weight), row));
        }
        simd.store_part(sum, out);
        first += out.len();
    }
}
