//! The sinusoidal position signal of absolute models.

use std::sync::OnceLock;

/// `timing(p) = [sin(p w_0) … sin(p w_{n-1}), cos(p w_0) … cos(p w_{n-1})]`, not interleaved,
/// `n = size / 2`, `w_k = exp(-k ln(10000) / (n - 1))`; one zero behind when `size` is odd.
///
/// Rows are computed on demand, and those of ordinary sentences kept, once for all searches. The
/// functions come from `libm`, so that the signal has the same bits on every platform.
#[derive(Debug)]
pub(crate) struct Timing {
    size: usize,
    /// Each `[BLOCK, size]`.
    blocks: [OnceLock<Box<[f32]>>; BLOCKS],
}

/// Positions that are computed together.
const BLOCK: usize = 8;
/// How many blocks are kept.
const BLOCKS: usize = 64;

impl Timing {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            blocks: [const { OnceLock::new() }; BLOCKS],
        }
    }

    /// `x += timing(position)`.
    pub(crate) fn add(&self, position: usize, x: &mut [f32]) {
        match self.blocks.get(position / BLOCK) {
            Some(block) => {
                let first = position / BLOCK * BLOCK;
                let block = block.get_or_init(|| {
                    let rows = first..first + BLOCK;
                    rows.flat_map(|position| self.row(position)).collect()
                });
                let row = block[(position - first) * self.size..].iter();
                x.iter_mut()
                    .zip(row)
                    .for_each(|(value, signal)| *value += signal);
            }
            None => {
                let row = self.row(position);
                x.iter_mut()
                    .zip(row)
                    .for_each(|(value, signal)| *value += signal);
            }
        }
    }

    /// The signal of a position, `[size]`.
    fn row(&self, position: usize) -> impl Iterator<Item = f32> {
        let half = self.size / 2;
        let step = libm::log(10_000.0) / (half.max(2) - 1) as f64;
        let angle = move |k: usize| position as f64 * libm::exp(-(k as f64) * step);
        let sines = (0..half).map(move |k| libm::sin(angle(k)) as f32);
        let cosines = (0..half).map(move |k| libm::cos(angle(k)) as f32);
        let odd = (self.size % 2 == 1).then_some(0.0);
        sines.chain(cosines).chain(odd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_zero_is_zeros_then_ones() {
        let timing = Timing::new(6);
        let mut x = [0.0; 6];
        timing.add(0, &mut x);
        assert_eq!(x, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn odd_sizes_end_with_a_zero() {
        let timing = Timing::new(5);
        let mut x = [0.0; 5];
        timing.add(2, &mut x);
        assert!((x[0] - 2f32.sin()).abs() < 1e-6);
        assert!((x[1] - (2e-4f32).sin()).abs() < 1e-6);
        assert!((x[2] - 2f32.cos()).abs() < 1e-6);
        assert_eq!(x[4], 0.0);
    }

    #[test]
    fn positions_behind_those_that_are_kept_follow_the_same_formula() {
        let timing = Timing::new(8);
        for position in [BLOCK - 1, BLOCK, BLOCK * BLOCKS - 1, BLOCK * BLOCKS, 10_000] {
            let mut x = [1.0; 8];
            timing.add(position, &mut x);
            for k in 0..4 {
                let angle = position as f64 * 10_000f64.powf(-(k as f64) / 3.0);
                assert!((f64::from(x[k]) - 1.0 - angle.sin()).abs() < 1e-6);
                assert!((f64::from(x[4 + k]) - 1.0 - angle.cos()).abs() < 1e-6);
            }
        }
    }
}
