//! A model as a ModelScope directory, which the original graph loads.

use std::io;
use std::path::{Path, PathBuf};

use csanmt_format::layout::{Variable, variables};
use csanmt_format::{ModelConfig, SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB};
use serde_json::{Value, json};

use crate::checkpoint::{CheckpointError, CheckpointWriter, WriteOptions};
use crate::convert::SCOPE;
use crate::weights::Weights;

/// Why a directory cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Layers have widths of their own, which the original graph does not know.
    #[error("the model is pruned; the ModelScope layout has one width for all layers")]
    Pruned,
    /// A file cannot be written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The checkpoint cannot be written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// A variable that training reads and translation does not: name without scope, shape, values.
type Extra<'v> = (&'static str, [usize; 2], &'v [f32]);

/// Writes `configuration.json`, vocabularies, merge rules and `tf_ckpts/` into `dir`, and the
/// semantic embedding of the target where it is given: training reads it, translation does not.
///
/// # Errors
/// When the model is pruned or a file cannot be written.
pub fn write_layout(
    weights: &Weights,
    dir: &Path,
    target_table: Option<&[f32]>,
) -> Result<(), LayoutError> {
    let config = weights.config();
    let shape = [config.trg_vocab_size, config.hidden_size];
    let extra = target_table
        .filter(|_| !config.shared_source_target_embedding)
        .map(|table| ("Target_Semantic_Embedding/Weights", shape, table));
    let mut values = |variable: &Variable, out: &mut Vec<f32>| {
        out.extend_from_slice(weights.tensor(&variable.name));
    };
    write(config, dir, &|name| weights.text(name), &mut values, extra)
}

/// The same for a model of which one variable at a time is in memory: `values` appends those of a
/// variable to an empty list. `text` gives vocabularies and merge rules by their names in model
/// files.
///
/// # Errors
/// When the configuration has widths of its own or a file cannot be written.
pub fn write_layout_of<'t>(
    config: &ModelConfig,
    dir: &Path,
    text: &dyn Fn(&str) -> Option<&'t [u8]>,
    values: &mut dyn FnMut(&Variable, &mut Vec<f32>),
) -> Result<(), LayoutError> {
    write(config, dir, text, values, None)
}

fn write<'t>(
    config: &ModelConfig,
    dir: &Path,
    text: &dyn Fn(&str) -> Option<&'t [u8]>,
    values: &mut dyn FnMut(&Variable, &mut Vec<f32>),
    extra: Option<Extra<'_>>,
) -> Result<(), LayoutError> {
    if config.widths.is_some() {
        return Err(LayoutError::Pruned);
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| LayoutError::Io { path, source }
    };
    std::fs::create_dir_all(dir).map_err(io(dir))?;
    let names = FileNames::of(config);
    let files = [
        (names.source_vocabulary, text(SRC_VOCAB)),
        (names.target_vocabulary, text(TRG_VOCAB)),
        (&names.source_codes, text(SRC_BPE)),
        (&names.target_codes, text(TRG_BPE)),
    ];
    for (name, text) in files {
        if let Some(text) = text {
            let path = dir.join(name);
            std::fs::write(&path, text).map_err(io(&path))?;
        }
    }
    let path = dir.join("configuration.json");
    let json = configuration(config, &names);
    std::fs::write(&path, format!("{json:#}\n")).map_err(io(&path))?;
    let options = WriteOptions::default();
    let mut writer = CheckpointWriter::create(&dir.join("tf_ckpts"), "ckpt-0", options)?;
    let mut buffer = Vec::new();
    for variable in variables(config) {
        buffer.clear();
        values(&variable, &mut buffer);
        let name = format!("{SCOPE}{}", variable.name);
        writer.float(&name, &variable.shape, &buffer)?;
    }
    if let Some((name, shape, values)) = extra {
        writer.float(&format!("{SCOPE}{name}"), &shape, values)?;
    }
    writer.finish()?;
    Ok(())
}

struct FileNames {
    source_vocabulary: &'static str,
    target_vocabulary: &'static str,
    source_codes: String,
    target_codes: String,
}

impl FileNames {
    fn of(config: &ModelConfig) -> Self {
        Self {
            source_vocabulary: "src_vocab.txt",
            target_vocabulary: "trg_vocab.txt",
            source_codes: format!("bpe.{}", config.src_lang),
            target_codes: format!("bpe.{}", config.tgt_lang),
        }
    }
}

/// `configuration.json`. The original pipeline takes beam, length penalty and limit from `model`,
/// the original trainer from `evaluation`.
fn configuration(config: &ModelConfig, names: &FileNames) -> Value {
    let norm = |on: bool| if on { "layer_norm" } else { "none" };
    json!({
        "framework": "tensorflow",
        "task": "translation",
        "pipeline": {"type": "csanmt-translation"},
        "model": {
            "type": "csanmt-translation",
            "hidden_size": config.hidden_size,
            "filter_size": config.filter_size,
            "num_heads": config.num_heads,
            "num_encoder_layers": config.num_encoder_layers,
            "num_decoder_layers": config.num_decoder_layers,
            "attention_dropout": 0.0,
            "residual_dropout": 0.0,
            "relu_dropout": 0.0,
            "layer_preproc": norm(config.pre_norm),
            "layer_postproc": norm(config.post_norm),
            "shared_embedding_and_softmax_weights": config.shared_embedding_and_softmax_weights,
            "shared_source_target_embedding": config.shared_source_target_embedding,
            "initializer_scale": 0.1,
            "position_info_type": config.position,
            "max_relative_dis": config.max_relative_dis,
            "num_semantic_encoder_layers": config.num_semantic_encoder_layers,
            "src_vocab_size": config.src_vocab_size,
            "trg_vocab_size": config.trg_vocab_size,
            "seed": 1234,
            "beam_size": config.beam_size,
            "lp_rate": config.lp_rate,
            "max_decoded_trg_len": config.max_decoded_trg_len,
        },
        "dataset": {
            "src_vocab": {"file": names.source_vocabulary},
            "trg_vocab": {"file": names.target_vocabulary},
        },
        "preprocessor": {
            "src_lang": config.src_lang,
            "tgt_lang": config.tgt_lang,
            "src_bpe": {"file": names.source_codes},
            "tgt_bpe": {"file": names.target_codes},
        },
        "evaluation": {
            "beam_size": config.beam_size,
            "lp_rate": config.lp_rate,
            "max_decoded_trg_len": config.max_decoded_trg_len,
        },
    })
}
