//! The search with the default model, over made-up source ids.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use csanmt_format::{AlignedBytes, ModelFile};
use csanmt_model::{Kernels, Limits, Model, SearchOptions, SearchResult};

fn model() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zh-en-tiny.safetensors");
    let bytes = AlignedBytes::from(&std::fs::read(path).unwrap()[..]);
    Model::load(
        &ModelFile::parse(Arc::new(bytes)).unwrap(),
        Kernels::detect(),
    )
    .unwrap()
}

/// Frequent ids, 2 to 9 a sentence.
fn sentences(count: u32) -> Vec<Vec<u32>> {
    let sentence = |i: u32| (0..2 + i % 8).map(move |j| 3 + (i * 7919 + j * 104_729) % 3000);
    (0..count).map(|i| sentence(i).collect()).collect()
}

fn search(model: &Model, sentences: &[Vec<u32>], options: &SearchOptions) -> Vec<SearchResult> {
    let observe = &mut |_| ControlFlow::Continue(());
    let mut workspace = model.workspace();
    model
        .search(sentences, options, &mut workspace, observe)
        .unwrap()
}

/// Giving up early never changes what is found.
#[test]
fn fewer_wanted_hypotheses_are_the_same_ones() {
    let (model, sentences) = (model(), sentences(40));
    for limits in [
        Limits::Model,
        Limits::Source {
            factor: 3,
            extra: 10,
        },
    ] {
        for beam in [1, 4] {
            let mut options = model.search_options();
            (options.beam, options.wanted, options.limits) = (beam, 0, limits);
            // None given up: the original's search.
            let all = search(&model, &sentences, &options);
            for wanted in 1..=beam {
                options.wanted = wanted;
                let found = search(&model, &sentences, &options);
                for (all, found) in all.iter().zip(found) {
                    let wanted = wanted.min(all.hypotheses.len());
                    assert_eq!(found.hypotheses[..wanted], all.hypotheses[..wanted]);
                }
            }
        }
    }
}
