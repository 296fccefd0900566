//! A conversion holds one variable at a time: the peak of the heap is measured.
//!
//! Alone in its binary, because the allocator counts for all threads.
#![allow(clippy::unwrap_used, missing_docs, unsafe_code)]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use csanmt_lab::checkpoint::WriteOptions;
use csanmt_lab::{ConvertOptions, convert};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged; counting does not allocate.
// `realloc` keeps its default: allocate, copy, free, so that both copies count.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The peak above what is live now while `work` runs.
fn peak_of(work: impl FnOnce()) -> usize {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed) - before
}

#[test]
fn the_peak_is_below_one_and_a_fifth_of_the_largest_variable() {
    let temporary = tempfile::tempdir().unwrap();
    let mut config = support::small_config();
    // Tables of 8 MB and 5 MB; everything else is below 1 MB. Once tied, once only looked up.
    (config.hidden_size, config.filter_size) = (128, 256);
    for (source, target) in [(16_384, 10_000), (10_000, 16_384)] {
        (config.src_vocab_size, config.trg_vocab_size) = (source, target);
        let largest = 16_384 * 128 * 4;
        let dir = temporary.path().join(format!("{source}"));
        let options = WriteOptions {
            shards: 2,
            ..Default::default()
        };
        support::write_model(&dir, &config, options, false);
        for f32 in [false, true] {
            let out = dir.join("model.safetensors");
            let options = ConvertOptions {
                f32,
                ..Default::default()
            };
            let peak = peak_of(|| {
                convert(&dir, &out, &options).unwrap();
            });
            let ratio = peak as f64 / f64::from(largest);
            println!("f32 {f32}, tied table {target}: peak {peak}, {ratio:.3} of the largest");
            assert!(
                ratio < 1.2,
                "f32 {f32}: {peak} bytes, {ratio:.3} of {largest}"
            );
        }
    }
}
