//! The f32 engine against the outputs of the original TensorFlow graph.
//!
//! `tests/golden/fixtures/NAME` holds tiny models in the ModelScope layout with recorded ids,
//! tensors, hypotheses and texts.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use csanmt::{Options, Translator};
use csanmt_kernels::Kernels;
use csanmt_lab::npz::Array;
use csanmt_model::{Model, Workspace};
use serde_json::Value;
use support::goldens::{self, Goldens, difference, forced_targets, ids, sentences};

/// Largest difference allowed between tensors and scores.
const TOLERANCE: f32 = 1e-4;
/// Below this gap between two candidates another f32 implementation may choose the other.
const MIN_MARGIN: f64 = 1e-5;

struct Fixture {
    name: String,
    model: Model,
    translator: Translator,
    records: Vec<Value>,
    tensors: BTreeMap<String, Array>,
    _dir: tempfile::TempDir,
}

fn fixtures() -> Vec<Fixture> {
    let dirs = support::fixtures();
    dirs.iter().map(|dir| load(dir)).collect()
}

fn load(dir: &Path) -> Fixture {
    let temporary = tempfile::tempdir().unwrap();
    let path = support::convert_f32(dir, temporary.path());
    let Goldens { records, tensors } = goldens::load(dir);
    Fixture {
        name: dir.file_name().unwrap().to_string_lossy().into_owned(),
        model: Model::load(&support::open(&path), Kernels::detect()).unwrap(),
        translator: Translator::open(&path).unwrap(),
        records,
        tensors,
        _dir: temporary,
    }
}

fn assert_close(what: &str, found: &[f32], expected: &[f32]) {
    let difference = difference(found, expected);
    assert!(difference <= TOLERANCE, "{what}: difference {difference}");
}

#[test]
fn golden_encoder_and_semantic_tensors() {
    for fixture in fixtures() {
        let Fixture {
            name,
            model,
            tensors,
            ..
        } = &fixture;
        let d = model.config().hidden_size;
        for (number, record) in fixture.records.iter().enumerate() {
            let sentences = sentences(record);
            let (mut layers, mut semantic_layers) = (Vec::new(), Vec::new());
            let mut probe = |_: usize, x: &[f32]| layers.push(x.to_vec());
            let mut semantic_probe = |_: usize, x: &[f32]| semantic_layers.push(x.to_vec());
            let encoded = model
                .encode(&sentences, Some(&mut probe), Some(&mut semantic_probe))
                .unwrap();

            let what = format!("{name} record {number}");
            let semantic = &tensors[&format!("{number}/semantic_output")];
            assert_close(
                &format!("{what} semantic"),
                encoded.semantic(),
                &semantic.data,
            );
            // Unobserved, the last layer is not computed for every position.
            let unobserved = model.encode(&sentences, None, None).unwrap();
            assert_close(
                &format!("{what} semantic, unobserved"),
                unobserved.semantic(),
                &semantic.data,
            );
            let output = &tensors[&format!("{number}/encoder_output")];
            let width = output.shape[1];
            for (row, span) in encoded.batch().spans.iter().enumerate() {
                let compare = |label: String, found: &[f32], golden: &Array| {
                    let start = row * width * d;
                    let expected = &golden.data[start..start + span.len * d];
                    assert_close(
                        &label,
                        &found[span.start * d..(span.start + span.len) * d],
                        expected,
                    );
                };
                compare(format!("{what} encoder"), encoded.source(), output);
                if number == 0 {
                    for (i, layer) in layers.iter().enumerate() {
                        let golden = &tensors[&format!("0/encoder_layer_{i}")];
                        compare(format!("{what} encoder layer {i}"), layer, golden);
                    }
                    for (i, layer) in semantic_layers.iter().enumerate() {
                        let golden = &tensors[&format!("0/semantic_layer_{i}")];
                        compare(format!("{what} semantic layer {i}"), layer, golden);
                    }
                }
            }
        }
    }
}

#[test]
fn golden_step_logits() {
    for fixture in fixtures() {
        let Fixture {
            name,
            model,
            tensors,
            ..
        } = &fixture;
        let mut workspace = model.workspace();
        for (number, record) in fixture.records.iter().enumerate() {
            let targets = forced_targets(record);
            let logits = model
                .force(&sentences(record), &targets, &mut workspace)
                .unwrap();
            let golden = &tensors[&format!("{number}/decoder_logits")];
            assert_close(
                &format!("{name} record {number} logits"),
                &logits.concat(),
                &golden.data,
            );
        }
    }
}

#[test]
fn golden_best_hypotheses() {
    let mut compared = 0;
    for fixture in fixtures() {
        let Fixture { name, model, .. } = &fixture;
        let mut workspace = model.workspace();
        for (number, record) in fixture.records.iter().enumerate() {
            let results = search(model, &sentences(record), &mut workspace);
            for (row, result) in results.iter().enumerate() {
                if record["numpy64"][row]["min_margin"].as_f64().unwrap() < MIN_MARGIN {
                    continue;
                }
                let golden = &record["nbest"][row][0];
                let best = &result.hypotheses[0];
                let what = format!("{name} record {number} sentence {row}");
                assert_eq!(best.ids, ids(&golden["ids"]), "{what}");
                assert_eq!(
                    best.finished,
                    golden["finished"].as_bool().unwrap(),
                    "{what}"
                );
                let score = golden["score"].as_f64().unwrap() as f32;
                assert!(
                    (best.score - score).abs() <= TOLERANCE,
                    "{what}: {} {score}",
                    best.score
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 80, "only {compared} hypotheses were compared");
}

fn search(
    model: &Model,
    sentences: &[Vec<u32>],
    workspace: &mut Workspace,
) -> Vec<csanmt_model::SearchResult> {
    let options = model.search_options();
    model
        .search(sentences, &options, workspace, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
}

/// A translation must not depend on what else is translated with it.
#[test]
fn hypotheses_do_not_depend_on_the_batch() {
    for fixture in fixtures() {
        let model = &fixture.model;
        let mut workspace = model.workspace();
        let all: Vec<Vec<u32>> = fixture
            .records
            .iter()
            .flat_map(sentences)
            .filter(|sentence| !sentence.is_empty())
            .collect();
        let together = search(model, &all, &mut workspace);
        for (sentence, in_batch) in all.iter().zip(&together) {
            let alone = search(model, std::slice::from_ref(sentence), &mut workspace);
            assert_eq!(&alone[0], in_batch, "{} {sentence:?}", fixture.name);
        }
    }
}

#[test]
fn golden_texts() {
    for fixture in fixtures() {
        for (number, record) in fixture.records.iter().enumerate() {
            let margins = record["numpy64"].as_array().unwrap();
            if margins
                .iter()
                .any(|m| m["min_margin"].as_f64().unwrap() < MIN_MARGIN)
            {
                continue;
            }
            let input = record["input"].as_str().unwrap();
            let translation = fixture
                .translator
                .translate(input, &Options::raw())
                .unwrap();
            let what = format!("{} record {number}", fixture.name);
            assert_eq!(translation.text, record["text"].as_str().unwrap(), "{what}");
        }
    }
}
