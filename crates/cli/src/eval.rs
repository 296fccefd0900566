//! `csanmt eval`: BLEU, chrF and speed over a parallel file.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use csanmt::Options;
use csanmt_lab::evaluate::{Score, read_pairs};

use crate::model::ModelArguments;
use crate::output;
use crate::threads::all_cores;
use crate::translate::Batch;

/// Translate a file of sentence pairs and score the translations.
///
/// FILE has a source, a TAB and a reference on each line. BLEU and chrF2 are corpus scores with
/// the definitions of sacreBLEU.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Sentence pairs, separated by TAB
    file: PathBuf,
    /// Beam width, 1 to 8 [default: the model's own]
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u8).range(1..=Options::MAX_BEAM as i64))]
    beam: Option<u8>,
    /// Exactly the original pipeline, no guards
    #[arg(long)]
    raw: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (sources, references): (Vec<_>, Vec<_>) = read_pairs(&arguments.file)?.into_iter().unzip();
    let mut options = if arguments.raw {
        Options::raw()
    } else {
        Options::default()
    };
    if let Some(beam) = arguments.beam {
        options = options.with_beam(beam.into());
    }
    let source = arguments.model.source()?;
    let batch = Batch::new(source.open()?, options, all_cores());
    let texts: Vec<&str> = sources.iter().map(String::as_str).collect();
    let start = Instant::now();
    let mut hypotheses = Vec::with_capacity(texts.len());
    for texts in texts.chunks(batch.most_texts()) {
        hypotheses.extend(batch.translate(texts)?.into_iter().map(|t| t.text));
    }
    let seconds = start.elapsed().as_secs_f64();
    let Score {
        bleu,
        chrf,
        sentences,
    } = Score::of(&hypotheses, &references).context("nothing to score")?;
    if arguments.json {
        let model = source.to_string();
        let result = serde_json::json!({
            "model": model, "sentences": sentences, "bleu": bleu, "chrf": chrf, "seconds": seconds,
        });
        output::print(&format!("{result}\n"))?;
    } else {
        output::print(&format!(
            "{source}: BLEU {bleu:.2}, chrF2 {chrf:.2}, {sentences} sentences in {seconds:.2} s\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
