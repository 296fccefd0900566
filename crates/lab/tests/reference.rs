//! The reference network against the outputs of the original TensorFlow graph, and its gradients.
#![allow(clippy::unwrap_used)]

mod support;

use candle_core::{DType, Tensor};
use candle_nn::{Optimizer, SGD, loss::cross_entropy};
use csanmt_lab::checkpoint::{CheckpointWriter, WriteOptions};
use csanmt_lab::reference::{ReferenceError, ReferenceModel, trained_originally};
use serde_json::Value;
use std::path::Path;
use support::goldens::{self, Goldens, difference, forced_targets, sentences};

/// Largest difference allowed between tensors.
const TOLERANCE: f32 = 1e-4;

fn flat(tensor: &Tensor) -> Vec<f32> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

fn variable(model: &ReferenceModel, name: &str) -> Vec<f32> {
    flat(&model.variables().data().lock().unwrap()[name])
}

fn all_names(model: &ReferenceModel) -> Vec<String> {
    let variables = csanmt_format::layout::variables(model.config());
    variables
        .into_iter()
        .map(|variable| variable.name)
        .collect()
}

fn from_file(fixture: &Path) -> ReferenceModel {
    let dir = tempfile::tempdir().unwrap();
    let path = support::convert_f32(fixture, dir.path());
    ReferenceModel::from_file(&support::open(&path)).unwrap()
}

#[test]
fn golden_encoder_semantic_and_step_tensors() {
    let mut largest = [0f32; 3];
    for fixture in support::fixtures() {
        let model = from_file(&fixture);
        let Goldens { records, tensors } = goldens::load(&fixture);
        for (number, record) in records.iter().enumerate() {
            let encoded = model.encode(&sentences(record)).unwrap();
            let logits = model
                .decode_forced(&encoded, &forced_targets(record))
                .unwrap();
            // The original's semantic vector has an axis of length 1 for the steps.
            let semantic = encoded.semantic.unsqueeze(1).unwrap();
            // All of it: the padding too holds what the original computes there.
            let found = [
                ("encoder_output", &encoded.output),
                ("semantic_output", &semantic),
                ("decoder_logits", &logits),
            ];
            for ((kind, found), largest) in found.into_iter().zip(&mut largest) {
                let golden = &tensors[&format!("{number}/{kind}")];
                let what = format!("{} record {number} {kind}", fixture.display());
                assert_eq!(found.dims(), golden.shape, "{what}");
                let difference = difference(&flat(found), &golden.data);
                assert!(difference <= TOLERANCE, "{what}: difference {difference}");
                *largest = largest.max(difference);
            }
        }
    }
    println!("largest differences of encoder, semantic vector, logits: {largest:?}");
}

/// The mask says which positions are tokens: words and the end mark behind them.
#[test]
fn mask_covers_words_and_end_mark() {
    let model = from_file(&support::fixtures()[0]);
    // An id 0 inside a sentence hides the position behind it.
    let encoded = model
        .encode(&[&[5, 6, 7][..], &[5], &[], &[5, 0, 6]])
        .unwrap();
    let expected = [
        [1.0, 1.0, 1.0, 1.0],
        [1.0, 1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0, 1.0],
    ];
    assert_eq!(encoded.mask.to_vec2::<f32>().unwrap(), expected);
}

#[test]
fn checkpoints_and_files_give_the_same_network_and_written_ones_are_read_again() {
    for fixture in support::fixtures() {
        let (file, checkpoint) = (
            from_file(&fixture),
            ReferenceModel::from_checkpoint(&fixture).unwrap(),
        );
        assert_eq!(file.config(), checkpoint.config());
        let dir = tempfile::tempdir().unwrap();
        let copy =
            support::copy_fixture(&fixture.file_name().unwrap().to_string_lossy(), dir.path());
        std::fs::remove_dir_all(copy.join("tf_ckpts")).unwrap();
        let options = WriteOptions::default();
        let mut writer =
            CheckpointWriter::create(&copy.join("tf_ckpts"), "ckpt-1", options).unwrap();
        checkpoint.write(&mut writer).unwrap();
        writer.finish().unwrap();
        let again = ReferenceModel::from_checkpoint(&copy).unwrap();
        for name in all_names(&file) {
            let expected = variable(&file, &name);
            assert_eq!(variable(&checkpoint, &name), expected, "{name}");
            assert_eq!(variable(&again, &name), expected, "{name}");
        }
    }
}

/// Mean cross entropy of the recorded targets of all records that have words.
fn loss(model: &ReferenceModel, records: &[&Value]) -> Tensor {
    let mut losses = Vec::new();
    for record in records {
        let encoded = model.encode(&sentences(record)).unwrap();
        let targets = forced_targets(record);
        let logits = model.decode_forced(&encoded, &targets).unwrap();
        let labels: Vec<u32> = targets
            .iter()
            .flat_map(|target| target.iter().copied().chain([0]))
            .collect();
        let labels = Tensor::new(labels, logits.device()).unwrap();
        losses.push(cross_entropy(&logits.flatten(0, 1).unwrap(), &labels).unwrap());
    }
    Tensor::stack(&losses, 0).unwrap().mean(0).unwrap()
}

/// A record of one sentence and one of three of different lengths.
fn chosen(records: &[Value]) -> Vec<&Value> {
    let chosen: Vec<&Value> = [0, 5].iter().map(|&number| &records[number]).collect();
    assert_eq!(sentences(chosen[1]).len(), 3);
    chosen
}

#[test]
fn gradients_reach_every_trained_variable_and_no_frozen_one() {
    for fixture in support::fixtures() {
        let model = from_file(&fixture);
        let Goldens { records, .. } = goldens::load(&fixture);
        let records = chosen(&records);
        let gradients = loss(&model, &records).backward().unwrap();
        let (mut trained, mut frozen) = (0, 0);
        for name in all_names(&model) {
            let map = model.variables().data().lock().unwrap();
            let gradient = gradients.get(&map[&name]);
            let what = format!("{} {name}", fixture.display());
            if name.contains("Semantic_Embedding") || name.contains("mini_xlm_encoder") {
                assert!(gradient.is_none(), "{what} is frozen");
                frozen += 1;
                continue;
            }
            let gradient = flat(gradient.unwrap_or_else(|| panic!("{what} has no gradient")));
            assert!(gradient.iter().all(|g| g.is_finite()), "{what}");
            assert!(gradient.iter().any(|&g| g != 0.0), "{what} gets zeros");
            trained += 1;
        }
        assert_eq!(trained, model.trained_variables().len());
        assert!(trained > 0 && frozen > 0);

        let before: Vec<Vec<f32>> = all_names(&model)
            .iter()
            .map(|name| variable(&model, name))
            .collect();
        let mut optimizer = SGD::new(model.trained_variables(), 1e-2).unwrap();
        let first = loss(&model, &records);
        optimizer.backward_step(&first).unwrap();
        for (name, before) in all_names(&model).iter().zip(before) {
            let changed = variable(&model, name) != before;
            assert_eq!(changed, trained_originally(name), "{name}");
        }
        let (first, second) = (scalar(&first), scalar(&loss(&model, &records)));
        assert!(second < first, "{}: {first} {second}", fixture.display());
    }
}

fn scalar(tensor: &Tensor) -> f64 {
    let tensor = tensor.to_dtype(DType::F64).unwrap();
    tensor.to_scalar().unwrap()
}

/// Distance from the weights at which slopes are taken. The loss of these small models has a bend
/// wherever a `relu` switches: at twenty times the distance slopes are up to a sixth off, here at
/// most 0.2 %; nearer still, the rounding of f32 shows.
const STEP: f64 = 5e-4;

/// Along its own direction the gradient is the slope of the loss: over all variables, also those
/// that the original does not train.
#[test]
fn gradients_are_slopes() {
    for fixture in support::fixtures() {
        let model = from_file(&fixture).train_where(|_| true).unwrap();
        assert_eq!(model.trained_names(), all_names(&model));
        let Goldens { records, .. } = goldens::load(&fixture);
        let records = chosen(&records);
        let gradients = loss(&model, &records).backward().unwrap();
        for part in ["", "encoder/", "mini_xlm_encoder/", "decoder/", "Embedding"] {
            let names = model.trained_names().iter();
            let chosen: Vec<_> = names
                .zip(model.trained_variables())
                .filter(|(name, _)| {
                    name.starts_with(part) || part == "Embedding" && name.contains(part)
                })
                .map(|(_, variable)| {
                    let gradient = gradients.get(&variable).unwrap().clone();
                    let value = variable.as_tensor().copy().unwrap();
                    (variable, value, gradient)
                })
                .collect();
            assert!(!chosen.is_empty());
            let square: f64 = chosen
                .iter()
                .map(|(_, _, gradient)| scalar(&gradient.sqr().unwrap().sum_all().unwrap()))
                .sum();
            let step = STEP / square.sqrt();
            let at = |factor: f64| {
                for (variable, value, gradient) in &chosen {
                    let moved = (value + (gradient * factor).unwrap()).unwrap();
                    variable.set(&moved).unwrap();
                }
                scalar(&loss(&model, &records))
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            at(0.0);
            let what = format!("{} {part}", fixture.display());
            assert!(
                (slope / square - 1.0).abs() < 0.02,
                "{what}: {slope} {square}"
            );
        }
    }
}

#[test]
fn rejects_what_does_not_fit() {
    let fixture = &support::fixtures()[0];
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("int8.safetensors");
    csanmt_lab::convert(fixture, &path, &csanmt_lab::ConvertOptions::default()).unwrap();
    let quantized = ReferenceModel::from_file(&support::open(&path)).unwrap_err();
    assert!(matches!(quantized, ReferenceError::Quantized));

    let model = from_file(fixture);
    let vocab = model.config().src_vocab_size as u32;
    let outside = model.encode(&[vec![1], vec![1, vocab]]).unwrap_err();
    let message =
        format!("sentence 1 has id {vocab} at position 1; the vocabulary has {vocab} ids");
    assert_eq!(outside.to_string(), message);
    let none: [Vec<u32>; 0] = [];
    assert!(matches!(
        model.encode(&none).unwrap_err(),
        ReferenceError::NoSentences
    ));
    let encoded = model.encode(&[[1], [2]]).unwrap();
    let unpaired = model.decode_forced(&encoded, &[[1]]).unwrap_err();
    assert!(matches!(
        unpaired,
        ReferenceError::Targets {
            targets: 1,
            sentences: 2
        }
    ));

    let variables = model.variables().clone();
    let name = "encoder_input_bias";
    let bias = variables.data().lock().unwrap().remove(name).unwrap();
    let missing = ReferenceModel::new(model.config().clone(), variables.clone()).unwrap_err();
    assert!(matches!(missing, ReferenceError::Missing { name: found, .. } if found == name));
    let short = candle_core::Var::from_tensor(&bias.narrow(0, 0, 1).unwrap()).unwrap();
    variables.data().lock().unwrap().insert(name.into(), short);
    let misfit = ReferenceModel::new(model.config().clone(), variables).unwrap_err();
    assert!(matches!(misfit, ReferenceError::Misfit { name: found, .. } if found == name));
}
