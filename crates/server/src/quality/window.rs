//! Sums over the last hour, minute by minute.

use super::{COUNT, Sample};

/// Minutes of an hour.
const MINUTES: usize = 60;

/// A ring of minutes.
pub(super) struct Window {
    minutes: Vec<(u64, Sums)>,
}

/// Sums of samples. A statistic that a sample does not have (NaN) is left out of its sums.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Samples.
    pub(super) count: u64,
    counts: [u64; COUNT],
    sums: [f64; COUNT],
    squares: [f64; COUNT],
}

impl Default for Window {
    fn default() -> Self {
        Self {
            minutes: vec![(0, Sums::default()); MINUTES],
        }
    }
}

impl Window {
    pub(super) fn add(&mut self, minute: u64, sample: &Sample) {
        // Less than MINUTES.
        let place = (minute % MINUTES as u64) as usize;
        let Some((of, sums)) = self.minutes.get_mut(place) else {
            return;
        };
        if *of != minute {
            (*of, *sums) = (minute, Sums::default());
        }
        sums.add(sample);
    }

    /// The hour that ends with `minute`.
    pub(super) fn total(&self, minute: u64) -> Sums {
        let mut total = Sums::default();
        for (of, sums) in &self.minutes {
            if of + MINUTES as u64 > minute {
                total.merge(sums);
            }
        }
        total
    }
}

impl Sums {
    fn add(&mut self, sample: &Sample) {
        self.count += 1;
        for (index, &value) in sample.iter().enumerate() {
            if value.is_finite() {
                self.counts[index] += 1;
                self.sums[index] += value;
                self.squares[index] += value * value;
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        for index in 0..COUNT {
            self.counts[index] += other.counts[index];
            self.sums[index] += other.sums[index];
            self.squares[index] += other.squares[index];
        }
    }

    /// 0 without samples.
    pub(super) fn mean(&self, index: usize) -> f64 {
        self.sums[index] / self.counts[index].max(1) as f64
    }

    pub(super) fn deviation(&self, index: usize) -> f64 {
        let mean = self.mean(index);
        let square = self.squares[index] / self.counts[index].max(1) as f64;
        (square - mean * mean).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_later_a_minute_is_forgotten() {
        let mut window = Window::default();
        window.add(0, &[1.0; COUNT]);
        window.add(30, &[4.0; COUNT]);
        assert_eq!(window.total(59).count, 2);
        assert_eq!(window.total(59).mean(0), 2.5);
        assert_eq!(window.total(60).count, 1);
        window.add(60, &[2.0; COUNT]);
        assert_eq!(window.total(60).mean(0), 3.0);
        assert_eq!(window.total(500).count, 0);
    }

    #[test]
    fn what_is_not_known_does_not_count() {
        let mut window = Window::default();
        let mut sample = [2.0; COUNT];
        window.add(0, &sample);
        sample[1] = f64::NAN;
        window.add(0, &sample);
        let total = window.total(0);
        assert_eq!((total.count, total.mean(1)), (2, 2.0));
        assert_eq!(total.deviation(0), 0.0);
    }
}
