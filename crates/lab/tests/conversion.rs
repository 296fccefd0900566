//! Conversions of the golden fixtures: every number of the model file against the checkpoint.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use std::path::Path;

use csanmt_format::layout::{Role, variables};
use csanmt_format::{Peaks, Quantization, SEGMENTATION_DICTIONARY, SRC_BPE, SRC_VOCAB, TRG_VOCAB};
use csanmt_lab::checkpoint::{Checkpoint, Compression, WriteOptions};
use csanmt_lab::{ConvertOptions, convert, inspect};

/// Converts both ways and compares all tensors and texts.
fn check(dir: &Path) {
    let name = dir.file_name().unwrap().to_string_lossy();
    let temporary = tempfile::tempdir().unwrap();
    for f32 in [true, false] {
        let path = temporary.path().join(format!("{f32}.safetensors"));
        let options = ConvertOptions {
            f32,
            license: Some("CC0"),
            ..Default::default()
        };
        let report =
            convert(dir, &path, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report.bytes, std::fs::metadata(&path).unwrap().len());
        let file = support::open(&path);
        file.check_variables().unwrap();
        assert_eq!(file.config(), &report.config);
        assert_eq!(file.license(), Some("CC0"));
        let mut checkpoint = Checkpoint::open(&dir.join("tf_ckpts")).unwrap();
        let mut weights = Vec::new();
        for variable in variables(file.config()) {
            let full = format!("NmtModel/{}", variable.name);
            checkpoint
                .read(&full, &variable.shape, &mut weights)
                .unwrap();
            if file.quantization() == Quantization::F32 {
                same_bits(
                    &full,
                    &file.f32(&variable.name, &variable.shape).unwrap(),
                    &weights,
                );
                continue;
            }
            match variable.role {
                Role::Linear | Role::OutputTable => {
                    let (k, n) = variable.matrix_size().unwrap();
                    let packed = file.packed(&variable.name, k, n).unwrap();
                    let peaks = match variable.role {
                        Role::Linear => file.peaks(&variable.name, k, n).unwrap(),
                        _ => None,
                    };
                    for output in 0..n {
                        let mut sum = 0;
                        for input in 0..k {
                            let q = packed.weight(output, input);
                            let weight = match variable.role {
                                Role::Linear => weights[input * n + output],
                                _ => weights[output * k + input],
                            };
                            let place = [output as i32, input as i32];
                            if let Some(kept) = peak_at(peaks.as_ref(), place) {
                                assert_eq!((q, kept), (0, weight), "{full} {place:?}");
                            } else {
                                within_half_step(&full, weight, q, packed.scale[output]);
                            }
                            sum += i32::from(q);
                        }
                        assert_eq!(packed.colsum[output], sum, "{full} {output}");
                    }
                }
                Role::RowTable => {
                    let (rows, cols) = (variable.shape[0], variable.shape[1]);
                    let table = file.rows(&variable.name, rows, cols).unwrap();
                    for (place, &weight) in weights.iter().enumerate() {
                        let scale = table.scale[place / cols];
                        within_half_step(&full, weight, table.data[place], scale);
                    }
                }
                _ => same_bits(
                    &full,
                    &file.f32(&variable.name, &variable.shape).unwrap(),
                    &weights,
                ),
            }
        }
        let json = std::fs::read(dir.join("configuration.json")).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let texts = [
            (SRC_VOCAB, &json["dataset"]["src_vocab"]["file"]),
            (TRG_VOCAB, &json["dataset"]["trg_vocab"]["file"]),
            (SRC_BPE, &json["preprocessor"]["src_bpe"]["file"]),
        ];
        for (tensor, source) in texts {
            let expected = std::fs::read(dir.join(source.as_str().unwrap())).unwrap();
            assert_eq!(file.text(tensor).unwrap(), expected, "{name} {tensor}");
            assert!(file.bytes(tensor).unwrap().len() <= expected.len());
        }
        let dictionary = file.config().src_lang == "zh";
        assert_eq!(file.has(SEGMENTATION_DICTIONARY), dictionary);
        if dictionary {
            let stored = file.bytes(SEGMENTATION_DICTIONARY).unwrap();
            assert!(stored.as_ref() == csanmt_text::jieba::ZH_DICTIONARY);
        }
        data_is_aligned(&file);
    }
}

/// The weight kept apart for an output and an input.
fn peak_at(peaks: Option<&Peaks>, place: [i32; 2]) -> Option<f32> {
    let peaks = peaks?;
    let at = peaks.place.chunks_exact(2).position(|at| at == place)?;
    Some(peaks.weight[at])
}

fn same_bits(name: &str, found: &[f32], expected: &[f32]) {
    assert!(
        found
            .iter()
            .map(|v| v.to_bits())
            .eq(expected.iter().map(|v| v.to_bits())),
        "{name}"
    );
}

/// |w − q · scale| ≤ scale / 2, and a last bit for the rounding of the quotient.
fn within_half_step(name: &str, weight: f32, q: i8, scale: f32) {
    let error = (f64::from(weight) - f64::from(q) * f64::from(scale)).abs();
    let limit = f64::from(scale) * (0.5 + 127.0 * f64::from(f32::EPSILON));
    assert!(error <= limit, "{name}: {weight} became {q} x {scale}");
    assert!(q != -128);
}

fn data_is_aligned(file: &csanmt_format::ModelFile) {
    let first = file.tensors().next().unwrap();
    assert_eq!(first.range.start % 64, 0);
    for tensor in file.tensors() {
        let step = if tensor.shape.len() == 4 {
            64
        } else {
            tensor.dtype.bytes()
        };
        assert_eq!(tensor.range.start % step, 0, "{}", tensor.name);
    }
}

#[test]
fn all_fixtures_convert_exactly() {
    for dir in support::fixtures() {
        check(&dir);
    }
}

/// The full-size model is not part of the repository's tests; it is checked where it lies.
#[test]
fn the_model_named_by_the_environment_converts_exactly() {
    if let Some(dir) = std::env::var_os("CSANMT_TEST_MODEL") {
        check(Path::new(&dir));
    }
}

#[test]
fn optimizer_state_is_passed_over_and_the_step_is_kept() {
    let dir = support::fixtures_dir().join("f_trained_slots");
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("model.safetensors");
    let report = convert(&dir, &path, &ConvertOptions::default()).unwrap();
    assert!(report.passed_over.iter().any(|name| name == "global_step"));
    assert!(
        report
            .passed_over
            .iter()
            .any(|name| name.ends_with("/Adam_1"))
    );
    let file = support::open(&path);
    assert!(file.tensors().all(|tensor| !tensor.name.contains("Adam")));
    let provenance: serde_json::Value = serde_json::from_str(file.provenance().unwrap()).unwrap();
    assert_eq!(provenance["source"], "f_trained_slots");
    assert_eq!(provenance["checkpoint"], "ckpt-0");
    assert_eq!(provenance["step"], report.step.unwrap());
}

#[test]
fn shards_slots_and_compressed_indexes_change_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let config = support::small_config();
    let mut files = Vec::new();
    for (shards, compression, slots) in [
        (1, Compression::None, false),
        (1, Compression::None, true),
        (3, Compression::None, true),
        (7, Compression::Snappy, true),
    ] {
        let dir = temporary.path().join(format!("{shards}-{slots}"));
        support::write_model(
            &dir,
            &config,
            WriteOptions {
                shards,
                compression,
            },
            slots,
        );
        check(&dir);
        let path = dir.join("model.safetensors");
        let report = convert(&dir, &path, &ConvertOptions::default()).unwrap();
        assert_eq!(report.step, slots.then_some(1234));
        let file = support::open(&path);
        let tensors = file
            .tensors()
            .filter(|tensor| !tensor.name.starts_with("text/"));
        let end = tensors.map(|tensor| tensor.range.end).max().unwrap();
        let start = file.tensors().next().unwrap().range.start;
        files.push(file.file_bytes()[start..end].to_vec());
    }
    assert!(files.iter().all(|file| *file == files[0]));
}

/// Odd sizes: the last panel, the last group of inputs, and I8 tables that end between words.
#[test]
fn odd_sizes_are_padded() {
    let temporary = tempfile::tempdir().unwrap();
    for (hidden, tied) in [(5, true), (7, false)] {
        let mut config = support::small_config();
        config.hidden_size = hidden;
        config.num_heads = 1;
        config.filter_size = 17;
        config.shared_embedding_and_softmax_weights = tied;
        let dir = temporary.path().join(format!("{hidden}"));
        support::write_model(&dir, &config, WriteOptions::default(), false);
        check(&dir);
        let path = dir.join("model.safetensors");
        convert(&dir, &path, &ConvertOptions::default()).unwrap();
        assert!(support::open(&path).has("padding"), "the case is reached");
    }
}

#[test]
fn inspection_adds_up() {
    let dir = support::fixtures_dir().join("a_zh2en");
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("model.safetensors");
    let report = convert(&dir, &path, &ConvertOptions::default()).unwrap();
    let inspection = inspect(&path).unwrap();
    assert_eq!(inspection.problem, None);
    assert_eq!(inspection.parameters, report.parameters);
    assert_eq!(inspection.file_bytes, report.bytes);
    let sum = |of: fn(&csanmt_lab::Total) -> u64| inspection.totals.iter().map(of).sum::<u64>();
    assert_eq!(sum(|total| total.parameters), report.parameters);
    let tensors: u64 = inspection.tensors.iter().map(|tensor| tensor.bytes).sum();
    assert_eq!(sum(|total| total.bytes), tensors);
    let text = inspection.to_string();
    for part in [
        "zh to en, int8",
        "semantic encoder",
        "decoder/layer_0/encdec_attention/q_transform/matrix",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let json = serde_json::to_value(&inspection).unwrap();
    assert_eq!(json["config"]["hidden_size"], 32);
    assert_eq!(
        json["tensors"].as_array().unwrap().len(),
        inspection.tensors.len()
    );
}
