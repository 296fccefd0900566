//! Time of a computation on one thread.

use std::time::Instant;

/// Measures the processor time of this thread where Linux tells it, so that other programs on the
/// machine do not count; elsewhere the time that passes.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    begin: Instant,
    processor: Option<u64>,
}

impl Stopwatch {
    /// Begins now.
    #[must_use]
    pub fn start() -> Self {
        Self {
            processor: processor_nanoseconds(),
            begin: Instant::now(),
        }
    }

    /// Seconds since the start; to be asked on the same thread.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        match (self.processor, processor_nanoseconds()) {
            (Some(before), Some(after)) => after.saturating_sub(before) as f64 * 1e-9,
            _ => self.begin.elapsed().as_secs_f64(),
        }
    }
}

/// The scheduler's account of this thread.
fn processor_nanoseconds() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Stopwatch;

    #[test]
    fn work_takes_time() {
        let watch = Stopwatch::start();
        let begin = std::time::Instant::now();
        let mut x = 1u64;
        while begin.elapsed().as_millis() < 200 {
            for _ in 0..10_000 {
                x = std::hint::black_box(x.wrapping_mul(6_364_136_223_846_793_005) + 1);
            }
        }
        let seconds = watch.seconds();
        assert!(seconds > 0.0 && seconds < 5.0, "{seconds}");
    }
}
