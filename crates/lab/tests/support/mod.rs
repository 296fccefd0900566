//! Model directories for tests: the golden fixtures, and generated ones.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub, missing_docs)]

pub mod goldens;
pub mod learned;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use csanmt_format::layout::variables;
use csanmt_format::{AlignedBytes, ModelConfig, ModelFile, Position};
use csanmt_lab::checkpoint::{CheckpointWriter, WriteOptions};

pub fn fixtures_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/fixtures")
}

/// The directories of all golden fixtures.
pub fn fixtures() -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = std::fs::read_dir(fixtures_dir())
        .expect("tests/golden/fixtures")
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("configuration.json").exists())
        .collect();
    dirs.sort();
    assert!(dirs.len() >= 7, "{dirs:?}");
    dirs
}

/// A copy of a fixture that a test may damage.
pub fn copy_fixture(name: &str, to: &Path) -> PathBuf {
    let from = fixtures_dir().join(name);
    let target = to.join(name);
    std::fs::create_dir_all(target.join("tf_ckpts")).unwrap();
    for dir in ["", "tf_ckpts"] {
        for entry in std::fs::read_dir(from.join(dir)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let copy = target.join(dir).join(path.file_name().unwrap());
                std::fs::write(copy, std::fs::read(path).unwrap()).unwrap();
            }
        }
    }
    target
}

/// The f32 model file of a model directory, made in `to`.
pub fn convert_f32(dir: &Path, to: &Path) -> PathBuf {
    let path = to.join("model.safetensors");
    let options = csanmt_lab::ConvertOptions {
        f32: true,
        ..Default::default()
    };
    csanmt_lab::convert(dir, &path, &options).unwrap();
    path
}

pub fn open(path: &Path) -> ModelFile {
    let bytes = std::fs::read(path).unwrap();
    ModelFile::parse(Arc::new(AlignedBytes::from(&bytes[..]))).unwrap()
}

pub fn small_config() -> ModelConfig {
    ModelConfig {
        hidden_size: 8,
        filter_size: 12,
        num_heads: 2,
        num_encoder_layers: 1,
        num_decoder_layers: 1,
        num_semantic_encoder_layers: 1,
        pre_norm: true,
        post_norm: false,
        shared_embedding_and_softmax_weights: true,
        shared_source_target_embedding: false,
        position: Position::Relative,
        max_relative_dis: 3,
        src_vocab_size: 21,
        trg_vocab_size: 19,
        beam_size: 4,
        lp_rate: 0.6,
        max_decoded_trg_len: 20,
        src_lang: "en".into(),
        tgt_lang: "fr".into(),
        widths: None,
    }
}

/// An error as the command prints it: all its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// A named pipe that nobody writes to.
#[cfg(unix)]
pub fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

/// Numbers that look random and are the same everywhere.
pub fn noise(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// Writes a whole model directory with generated weights; with `slots`, also what a trainer adds.
pub fn write_model(dir: &Path, config: &ModelConfig, options: WriteOptions, slots: bool) {
    std::fs::create_dir_all(dir).unwrap();
    let flag = |on: bool| if on { "layer_norm" } else { "none" };
    let json = serde_json::json!({
        "model": {
            "type": "csanmt-translation",
            "hidden_size": config.hidden_size,
            "filter_size": config.filter_size,
            "num_heads": config.num_heads,
            "num_encoder_layers": config.num_encoder_layers,
            "num_decoder_layers": config.num_decoder_layers,
            "num_semantic_encoder_layers": config.num_semantic_encoder_layers,
            "layer_preproc": flag(config.pre_norm),
            "layer_postproc": flag(config.post_norm),
            "shared_embedding_and_softmax_weights": config.shared_embedding_and_softmax_weights,
            "shared_source_target_embedding": config.shared_source_target_embedding,
            "position_info_type": config.position,
            "max_relative_dis": config.max_relative_dis,
            "src_vocab_size": config.src_vocab_size,
            "trg_vocab_size": config.trg_vocab_size,
            "beam_size": config.beam_size,
            "lp_rate": config.lp_rate,
            "max_decoded_trg_len": config.max_decoded_trg_len,
        },
        "dataset": {"src_vocab": {"file": "src.txt"}, "trg_vocab": {"file": "trg.txt"}},
        "preprocessor": {
            "src_lang": config.src_lang,
            "tgt_lang": config.tgt_lang,
            "src_bpe": {"file": "codes"},
        },
    });
    std::fs::write(dir.join("configuration.json"), json.to_string()).unwrap();
    for (name, size) in [
        ("src.txt", config.src_vocab_size),
        ("trg.txt", config.trg_vocab_size),
    ] {
        let lines: String = (1..size).map(|i| format!("token{i}\n")).collect();
        std::fs::write(dir.join(name), lines).unwrap();
    }
    std::fs::write(dir.join("codes"), "#version: 0.2\na b</w>\n").unwrap();

    let mut writer = CheckpointWriter::create(&dir.join("tf_ckpts"), "ckpt-9", options).unwrap();
    for (seed, variable) in variables(config).iter().enumerate() {
        let name = format!("NmtModel/{}", variable.name);
        let len = variable.parameters() as usize;
        writer
            .float(&name, &variable.shape, &noise(seed as u64, len))
            .unwrap();
        if slots {
            for slot in ["Adam", "Adam_1"] {
                let name = format!("NmtModel/{name}/{slot}");
                writer
                    .float(&name, &variable.shape, &vec![9e9; len])
                    .unwrap();
            }
        }
    }
    if slots {
        writer.float("NmtModel/beta1_power", &[], &[0.9]).unwrap();
        writer.float("NmtModel/beta2_power", &[], &[0.98]).unwrap();
        writer.scalar("global_step", 1234).unwrap();
    }
    writer.finish().unwrap();
}
