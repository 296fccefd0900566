//! A model as a ModelScope directory, which the original graph loads.

use std::io;
use std::path::{Path, PathBuf};

use csanmt_format::layout::variables;
use csanmt_format::{SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB};
use serde_json::json;

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
    if config.widths.is_some() {
        return Err(LayoutError::Pruned);
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| LayoutError::Io { path, source }
    };
    std::fs::create_dir_all(dir).map_err(io(dir))?;
    let (source, target) = (&config.src_lang, &config.tgt_lang);
    let codes = [format!("bpe.{source}"), format!("bpe.{target}")];
    let norm = |on: bool| if on { "layer_norm" } else { "none" };
    let json = json!({
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
            "src_vocab": {"file": "src_vocab.txt"},
            "trg_vocab": {"file": "trg_vocab.txt"},
        },
        "preprocessor": {
            "src_lang": source,
            "tgt_lang": target,
            "src_bpe": {"file": codes[0]},
            "tgt_bpe": {"file": codes[1]},
        },
        "evaluation": {
            "beam_size": config.beam_size,
            "lp_rate": config.lp_rate,
            "max_decoded_trg_len": config.max_decoded_trg_len,
        },
    });
    let files = [
        ("src_vocab.txt", weights.text(SRC_VOCAB)),
        ("trg_vocab.txt", weights.text(TRG_VOCAB)),
        (&codes[0], weights.text(SRC_BPE)),
        (&codes[1], weights.text(TRG_BPE)),
    ];
    for (name, text) in files {
        if let Some(text) = text {
            let path = dir.join(name);
            std::fs::write(&path, text).map_err(io(&path))?;
        }
    }
    let path = dir.join("configuration.json");
    std::fs::write(&path, format!("{json:#}\n")).map_err(io(&path))?;
    let options = WriteOptions::default();
    let mut writer = CheckpointWriter::create(&dir.join("tf_ckpts"), "ckpt-0", options)?;
    for variable in variables(config) {
        let name = format!("{SCOPE}{}", variable.name);
        writer.float(&name, &variable.shape, weights.tensor(&variable.name))?;
    }
    if let Some(table) = target_table
        && !config.shared_source_target_embedding
    {
        let name = format!("{SCOPE}Target_Semantic_Embedding/Weights");
        writer.float(&name, &[config.trg_vocab_size, config.hidden_size], table)?;
    }
    writer.finish()?;
    Ok(())
}
