//! `csanmt eval`: BLEU, chrF and speed over a parallel file.

mod guards;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use csanmt::{Guard, Options, Work};
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
    /// Leave out a guard: length, unknown, signs, lost, loops, stutters, untranslated or wording
    #[arg(long, value_name = "GUARD", conflicts_with = "raw")]
    without: Vec<Guard>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Evaluate with all guards, without each of them and without any, and print a table in Markdown
    #[arg(long, conflicts_with_all = ["raw", "json", "without"])]
    guards: bool,
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
    for &guard in &arguments.without {
        options.guards = options.guards.without(guard);
    }
    let source = arguments.model.source()?;
    let pairs = Pairs {
        sources,
        references,
    };
    let batch = Batch::new(source.open()?, options.clone(), all_cores());
    if arguments.guards {
        return guards::print_table(&batch, &pairs, &options);
    }
    let Run {
        score,
        work,
        seconds,
    } = pairs.evaluate(&batch)?;
    let Score {
        bleu,
        chrf,
        sentences,
    } = score;
    if arguments.json {
        let model = source.to_string();
        let result = serde_json::json!({
            "model": model, "sentences": sentences, "bleu": bleu, "chrf": chrf, "seconds": seconds,
            "tokens": work.tokens, "repeated_tokens": work.repeated_tokens,
        });
        output::print(&format!("{result}\n"))?;
    } else {
        output::print(&format!(
            "{source}: BLEU {bleu:.2}, chrF2 {chrf:.2}, {sentences} sentences in {seconds:.2} s\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Sentences and their references.
struct Pairs {
    sources: Vec<String>,
    references: Vec<String>,
}

/// The evaluation of one way to translate.
struct Run {
    score: Score,
    work: Work,
    seconds: f64,
}

impl Pairs {
    fn evaluate(&self, batch: &Batch) -> Result<Run> {
        let texts: Vec<&str> = self.sources.iter().map(String::as_str).collect();
        let start = Instant::now();
        let mut hypotheses = Vec::with_capacity(texts.len());
        let mut work = Work::default();
        for texts in texts.chunks(batch.most_texts()) {
            for translation in batch.translate(texts)? {
                translation.sentences.iter().for_each(|s| work += &s.work);
                hypotheses.push(translation.text);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Run {
            score: Score::of(&hypotheses, &self.references).context("nothing to score")?,
            work,
            seconds,
        })
    }
}
