//! The default model over made-up source ids.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use csanmt_format::{AlignedBytes, ModelFile};
use csanmt_model::{Kernels, Model, SearchOptions, SearchResult};

pub(crate) fn model() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zh-en-tiny.safetensors");
    let bytes = AlignedBytes::from(&std::fs::read(path).unwrap()[..]);
    Model::load(
        &ModelFile::parse(Arc::new(bytes)).unwrap(),
        Kernels::detect(),
    )
    .unwrap()
}

/// Frequent ids, 2 to 9 a sentence.
pub(crate) fn sentences(count: u32) -> Vec<Vec<u32>> {
    let sentence = |i: u32| (0..2 + i % 8).map(move |j| 3 + (i * 7919 + j * 104_729) % 3000);
    (0..count).map(|i| sentence(i).collect()).collect()
}

/// What a search with a workspace of its own finds.
pub(crate) fn search(
    model: &Model,
    sentences: &[Vec<u32>],
    options: &SearchOptions,
) -> Vec<SearchResult> {
    let observe = &mut |_| ControlFlow::Continue(());
    let mut workspace = model.workspace();
    model
        .search(sentences, options, &mut workspace, observe)
        .unwrap()
}
