//! `csanmt eval`: BLEU, chrF and speed over a parallel file.

mod guards;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use csanmt::{Guard, Options, Work};
use csanmt_lab::evaluate::{Score, read_pairs};
use csanmt_lab::metrics::{Interval, Sampled, compare, length_ratio, sampled};

use crate::model::{ModelArguments, open_file};
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
    /// Another model to compare with: how many translations are the same, and the differences
    #[arg(long, value_name = "FILE", conflicts_with = "guards")]
    against: Option<PathBuf>,
    /// Samples for confidence intervals of 95 %, 0 for none
    #[arg(long, value_name = "N", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(0..=100_000))]
    bootstrap: u32,
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
        hypotheses,
    } = pairs.evaluate(&batch)?;
    let rounds = arguments.bootstrap as usize;
    let confidence = match rounds {
        0 => None,
        _ => Some(sampled(&hypotheses, &pairs.references, rounds, SEED)?),
    };
    let ratio = length_ratio(&hypotheses, &pairs.references)?;
    let comparison = match &arguments.against {
        None => None,
        Some(file) => {
            let other = Batch::new(open_file(file)?, options, all_cores());
            let other = pairs.evaluate(&other)?.hypotheses;
            let rounds = rounds.max(1);
            Some(compare(
                &hypotheses,
                &other,
                &pairs.references,
                rounds,
                SEED,
            )?)
        }
    };
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
            "length_ratio": ratio, "confidence": confidence, "comparison": comparison,
        });
        output::print(&format!("{result}\n"))?;
    } else {
        let mut text = format!(
            "{source}: BLEU {bleu:.2}, chrF2 {chrf:.2}, {sentences} sentences in {seconds:.2} s, length ratio {ratio:.3}\n"
        );
        if let Some(Sampled { bleu, chrf }) = confidence {
            let (bleu, chrf) = (range(bleu), range(chrf));
            text.push_str(&format!("95 % confidence: BLEU {bleu}, chrF2 {chrf}\n"));
        }
        if let (Some(found), Some(file)) = (comparison, &arguments.against) {
            let (bleu, chrf) = (range(found.bleu), range(found.chrf));
            text.push_str(&format!(
                "against {}: {} of {sentences} translations are the same; difference in BLEU {bleu}, in chrF2 {chrf}\n",
                file.display(),
                found.equal
            ));
        }
        output::print(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Of the samples: the same file gives the same intervals.
const SEED: u64 = 1234;

fn range(interval: Interval) -> String {
    format!("{:.2} to {:.2}", interval.low, interval.high)
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
    hypotheses: Vec<String>,
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
            hypotheses,
        })
    }
}
