//! Fuzzing on stable Rust: seeds of a small corpus are damaged at random, and what reads them must
//! neither panic nor hang, and must keep what the target promises.
//!
//! Every target is a test. `cargo test -p csanmt-fuzz` gives each two seconds of the same inputs
//! every time. Longer, with other inputs every time:
//!
//! ```sh
//! CSANMT_FUZZ_SECONDS=600 cargo test --release -p csanmt-fuzz --test subtitles
//! ```
//!
//! A failing input is made smaller and written to `corpus/TARGET/found-…`, where it stays as a
//! seed: every run begins with the seeds as they are.

mod mutation;

use std::cell::Cell;
use std::fmt::Debug;
use std::fs;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestCaseError, TestError, TestRunner};

use mutation::{Damage, damage};

/// The time of a target when [`SECONDS`] is not set.
const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// The environment variable with the seconds that each target runs.
const SECONDS: &str = "CSANMT_FUZZ_SECONDS";
/// One input may take this long, on a busy machine and without optimisation.
const PATIENCE: Duration = Duration::from_secs(20);
/// Where the inputs of a run begin that is to be the same every time.
const FIXED_SEED: u64 = 0x5eed;
/// Inputs between two looks at the clock.
const ROUND: u32 = 32;

/// Checks the seeds in `corpus/TARGET` and in `seeds`, then damaged ones until the time is up.
/// `words` are put in at random: what the format gives a meaning.
///
/// # Panics
/// When `check` fails for an input. It is written to the corpus.
pub fn fuzz(target: &str, seeds: &[&[u8]], words: &[&str], check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    let mut all = corpus(&folder);
    all.extend(seeds.iter().map(|seed| seed.to_vec()));
    assert!(!all.is_empty(), "{target} has no seeds");
    for seed in &all {
        within_patience(|| check(seed));
    }
    let (time, random) = match std::env::var(SECONDS)
        .ok()
        .and_then(|text| text.parse().ok())
    {
        Some(seconds) => (Duration::from_secs(seconds), true),
        None => (DEFAULT_TIME, false),
    };
    let begin = Instant::now();
    quiet_panics();
    // Every run that is to find something new begins elsewhere.
    let mut seed = if random { rand_seed() } else { FIXED_SEED };
    let strategy = damage(all.len());
    let inputs = Cell::new(0_u64);
    while begin.elapsed() < time {
        seed = seed.wrapping_add(1);
        let outcome = runner(seed).run(&strategy, |damage| {
            inputs.set(inputs.get() + 1);
            let input = damage.apply(&all, words);
            QUIET.set(true);
            let checked = catch_unwind(AssertUnwindSafe(|| within_patience(|| check(&input))));
            QUIET.set(false);
            checked.map_err(|panic| TestCaseError::fail(message(&*panic)))
        });
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(reason, found)) => {
                let input = found.apply(&all, words);
                let path = keep(&folder, &input);
                panic!(
                    "{target}: {reason}\nthe input is in {}\n{}",
                    path.display(),
                    shown(&input)
                );
            }
            Err(error) => panic!("{target}: {error}"),
        }
    }
    eprintln!(
        "{target}: {} inputs in {:.0?}",
        inputs.get(),
        begin.elapsed()
    );
}

thread_local! {
    /// What panics on this thread is told in the end, not for every attempt to make it smaller.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                loud(info);
            }
        }));
    });
}

fn rand_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(0)
}

/// A runner counts its successes, so it serves for one round.
fn runner(seed: u64) -> TestRunner {
    TestRunner::new(Config {
        cases: ROUND,
        failure_persistence: None,
        max_shrink_time: 60_000,
        max_shrink_iters: 4096,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    })
}

/// The files of a folder; none when it does not exist.
fn corpus(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: &PathBuf| fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    paths.iter().map(read).collect()
}

fn within_patience(work: impl FnOnce()) {
    let begin = Instant::now();
    work();
    let taken = begin.elapsed();
    assert!(taken < PATIENCE, "it took {taken:.1?}");
}

fn keep(folder: &Path, input: &[u8]) -> PathBuf {
    // Not for security: two inputs get two names.
    let hash = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let path = folder.join(format!("found-{hash:016x}"));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, input));
    if let Err(error) = written {
        eprintln!("{}: {error}", path.display());
    }
    path
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "it panicked".to_owned())
}

fn shown(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    let start: String = text.chars().take(400).collect();
    format!("{} bytes: {start:?}", input.len())
}

impl Debug for Damage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} changes", self.changes.len())
    }
}
