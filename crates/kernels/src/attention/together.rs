//! Several queries of one head at a time: each key and value is loaded once for all of them. Worth it
//! where loads are what bounds the loops and there are registers for it, see [`Simd::SHARES_KEYS`]. The
//! same bits as one query at a time, as every sum has the same order.

use super::head::Head;
use super::{Attend, AttentionScratch, padded, scale};
use crate::isa::Task;
use crate::simd::{HALF, LANES, Simd};
use crate::softmax::softmax_row;

/// Vectors of a head.
const CHUNKS: usize = 4;
/// Numbers of the heads that this is written for.
pub(super) const SIZE: usize = CHUNKS * LANES;

/// Most queries at a time.
const MOST: usize = 4;

/// Attention from more than one query.
pub(super) struct Together<'a>(pub(super) Attend<'a>);

impl Task for Together<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if !S::SHARES_KEYS {
            unreachable!("one query at a time is faster here");
        }
        let Self(mut this) = self;
        let (attention, width) = (this.attention, this.width);
        let mut places = std::mem::take(&mut this.scratch.places);
        attention.place_rows(&mut places);
        this.scratch
            .group
            .resize(MOST * padded(attention.rows.len()));
        let mut packed = std::mem::take(&mut this.scratch.packed);
        let mut packed_places = std::mem::take(&mut this.scratch.packed_places);
        for h in 0..attention.heads {
            let mut head = attention.head(h, width, &places);
            if this.packs() {
                head = head.pack(&mut packed, &mut packed_places);
            }
            for first in (0..this.queries()).step_by(MOST) {
                match this.queries() - first {
                    1 => this.together::<S, 1>(simd, h, &head, first),
                    2 => this.together::<S, 2>(simd, h, &head, first),
                    3 => this.together::<S, 3>(simd, h, &head, first),
                    _ => this.together::<S, MOST>(simd, h, &head, first),
                }
            }
        }
        this.scratch.packed_places = packed_places;
        this.scratch.packed = packed;
        this.scratch.places = places;
    }
}

impl Attend<'_> {
    /// `R` queries of head `h`, from query `first` on.
    #[inline(always)]
    fn together<S: Simd, const R: usize>(
        &mut self,
        simd: S,
        h: usize,
        head: &Head<'_, SIZE>,
        first: usize,
    ) {
        let (attention, width) = (self.attention, self.width);
        let count = attention.rows.len();
        let queries = self.queries();
        let padded = padded(count);
        let mut q = [&[][..]; R];
        for r in 0..R {
            q[r] = &self.q[(first + r) * self.q_stride + h * SIZE..][..SIZE];
        }
        let AttentionScratch {
            group,
            query,
            buckets,
            weights: last,
            ..
        } = &mut *self.scratch;
        dots(simd, head, q, self.factor, padded, group);
        for r in 0..R {
            let logits = &mut group[r * padded..][..count];
            if attention.relative.is_some() || attention.valid.is_some() {
                scale(q[r], self.factor, query);
                let position = self.first_position + first + r;
                head.adjust(simd, query, position, attention, logits, buckets);
            }
            softmax_row(simd, logits);
        }
        let out = &mut self.out[first * width + h * SIZE..];
        weighted_values::<S, R>(simd, head, group, padded, out, width);
        for r in 0..R {
            let weights = &group[r * padded..][..count];
            if let Some(relative) = attention.relative {
                let position = self.first_position + first + r;
                let out = &mut out[r * width..][..SIZE];
                head.add_relative_values(simd, weights, position, relative, buckets, out);
            }
            if first + r + 1 == queries {
                last[h * count..][..count].copy_from_slice(weights);
            }
        }
    }
}

/// `out[r][j] = (q[r]·factor) · key[j]`; the rows of `out` are `row` long, a multiple of eight and at
/// least as many as the keys.
#[inline(always)]
fn dots<S: Simd, const R: usize>(
    simd: S,
    head: &Head<'_, SIZE>,
    queries: [&[f32]; R],
    factor: f32,
    row: usize,
    out: &mut [f32],
) {
    let factor = simd.splat(factor);
    let mut q = [[factor; CHUNKS]; R];
    for r in 0..R {
        let chunks = queries[r][..SIZE].as_chunks::<LANES>().0;
        for c in 0..CHUNKS {
            q[r][c] = simd.mul(simd.load(&chunks[c]), factor);
        }
    }
    let count = head.places.len();
    for first in (0..count).step_by(HALF) {
        // Sums over lanes are taken of eight keys at a time; of missing keys they are 0.
        let mut halves = [[simd.fold(simd.splat(0.0)); HALF]; R];
        for i in 0..HALF.min(count - first) {
            let key = head.row(head.keys, first + i).as_chunks::<LANES>().0;
            let mut sums = [simd.splat(0.0); R];
            for c in 0..CHUNKS {
                let key = simd.load(&key[c]);
                for r in 0..R {
                    sums[r] = simd.add(sums[r], simd.mul(q[r][c], key));
                }
            }
            for r in 0..R {
                halves[r][i] = simd.fold(sums[r]);
            }
        }
        for r in 0..R {
            let out = &mut out[r * row + first..].as_chunks_mut::<HALF>().0[0];
            simd.sum8(&halves[r], out);
        }
    }
}

/// `out[r] = Σ_j weights[r][j]·value[j]`, in the order of j; the rows of `weights` are `row` apart,
/// those of `out` are `stride` apart.
#[inline(always)]
fn weighted_values<S: Simd, const R: usize>(
    simd: S,
    head: &Head<'_, SIZE>,
    weights: &[f32],
    row: usize,
    out: &mut [f32],
    stride: usize,
) {
    let count = head.places.len();
    let mut weights_of = [&weights[..count]; R];
    for r in 1..R {
        weights_of[r] = &weights[r * row..][..count];
    }
    let mut sums = [[simd.splat(0.0); CHUNKS]; R];
    for j in 0..count {
        let value = head.row(head.values, j).as_chunks::<LANES>().0;
        let mut chunks = [simd.splat(0.0); CHUNKS];
        for c in 0..CHUNKS {
            chunks[c] = simd.load(&value[c]);
        }
        for r in 0..R {
            let weight = simd.splat(weights_of[r][j]);
            for c in 0..CHUNKS {
                sums[r][c] = simd.add(sums[r][c], simd.mul(weight, chunks[c]));
            }
        }
    }
    for r in 0..R {
        let out = out[r * stride..][..SIZE].as_chunks_mut::<LANES>().0;
        for c in 0..CHUNKS {
            simd.store(sums[r][c], &mut out[c]);
        }
    }
}
