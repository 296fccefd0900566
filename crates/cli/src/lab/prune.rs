//! `csanmt prune`: a smaller model of the parts that matter most.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use csanmt_lab::Quantization;
use csanmt_lab::evaluate::{Score, read_pairs};
use csanmt_lab::prune::{Budget, Goal, Importance, keep_layers, prune, taylor, trim_vocabularies};
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::train::{Corpus, DevSet, Limits, Pair, Random};
use csanmt_lab::weights::{Packing, Weights};

use super::session::open;
use crate::output;

/// Take the least important heads, neurons, layers and tokens out of a model.
///
/// MODEL is an f32 file from `csanmt convert --f32`; FILE is a smaller dense model, f32 too, that
/// the engine runs as it is, `csanmt finetune` repairs and `csanmt quantize` makes int8. Importance
/// is the first-order change of the loss on sentences of --sample, or, without a sample, the
/// magnitude of the weights.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The f32 model file
    model: PathBuf,
    /// The f32 model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Share of the weights outside the tables to take out, wherever least is lost: 0.3 is 30 %
    #[arg(long, value_name = "SHARE", conflicts_with_all = ["heads", "filter"])]
    share: Option<f64>,
    /// What is to be gained by --share: size or speed
    #[arg(long = "for", value_name = "GOAL", default_value = "size", value_parser = ["size", "speed"])]
    goal: String,
    /// Heads to keep in every attention layer
    #[arg(long, value_name = "N")]
    heads: Option<usize>,
    /// Neurons to keep in every feed-forward layer
    #[arg(long, value_name = "N")]
    filter: Option<usize>,
    /// Layers of the encoder to keep
    #[arg(long, value_name = "N")]
    encoder_layers: Option<usize>,
    /// Layers of the decoder to keep
    #[arg(long, value_name = "N")]
    decoder_layers: Option<usize>,
    /// Prune the semantic encoder too: training will not repair it
    #[arg(long)]
    semantic: bool,
    /// Keep only tokens that these sentence pairs use, and single characters
    #[arg(long, value_name = "FILE")]
    vocabulary: Option<PathBuf>,
    /// How often --vocabulary must use a token
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_count: usize,
    /// Sentence pairs that importance is measured on
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
    /// How many of them, chosen at random
    #[arg(long, value_name = "N", default_value_t = 1024)]
    sentences: usize,
    /// BPE codes of the target language, where the model file has none
    #[arg(long, value_name = "FILE")]
    target_codes: Option<PathBuf>,
    /// Sentence pairs to score the model on before and after, in f32 without guards
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Sentences whose gradients are added up before their effect is taken.
const TOGETHER: usize = 4;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let original = open(&arguments.model, arguments.target_codes.as_deref())?;
    let limits = Limits::default();
    let mut weights = original.clone();
    let mut vocabulary = None;
    if let Some(file) = &arguments.vocabulary {
        let corpus = Corpus::read(file, &weights, &limits)?;
        let pairs = corpus.pairs.iter();
        let pairs = pairs.map(|pair| (&pair.source[..], &pair.target[..]));
        let (trimmed, report) = trim_vocabularies(&weights, pairs, arguments.min_count)?;
        weights = trimmed;
        vocabulary = Some(report);
    }
    let rate = |weights: &Weights| -> Result<Importance> {
        let Some(sample) = &arguments.sample else {
            return Ok(Importance::l1(weights));
        };
        let mut pairs = Corpus::read(sample, weights, &limits)?.pairs;
        Random::new(1234, 0, 0).shuffle(&mut pairs);
        pairs.truncate(arguments.sentences.max(1));
        // Of similar length, so that little is padded.
        pairs.sort_by_key(|pair| pair.target.len());
        let batches: Vec<Vec<Pair>> = pairs.chunks(TOGETHER).map(<[Pair]>::to_vec).collect();
        let model = ReferenceModel::from_weights(weights)?;
        let all = batches.len();
        Ok(taylor(&model, &batches, |done| {
            if done.is_multiple_of(64) || done == all {
                eprintln!("importance: batch {done} of {all}");
            }
        })?)
    };
    let (encoder, decoder) = (arguments.encoder_layers, arguments.decoder_layers);
    if encoder.is_some() || decoder.is_some() {
        weights = keep_layers(&weights, &rate(&weights)?, encoder, decoder)?;
    }
    let budget = match (arguments.share, arguments.heads, arguments.filter) {
        (Some(share), ..) => Some(Budget::Share {
            share,
            goal: if arguments.goal == "speed" {
                Goal::Speed
            } else {
                Goal::Size
            },
            semantic: arguments.semantic,
        }),
        (None, None, None) => None,
        (None, heads, filter) => Some(Budget::Uniform {
            heads,
            filter,
            semantic: arguments.semantic,
        }),
    };
    if let Some(budget) = &budget {
        weights = prune(&weights, &rate(&weights)?, budget)?.0;
    } else if encoder.is_none() && decoder.is_none() && vocabulary.is_none() {
        bail!(
            "nothing to take out: give --share, --heads, --filter, --encoder-layers, --decoder-layers or --vocabulary"
        );
    }
    let (before, after) = (original.parameters(), weights.parameters());
    let tool = concat!("csanmt ", env!("CARGO_PKG_VERSION"), " prune");
    weights.note(
        "pruned",
        serde_json::json!({ "tool": tool, "before": before, "after": after }),
    );
    let bytes = weights.save(&arguments.output, &Packing::from(Quantization::F32))?;
    let scores = match &arguments.eval {
        None => None,
        Some(file) => {
            let (sources, references) = read_pairs(file)?.into_iter().unzip();
            let dev = DevSet {
                sources,
                references,
                quantization: Quantization::F32,
                beam: original.config().beam_size,
            };
            Some((dev.score(&original)?, dev.score(&weights)?))
        }
    };
    let report = csanmt_lab::prune::PruneReport {
        before,
        after,
        widths: weights.config().all_widths(),
    };
    if arguments.json {
        let score = |s: Score| serde_json::json!({ "bleu": s.bleu, "chrf": s.chrf });
        let scores = scores.map(|(before, after)| [score(before), score(after)]);
        let result = serde_json::json!({
            "report": report, "vocabulary": vocabulary, "bytes": bytes, "scores": scores,
        });
        output::print(&format!("{result}\n"))?;
    } else {
        let mut text = format!("{}: {bytes} bytes\n{report}", arguments.output.display());
        if let Some(report) = vocabulary {
            text.push_str(&format!(
                "vocabularies: source {} of {}, target {} of {}\n",
                report.source.1, report.source.0, report.target.1, report.target.0
            ));
        }
        if let Some((before, after)) = scores {
            text.push_str(&format!(
                "before: BLEU {:.2}, chrF2 {:.2}\nafter: BLEU {:.2}, chrF2 {:.2}\n",
                before.bleu, before.chrf, after.bleu, after.chrf
            ));
        }
        output::print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}
