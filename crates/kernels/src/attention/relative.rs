//! Which relative table row belongs to which key: `clamp(i - j, -M, M) + M`, query minus key.

/// The relative table rows that the keys `0..count` need, seen from query position i. The index
/// falls as j rises: `last` for all keys up to `near`, then one less per key, `first` from `far` on.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Keys `0..near` share row `last`.
    near: usize,
    /// Keys `far..count` share row `first`.
    far: usize,
}

impl Span {
    /// `count > 0`
    #[inline(always)]
    pub(super) fn new(max_distance: usize, i: usize, count: usize) -> Self {
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
    pub(super) fn spread(self, buckets: &[f32], weights: &mut [f32]) {
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
    pub(super) fn collect(self, weights: &[f32], buckets: &mut [f32]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key's weight goes to its own table row, for all small shapes.
    #[test]
    fn matches_the_formula() {
        for max_distance in 0..4usize {
            for i in 0..9usize {
                for count in 1..12usize {
                    let index = |j: usize| {
                        let m = max_distance as i64;
                        ((i as i64 - j as i64).clamp(-m, m) + m) as usize
                    };
                    let span = Span::new(max_distance, i, count);
                    assert_eq!((span.first, span.last), (index(count - 1), index(0)));
                    let weights: Vec<f32> = (0..count).map(|j| (1 << j) as f32).collect();
                    let mut buckets = vec![f32::NAN; span.last - span.first + 1];
                    span.collect(&weights, &mut buckets);
                    for (t, &bucket) in buckets.iter().enumerate() {
                        let keys = (0..count).filter(|&j| index(j) == span.first + t);
                        assert_eq!(
                            bucket,
                            keys.map(|j| weights[j]).sum(),
                            "M {max_distance}, i {i}, {count} keys"
                        );
                    }
                    let table: Vec<f32> = (span.first..=span.last).map(|t| t as f32).collect();
                    let mut spread = vec![0.5; count];
                    span.spread(&table, &mut spread);
                    for (j, spread) in spread.into_iter().enumerate() {
                        assert_eq!(spread, index(j) as f32 + 0.5);
                    }
                }
            }
        }
    }
}
