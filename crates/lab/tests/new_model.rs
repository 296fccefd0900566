//! A model from nothing: what training leaves goes through the ModelScope layout and comes back as
//! the same network, and the original TensorFlow graph loads it where Python has that.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use candle_core::Tensor;
use csanmt::{AlignedBytes, Options, Translator};
use csanmt_format::{ModelConfig, Position, Quantization, SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB};
use csanmt_kernels::Kernels;
use csanmt_lab::layout::{LayoutError, write_layout};
use csanmt_lab::train::{ContrastOptions, TrainOptions, Trainer, train_semantic_encoder};
use csanmt_lab::weights::Weights;
use csanmt_model::Model;
use serde_json::{Value, json};
use support::goldens::difference;
use support::learned;

/// Largest difference allowed between logits of two f32 implementations.
const TOLERANCE: f32 = 1e-4;

/// BPE, vocabularies, semantic encoder and translator, as `csanmt train` does it.
fn train(config: ModelConfig, steps: u64) -> (Weights, Tensor) {
    let weights = learned::begun(config);
    let pairs = learned::pairs(&weights);
    let contrast = ContrastOptions {
        steps: 5,
        batch_tokens: 100,
        ..ContrastOptions::default()
    };
    let (weights, table) =
        train_semantic_encoder(&weights, &pairs, &contrast, |_, _, _| {}).unwrap();
    let options = TrainOptions {
        samples: 2,
        ..learned::options()
    };
    let mut trainer = Trainer::new(&weights, &pairs, options, Some(table.clone()), None).unwrap();
    for _ in 0..steps {
        trainer.step(&pairs).unwrap();
    }
    (trainer.weights().unwrap(), table)
}

fn write(weights: &Weights, table: &Tensor, dir: &Path) {
    let table: Vec<f32> = table.flatten_all().unwrap().to_vec1().unwrap();
    write_layout(weights, dir, Some(&table)).unwrap();
}

/// Every combination that `csanmt train` offers, and the others that the layout has.
fn configurations() -> Vec<ModelConfig> {
    let mut all = Vec::new();
    for shared in [false, true] {
        for position in [Position::Absolute, Position::Relative] {
            all.push(ModelConfig {
                shared_source_target_embedding: shared,
                position,
                ..learned::config()
            });
        }
    }
    all.push(ModelConfig {
        pre_norm: false,
        post_norm: true,
        ..learned::config()
    });
    all
}

#[test]
fn the_layout_comes_back_as_the_same_model() {
    for config in configurations() {
        let (weights, table) = train(config, 5);
        let dir = tempfile::tempdir().unwrap();
        let layout = dir.path().join("layout");
        write(&weights, &table, &layout);
        let path = support::convert_f32(&layout, dir.path());
        let again = Weights::open(&path).unwrap();
        assert_eq!(again.config(), weights.config());
        assert_eq!(again.tensors(), weights.tensors());
        for name in [SRC_VOCAB, TRG_VOCAB, SRC_BPE, TRG_BPE] {
            assert_eq!(again.text(name), weights.text(name), "{name}");
        }
        let bytes = weights.to_bytes(&Quantization::F32.into()).unwrap();
        let own = Translator::from_bytes(AlignedBytes::from(&bytes[..])).unwrap();
        let converted = Translator::open(&path).unwrap();
        for (source, _) in learned::texts() {
            let text = |t: &Translator| t.translate(&source, &Options::raw()).unwrap().text;
            assert_eq!(text(&converted), text(&own));
        }
    }
}

#[test]
fn a_pruned_model_has_no_layout() {
    let weights = learned::begun(learned::config());
    let mut config = weights.config().clone();
    config.widths = Some(config.all_widths());
    let weights = weights
        .with_tensors(config, weights.tensors().clone())
        .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let error = write_layout(&weights, &dir.path().join("layout"), None).unwrap_err();
    assert!(matches!(error, LayoutError::Pruned), "{error}");
    assert!(!dir.path().join("layout").exists());
}

/// A Python with TensorFlow and the unpacked modelscope wheel: `CSANMT_TENSORFLOW_PYTHON` and
/// `CSANMT_MODELSCOPE`, or what `cargo xtask bench` has installed.
fn original() -> Option<(PathBuf, PathBuf)> {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers");
    let place = |variable: &str, default: &str| {
        std::env::var_os(variable).map_or_else(|| peers.join(default), PathBuf::from)
    };
    let python = place("CSANMT_TENSORFLOW_PYTHON", "tensorflow/bin/python");
    let sources = place("CSANMT_MODELSCOPE", "modelscope");
    let there = Command::new(&python)
        .args(["-c", "import tensorflow, jieba, sacremoses, subword_nmt"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    (there
        && sources
            .join("modelscope/models/nlp/csanmt/translation.py")
            .exists())
    .then_some((python, sources))
}

/// What the original says of a layout.
fn ask((python, sources): &(PathBuf, PathBuf), layout: &Path, input: &Value) -> Value {
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers/original_pipeline.py");
    let mut child = Command::new(python)
        .arg(script)
        .args([layout, sources])
        .arg("logits")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_original_graph_loads_the_layout_and_computes_the_same() {
    let Some(original) = original() else {
        println!(
            "skipped: no Python with TensorFlow and no modelscope sources; `cargo xtask bench \
             native --peer tensorflow` installs both, CSANMT_TENSORFLOW_PYTHON and CSANMT_MODELSCOPE \
             name others"
        );
        return;
    };
    for config in configurations() {
        let what = format!(
            "shared {}, {:?}, pre-norm {}",
            config.shared_source_target_embedding, config.position, config.pre_norm
        );
        // Long enough to be sure of its words, so that rounding decides nothing.
        let (weights, table) = train(config, 150);
        let dir = tempfile::tempdir().unwrap();
        let layout = dir.path().join("layout");
        write(&weights, &table, &layout);
        let path = support::convert_f32(&layout, dir.path());
        let model = Model::load(&support::open(&path), Kernels::detect()).unwrap();
        let pairs = learned::pairs(&weights);
        let sources: Vec<&Vec<u32>> = pairs.iter().map(|pair| &pair.source).collect();
        let targets: Vec<&Vec<u32>> = pairs.iter().map(|pair| &pair.target).collect();
        let texts: Vec<String> = learned::texts().into_iter().map(|pair| pair.0).collect();
        let input = json!({ "sources": sources, "targets": targets, "texts": texts });
        let answer = ask(&original, &layout, &input);
        let mut workspace = model.workspace();
        let mut largest = 0f32;
        for (pair, rows) in pairs.iter().zip(answer["logits"].as_array().unwrap()) {
            let rows = rows.as_array().unwrap().iter();
            let wanted: Vec<f32> = rows
                .flat_map(|row| row.as_array().unwrap())
                .map(|value| value.as_f64().unwrap() as f32)
                .collect();
            let (source, target) = (&[&pair.source[..]], &[&pair.target[..]]);
            let found = model
                .force(source, target, &mut workspace)
                .unwrap()
                .concat();
            largest = largest.max(difference(&found, &wanted));
        }
        println!("{what}: largest difference of logits {largest:.1e}");
        assert!(largest <= TOLERANCE, "{what}: {largest}");

        let wanted = &answer["texts"];
        let translator = Translator::open(&path).unwrap();
        for (text, wanted) in texts.iter().zip(wanted.as_array().unwrap()) {
            let found = translator.translate(text, &Options::raw()).unwrap().text;
            assert_eq!(found, wanted.as_str().unwrap(), "{what}: {text}");
        }
    }
}
