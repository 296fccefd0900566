//! A decoder step allocates nothing once a search of the same size has been run.
#![allow(clippy::unwrap_used)]

use std::alloc::System;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use csanmt_format::{AlignedBytes, ModelFile};
use csanmt_model::{Kernels, Model};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations and reallocations between the first step of a search and its last.
fn during_steps(
    model: &Model,
    sentences: &[Vec<u32>],
    beam: usize,
    batch: usize,
) -> Vec<(usize, usize)> {
    let mut options = model.search_options();
    options.beam = beam;
    options.batch.sentences = batch;
    let mut workspace = model.workspace();
    let mut run = || {
        let mut region: Option<Region<'_, System>> = None;
        let mut counts = (0, 0);
        let observe = &mut |_| {
            let region = region.get_or_insert_with(|| Region::new(ALLOCATOR));
            let change = region.change();
            counts = (change.allocations, change.reallocations);
            ControlFlow::Continue(())
        };
        model
            .search(sentences, &options, &mut workspace, observe)
            .unwrap();
        counts
    };
    (0..3).map(|_| run()).collect()
}

// One test: the counters are those of the process.
#[test]
fn steps_allocate_nothing_after_warm_up() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zh-en-tiny.safetensors");
    let bytes = AlignedBytes::from(&std::fs::read(path).unwrap()[..]);
    let file = ModelFile::parse(Arc::new(bytes)).unwrap();
    let model = Model::load(&file, Kernels::detect()).unwrap();
    let sentence = |i: u32| (0..2 + i % 8).map(move |j| 3 + (i * 7919 + j * 104_729) % 3000);
    let sentences: Vec<Vec<u32>> = (0..32).map(|i| sentence(i).collect()).collect();
    for (beam, batch) in [(4, 32), (1, 32), (4, 8)] {
        let runs = during_steps(&model, &sentences, beam, batch);
        assert!(runs[0].0 + runs[0].1 > 0, "the counter counts: {runs:?}");
        assert_eq!(
            runs[1..],
            [(0, 0), (0, 0)],
            "beam {beam}, {batch} at a time"
        );
    }
}
