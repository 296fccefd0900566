//! `csanmt train`: a model from sentence pairs alone.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use csanmt_lab::evaluate::read_pairs;
use csanmt_lab::layout::write_layout;
use csanmt_lab::recipe::{Recipe, start};
use csanmt_lab::train::{
    ContrastOptions, Corpus, Limits, Trainer, pairs_of_texts, train_semantic_encoder,
};
use csanmt_lab::weights::Weights;
use csanmt_lab::{ModelConfig, Position};

use super::session::TrainingArguments;

/// Train a new model from sentence pairs.
///
/// Learns BPE codes and vocabularies from CORPUS, trains the semantic encoder so that a sentence
/// and its translation are near each other, and then the translator. FILE gets the best model in
/// f32, --layout a ModelScope directory that the original graph loads.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Sentence pairs: a source, a TAB and its translation on each line
    corpus: PathBuf,
    /// The f32 model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Also write a ModelScope directory
    #[arg(long, value_name = "DIR")]
    layout: Option<PathBuf>,
    /// Source language
    #[arg(long, value_name = "CODE", default_value = "zh")]
    source: String,
    /// Target language
    #[arg(long, value_name = "CODE", default_value = "en")]
    target: String,
    /// Width of the residual stream
    #[arg(long, value_name = "N", default_value_t = 128)]
    hidden: usize,
    /// Neurons of feed-forward layers
    #[arg(long, value_name = "N", default_value_t = 512)]
    filter: usize,
    /// Attention heads
    #[arg(long, value_name = "N", default_value_t = 4)]
    heads: usize,
    /// Layers of the encoder
    #[arg(long, value_name = "N", default_value_t = 3)]
    encoder_layers: usize,
    /// Layers of the decoder
    #[arg(long, value_name = "N", default_value_t = 2)]
    decoder_layers: usize,
    /// Layers of the semantic encoder
    #[arg(long, value_name = "N", default_value_t = 1)]
    semantic_layers: usize,
    /// Most merge rules of each language
    #[arg(long, value_name = "N", default_value_t = 8000)]
    merges: usize,
    /// Most tokens of each language
    #[arg(long, value_name = "N", default_value_t = 12_000)]
    vocabulary: usize,
    /// One vocabulary and one embedding for both languages
    #[arg(long)]
    shared: bool,
    /// Relative positions
    #[arg(long)]
    relative: bool,
    /// Steps of the semantic encoder
    #[arg(long, value_name = "N", default_value_t = 1000)]
    semantic_steps: u64,
    #[command(flatten)]
    training: TrainingArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let training = &arguments.training;
    let texts = read_pairs(&arguments.corpus)?;
    let options = training.options(2);
    let recipe = Recipe {
        config: config(arguments),
        merges: arguments.merges,
        seed: options.seed,
    };
    let mut weights = start(&texts, &recipe)?;
    let parameters = weights.parameters();
    eprintln!(
        "{} and {} tokens, {} parameters, {} outside the tables",
        weights.config().src_vocab_size,
        weights.config().trg_vocab_size,
        parameters.all,
        parameters.without_tables
    );
    let tool = concat!("csanmt ", env!("CARGO_PKG_VERSION"), " train");
    weights.note("trained", serde_json::json!({ "tool": tool }));
    let Corpus { pairs, left_out } = pairs_of_texts(&texts, &weights, &Limits::default())?;
    eprintln!("{} sentence pairs, {left_out} left out", pairs.len());
    let contrast = ContrastOptions {
        steps: arguments.semantic_steps,
        seed: options.seed,
        ..ContrastOptions::default()
    };
    let report = |step: u64, loss: f64, right: f64| {
        if step.is_multiple_of(50) {
            let right = 100.0 * right;
            eprintln!("semantic encoder: step {step}, loss {loss:.3}, {right:.0} % found");
        }
    };
    // The same seed gives the same semantic encoder, so a resumed run trains it again.
    let (weights, table) = train_semantic_encoder(&weights, &pairs, &contrast, report)?;
    let table_values: Vec<f32> = table.flatten_all()?.to_vec1()?;
    let mut trainer = match training.resumed() {
        Some(state) => Trainer::resume(state, &weights, &pairs, None)?,
        None => Trainer::new(&weights, &pairs, options, Some(table), None)?,
    };
    training.run(&mut trainer, &pairs, &arguments.output)?;
    if let Some(dir) = &arguments.layout {
        write_layout(&Weights::open(&arguments.output)?, dir, Some(&table_values))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn config(arguments: &Arguments) -> ModelConfig {
    ModelConfig {
        hidden_size: arguments.hidden,
        filter_size: arguments.filter,
        num_heads: arguments.heads,
        num_encoder_layers: arguments.encoder_layers,
        num_decoder_layers: arguments.decoder_layers,
        num_semantic_encoder_layers: arguments.semantic_layers,
        pre_norm: true,
        post_norm: false,
        shared_embedding_and_softmax_weights: true,
        shared_source_target_embedding: arguments.shared,
        position: if arguments.relative {
            Position::Relative
        } else {
            Position::Absolute
        },
        max_relative_dis: 16,
        src_vocab_size: arguments.vocabulary,
        trg_vocab_size: arguments.vocabulary,
        beam_size: 4,
        lp_rate: 0.6,
        max_decoded_trg_len: 100,
        src_lang: arguments.source.clone(),
        tgt_lang: arguments.target.clone(),
        widths: None,
    }
}
