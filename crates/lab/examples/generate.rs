//! A ModelScope directory with generated weights, to see how a size performs: `generate DIR
//! ENCODER_LAYERS DECODER_LAYERS HIDDEN FILTER HEADS VOCABULARY`. It translates into nonsense.
//!
//! Layout and names are those of the released models: Chinese to English, one vocabulary, four
//! layers in the semantic encoder. One variable is in memory at a time.

use std::error::Error;
use std::path::Path;

use csanmt_format::layout::{Role, Variable, variables};
use csanmt_format::{ModelConfig, Position};
use csanmt_lab::checkpoint::{CheckpointWriter, WriteOptions};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((dir, sizes)) = arguments.split_first() else {
        return Err(
            "usage: generate DIR ENCODER_LAYERS DECODER_LAYERS HIDDEN FILTER HEADS VOCABULARY"
                .into(),
        );
    };
    let sizes: Vec<usize> = sizes
        .iter()
        .map(|size| size.parse())
        .collect::<Result<_, _>>()?;
    let &[encoder, decoder, hidden, filter, heads, vocabulary] = &sizes[..] else {
        return Err(format!("six sizes are needed, not {}", sizes.len()).into());
    };
    let config = ModelConfig {
        hidden_size: hidden,
        filter_size: filter,
        num_heads: heads,
        num_encoder_layers: encoder,
        num_decoder_layers: decoder,
        num_semantic_encoder_layers: 4,
        pre_norm: true,
        post_norm: false,
        shared_embedding_and_softmax_weights: true,
        shared_source_target_embedding: true,
        position: Position::Absolute,
        max_relative_dis: 16,
        src_vocab_size: vocabulary,
        trg_vocab_size: vocabulary,
        beam_size: 4,
        lp_rate: 0.6,
        max_decoded_trg_len: 100,
        src_lang: "zh".to_owned(),
        tgt_lang: "en".to_owned(),
        widths: None,
    };
    config.validate()?;
    let dir = Path::new(dir);
    std::fs::create_dir_all(dir)?;
    write_texts(dir, &config)?;
    write_weights(&dir.join("tf_ckpts"), &config)
}

fn write_texts(dir: &Path, config: &ModelConfig) -> std::io::Result<()> {
    let configuration = json!({
        "model": {
            "type": "csanmt-translation",
            "hidden_size": config.hidden_size,
            "filter_size": config.filter_size,
            "num_heads": config.num_heads,
            "num_encoder_layers": config.num_encoder_layers,
            "num_decoder_layers": config.num_decoder_layers,
            "num_semantic_encoder_layers": config.num_semantic_encoder_layers,
            "attention_dropout": 0.0,
            "residual_dropout": 0.0,
            "relu_dropout": 0.0,
            "layer_preproc": "layer_norm",
            "layer_postproc": "none",
            "shared_embedding_and_softmax_weights": true,
            "shared_source_target_embedding": true,
            "initializer_scale": 0.1,
            "position_info_type": config.position,
            "max_relative_dis": config.max_relative_dis,
            "src_vocab_size": config.src_vocab_size,
            "trg_vocab_size": config.trg_vocab_size,
            "beam_size": config.beam_size,
            "lp_rate": config.lp_rate,
            "max_decoded_trg_len": config.max_decoded_trg_len,
        },
        "dataset": {
            "src_vocab": {"file": "src_vocab.txt"},
            "trg_vocab": {"file": "trg_vocab.txt"},
        },
        "preprocessor": {
            "src_lang": config.src_lang,
            "tgt_lang": config.tgt_lang,
            "src_bpe": {"file": "bpe.zh"},
            "tgt_bpe": {"file": "bpe.en"},
        },
    });
    std::fs::write(dir.join("configuration.json"), configuration.to_string())?;
    let tokens = (1..config.src_vocab_size - 1).map(|token| format!("token{token}\n"));
    let vocabulary: String = std::iter::once("</s>\n".to_owned()).chain(tokens).collect();
    for name in ["src_vocab.txt", "trg_vocab.txt"] {
        std::fs::write(dir.join(name), &vocabulary)?;
    }
    for name in ["bpe.zh", "bpe.en"] {
        std::fs::write(dir.join(name), "#version: 0.2\nt o\nto k\n")?;
    }
    Ok(())
}

fn write_weights(dir: &Path, config: &ModelConfig) -> Result<(), Box<dyn Error>> {
    let mut writer = CheckpointWriter::create(dir, "ckpt-0", WriteOptions::default())?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut values = Vec::new();
    for variable in variables(config) {
        let (center, width) = spread(&variable, config.hidden_size);
        values.clear();
        let count = usize::try_from(variable.parameters())?;
        values.extend((0..count).map(|_| center + width * random.next()));
        let name = format!("NmtModel/{}", variable.name);
        writer.float(&name, &variable.shape, &values)?;
    }
    writer.finish()?;
    Ok(())
}

/// Middle and half width of a variable's values: every part of the graph matters, no layer
/// makes its input larger.
fn spread(variable: &Variable, hidden: usize) -> (f32, f32) {
    let unit = |inputs: usize| (3.0 / inputs as f32).sqrt();
    match variable.role {
        Role::Linear => (0.0, 0.8 * unit(variable.shape[0])),
        Role::OutputTable | Role::RowTable => (0.0, unit(hidden)),
        Role::Norm if variable.name.ends_with("scale") => (1.0, 0.4),
        Role::Norm | Role::Bias => (0.0, 0.3),
        Role::RelativeTable => (0.0, 1.0),
    }
}

/// xorshift64: numbers in −1..1, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }
}
