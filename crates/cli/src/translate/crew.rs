//! Tasks over as many threads as the system grants.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder};

use anyhow::{Result, anyhow};

/// Does the tasks `0..count` on up to `count` threads, the calling one among them, and gives the
/// results in order. Where no more threads can be started, those that are there do the work.
///
/// # Errors
/// When a task panicked.
pub(super) fn share_out<T: Send>(
    count: usize,
    builder: impl Fn() -> Builder,
    task: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>> {
    share_out_over(count, count, builder, task)
}

/// As [`share_out`], on up to `threads` threads.
///
/// # Errors
/// When a task panicked.
pub(super) fn share_out_over<T: Send>(
    threads: usize,
    count: usize,
    builder: impl Fn() -> Builder,
    task: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>> {
    let most = threads.min(count);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push((number, task(number)));
        }
    };
    let mut done = thread::scope(|scope| {
        let mut others = Vec::new();
        for started in 1..most {
            match builder().spawn_scoped(scope, work) {
                Ok(thread) => others.push(thread),
                Err(error) => {
                    warn_once(started, most, &error);
                    break;
                }
            }
        }
        let mut done = work();
        for thread in others {
            let done_there = thread.join();
            done.extend(done_there.map_err(|_| anyhow!("a translation panicked"))?);
        }
        Ok::<_, anyhow::Error>(done)
    })?;
    done.sort_unstable_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

fn warn_once(started: usize, count: usize, error: &std::io::Error) {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        eprintln!("csanmt: going on with {started} of {count} threads: {error}");
    });
}

#[cfg(test)]
mod tests {
    use std::thread::Builder;

    use super::share_out;

    #[test]
    fn results_are_in_order_with_and_without_threads() {
        // More than any address space has.
        let none = || Builder::new().stack_size(1 << (usize::BITS - 2));
        for count in [0, 1, 2, 40] {
            let expected: Vec<_> = (0..count).map(|number| number * 2).collect();
            assert_eq!(share_out(count, Builder::new, |n| n * 2).unwrap(), expected);
            assert_eq!(share_out(count, none, |n| n * 2).unwrap(), expected);
        }
    }
}
