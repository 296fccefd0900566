//! `csanmt shortlist`: an output layer that computes only what a source can become.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use csanmt_lab::Quantization;
use csanmt_lab::evaluate::read_pairs;
use csanmt_lab::shortlist::{ShortlistOptions, add_shortlist};
use csanmt_lab::train::{Limits, pairs_of_texts, teacher_translations};
use csanmt_lab::weights::Packing;

use super::session::open;
use crate::output;

/// Give a model a list of the target tokens that each source token may become.
///
/// The output layer then computes only the candidates of the sentence at hand, which is faster and
/// changes some translations: compare with `csanmt eval --against`. MODEL is an f32 file from
/// `csanmt convert --f32`; FILE is f32 too, and `csanmt quantize` keeps the list. It is learnt from
/// CORPUS, whose lines are a source, a TAB and its translation.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The f32 model file
    model: PathBuf,
    /// Sentence pairs
    corpus: PathBuf,
    /// The f32 model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Most frequent target tokens, which are candidates of every sentence
    #[arg(long, value_name = "N", default_value_t = ShortlistOptions::default().common)]
    common: usize,
    /// Candidates of each source token
    #[arg(long, value_name = "N", default_value_t = ShortlistOptions::default().per_token)]
    per_token: usize,
    /// Learn from the model's own translations of the sources instead of those in CORPUS
    #[arg(long)]
    own: bool,
    /// BPE codes of the target language, where the model file has none
    #[arg(long, value_name = "FILE")]
    target_codes: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut weights = open(&arguments.model, arguments.target_codes.as_deref())?;
    let mut texts = read_pairs(&arguments.corpus)?;
    if arguments.own {
        let sources: Vec<&str> = texts.iter().map(|(source, _)| &source[..]).collect();
        let translations = teacher_translations(&weights.without_shortlist(), &sources, |done| {
            if done.is_multiple_of(6400) {
                eprintln!("{done} of {} sentences are translated", sources.len());
            }
        })?;
        for ((_, reference), translation) in texts.iter_mut().zip(translations) {
            *reference = translation;
        }
    }
    let corpus = pairs_of_texts(&texts, &weights, &Limits::default())?;
    drop(texts);
    let options = ShortlistOptions {
        common: arguments.common,
        per_token: arguments.per_token,
        ..ShortlistOptions::default()
    };
    let coverage = add_shortlist(&mut weights, &corpus.pairs, &options)?;
    let tool = concat!("csanmt ", env!("CARGO_PKG_VERSION"), " shortlist");
    weights.note(
        "shortlist",
        serde_json::json!({
            "tool": tool,
            "pairs": corpus.pairs.len(),
            "own": arguments.own,
            "common": options.common,
            "per_token": options.per_token,
        }),
    );
    weights.save(&arguments.output, &Packing::from(Quantization::F32))?;
    output::print(&format!(
        "{} sentence pairs, {} left out\n\
         {:.0} of {} target tokens are candidates of a sentence, {} of them of every one\n\
         {:.2} % of the tokens and {:.1} % of the sentences of the corpus are within them\n",
        corpus.pairs.len(),
        corpus.left_out,
        coverage.candidates,
        weights.config().trg_vocab_size,
        coverage.common,
        100.0 * coverage.tokens,
        100.0 * coverage.sentences,
    ))?;
    Ok(ExitCode::SUCCESS)
}
