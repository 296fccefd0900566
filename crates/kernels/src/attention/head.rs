//! One head: products with its keys, and the weighted sum of its values.

use super::relative::Span;
use super::sums::{add_weighted, dots};
use super::{Attention, Relative};
use crate::Buffer;
use crate::simd::Simd;

/// Keys and values of one head of `D` numbers, of `d` where that is 0.
#[derive(Clone, Copy)]
pub(super) struct Head<'a, const D: usize> {
    pub(super) keys: &'a [f32],
    pub(super) values: &'a [f32],
    /// Where rows begin.
    pub(super) places: &'a [usize],
    /// Where the head begins in a row.
    pub(super) column: usize,
    pub(super) d: usize,
}

impl<'a, const D: usize> Head<'a, D> {
    #[inline(always)]
    pub(super) fn row(&self, data: &'a [f32], j: usize) -> &'a [f32] {
        self.sized(&data[self.places[j] + self.column..])
    }

    /// The first numbers, as many as the head has: a number the compiler knows, if there is one.
    #[inline(always)]
    fn sized<'b>(&self, data: &'b [f32]) -> &'b [f32] {
        if D > 0 { &data[..D] } else { &data[..self.d] }
    }

    /// The same head in consecutive memory: strides of a power of two would evict each other from
    /// the L1 cache.
    #[inline(always)]
    pub(super) fn pack<'b>(
        &self,
        buffer: &'b mut Buffer<f32>,
        places: &'b mut Vec<usize>,
    ) -> Head<'b, D> {
        let (len, d) = (self.places.len(), self.d);
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
        places.clear();
        places.extend((0..len).map(|j| j * d));
        Head {
            keys,
            values,
            places,
            column: 0,
            d,
        }
    }

    /// One query's products with the keys, without what [`Self::adjust`] adds; `q` is scaled.
    #[inline(always)]
    pub(super) fn dots<S: Simd>(&self, simd: S, q: &[f32], logits: &mut [f32]) {
        dots(simd, self.sized(q), |j| self.row(self.keys, j), logits);
    }

    /// Makes logits of a query's products with the keys: relative positions, -inf where a key is not
    /// valid; `q` is scaled.
    #[inline(always)]
    pub(super) fn adjust<S: Simd>(
        &self,
        simd: S,
        q: &[f32],
        position: usize,
        attention: &Attention<'_>,
        logits: &mut [f32],
        buckets: &mut [f32],
    ) {
        if let Some(relative) = attention.relative {
            let span = Span::new(relative.max_distance, position, logits.len());
            let buckets = &mut buckets[span.first..=span.last];
            let row = |t| self.sized(&relative.keys[(span.first + t) * self.d..]);
            dots(simd, self.sized(q), row, buckets);
            span.spread(buckets, logits);
        }
        if let Some(valid) = attention.valid {
            for (logit, &valid) in logits.iter_mut().zip(valid) {
                *logit = if valid { *logit } else { f32::NEG_INFINITY };
            }
        }
    }

    /// The sum of the values by their weights, without what [`Self::add_relative_values`] adds.
    #[inline(always)]
    pub(super) fn weighted_values<S: Simd>(&self, simd: S, weights: &[f32], out: &mut [f32]) {
        let out = if D > 0 { &mut out[..D] } else { out };
        out.fill(0.0);
        add_weighted(simd, weights, |j| self.row(self.values, j), out);
    }

    /// Adds the relative values by the sums of their weights.
    #[inline(always)]
    pub(super) fn add_relative_values<S: Simd>(
        &self,
        simd: S,
        weights: &[f32],
        position: usize,
        relative: Relative<'_>,
        buckets: &mut [f32],
        out: &mut [f32],
    ) {
        let span = Span::new(relative.max_distance, position, weights.len());
        let buckets = &mut buckets[span.first..=span.last];
        span.collect(weights, buckets);
        let row = |t| self.sized(&relative.values[(span.first + t) * self.d..]);
        add_weighted(simd, buckets, row, out);
    }
}
