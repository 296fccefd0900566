//! The sinusoidal position signal of absolute models.

/// `timing(p) = [sin(p w_0) … sin(p w_{n-1}), cos(p w_0) … cos(p w_{n-1})]`, not interleaved,
/// `n = size / 2`, `w_k = exp(-k ln(10000) / (n - 1))`; one zero behind when `size` is odd.
///
/// Rows are computed on demand and kept. The functions come from `libm`, so that the signal has
/// the same bits on every platform.
#[derive(Debug)]
pub(crate) struct Timing {
    size: usize,
    rows: Vec<f32>,
}

impl Timing {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            rows: Vec::new(),
        }
    }

    /// Makes sure that positions `0..count` are there.
    pub(crate) fn prepare(&mut self, count: usize) {
        let half = self.size / 2;
        let step = libm::log(10_000.0) / (half.max(2) - 1) as f64;
        for position in self.rows.len() / self.size..count {
            let angle = |k: usize| position as f64 * libm::exp(-(k as f64) * step);
            self.rows
                .extend((0..half).map(|k| libm::sin(angle(k)) as f32));
            self.rows
                .extend((0..half).map(|k| libm::cos(angle(k)) as f32));
            self.rows.resize((position + 1) * self.size, 0.0);
        }
    }

    /// `x += timing(position)`; the position must have been prepared.
    pub(crate) fn add(&self, position: usize, x: &mut [f32]) {
        let row = &self.rows[position * self.size..(position + 1) * self.size];
        for (value, signal) in x.iter_mut().zip(row) {
            *value += signal;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_zero_is_zeros_then_ones() {
        let mut timing = Timing::new(6);
        timing.prepare(1);
        let mut x = [0.0; 6];
        timing.add(0, &mut x);
        assert_eq!(x, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn odd_sizes_end_with_a_zero() {
        let mut timing = Timing::new(5);
        timing.prepare(3);
        let mut x = [0.0; 5];
        timing.add(2, &mut x);
        assert!((x[0] - 2f32.sin()).abs() < 1e-6);
        assert!((x[1] - (2e-4f32).sin()).abs() < 1e-6);
        assert!((x[2] - 2f32.cos()).abs() < 1e-6);
        assert_eq!(x[4], 0.0);
    }
}
