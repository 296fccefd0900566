//! What training commands have in common: options, progress, files.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use csanmt_lab::Quantization;
use csanmt_lab::evaluate::read_pairs;
use csanmt_lab::train::{DevSet, Ending, Event, Pair, Session, TrainOptions, Trainer};
use csanmt_lab::weights::Weights;

use crate::output;

/// How long and how to train.
#[derive(clap::Args)]
pub(crate) struct TrainingArguments {
    /// Sentence pairs that decide when to stop: after every evaluation the best model is written
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,
    /// Stop after so many steps in all
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Stop after so many passes through the corpus
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,
    /// Stop after so many minutes
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Steps between evaluations
    #[arg(long, value_name = "N", default_value_t = 200)]
    evaluate_every: u64,
    /// Stop after so many evaluations in a row that are not the best
    #[arg(long, value_name = "N", default_value_t = 8)]
    patience: u32,
    /// Beam width of the evaluations, as int8 without guards
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u8).range(1..=8))]
    dev_beam: u8,
    /// File that keeps the run; written after each evaluation
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Go on where --state stopped
    #[arg(long, requires = "state")]
    resume: bool,
    /// Highest learning rate
    #[arg(long, value_name = "RATE", default_value_t = TrainOptions::default().learning_rate)]
    learning_rate: f64,
    /// Steps until the highest learning rate
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().warmup)]
    warmup: u64,
    /// Probability that the label shares with all other tokens
    #[arg(long, value_name = "P", default_value_t = TrainOptions::default().smoothing)]
    smoothing: f64,
    /// Largest norm of the gradients, 0 for no limit
    #[arg(long, value_name = "NORM", default_value_t = TrainOptions::default().clip)]
    clip: f64,
    /// Tokens of a batch on the longer side, padding included
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().batch_tokens)]
    batch_tokens: usize,
    /// Semantic vectors drawn for each pair, an even number; 0 for no augmentation
    #[arg(long, value_name = "K")]
    samples: Option<usize>,
    /// Train for int8: linear layers compute with rounded weights and activations
    #[arg(long)]
    quantized: bool,
    /// Share of the old value in the moving average of the weights, 0 for none
    #[arg(long, value_name = "SHARE", default_value_t = TrainOptions::default().average)]
    average: f64,
    /// Keep variables whose names begin so, such as Source_Embedding or encoder/
    #[arg(long, value_name = "NAME")]
    freeze: Vec<String>,
    /// Seed of order and draws
    #[arg(long, value_name = "N", default_value_t = TrainOptions::default().seed)]
    seed: u64,
    /// BPE codes of the target language, where the model file has none
    #[arg(long, value_name = "FILE")]
    target_codes: Option<PathBuf>,
}

impl TrainingArguments {
    /// Opens an f32 model, with the target's merge rules where they were given.
    pub(crate) fn open(&self, model: &Path) -> Result<Weights> {
        open(model, self.target_codes.as_deref())
    }

    /// `samples` is the number of draws when none was asked for.
    pub(crate) fn options(&self, samples: usize) -> TrainOptions {
        TrainOptions {
            learning_rate: self.learning_rate,
            warmup: self.warmup,
            smoothing: self.smoothing,
            clip: self.clip,
            batch_tokens: self.batch_tokens,
            seed: self.seed,
            samples: self.samples.unwrap_or(samples),
            quantized: self.quantized,
            average: self.average,
            frozen: self.freeze.clone(),
            ..TrainOptions::default()
        }
    }

    /// The state file to take up, when there is one to take up.
    pub(crate) fn resumed(&self) -> Option<&Path> {
        self.state.as_deref().filter(|_| self.resume)
    }

    /// Trains and prints progress.
    pub(crate) fn run(&self, trainer: &mut Trainer, pairs: &[Pair], out: &Path) -> Result<()> {
        let dev = match &self.dev {
            None => None,
            Some(file) => {
                let (sources, references) = read_pairs(file)?.into_iter().unzip();
                Some(DevSet {
                    sources,
                    references,
                    quantization: Quantization::Int8,
                    beam: self.dev_beam.into(),
                })
            }
        };
        let unlimited = self.steps.is_none() && self.epochs.is_none() && self.minutes.is_none();
        let session = Session {
            steps: self.steps,
            epochs: self.epochs.or(unlimited.then_some(1)),
            time: self
                .minutes
                .map(|m| Duration::from_secs_f64(60.0 * m.max(0.0))),
            evaluate_every: self.evaluate_every,
            patience: self.patience,
            state: self.state.clone(),
            output: out.to_owned(),
            dev,
        };
        let begin = Instant::now();
        let mut mean = Mean::default();
        let ending = session.run(trainer, pairs, &mut |event| show(event, &mut mean, begin))?;
        let minutes = begin.elapsed().as_secs_f64() / 60.0;
        let why = match ending {
            Ending::Complete => "complete",
            Ending::Patience => "no better for long",
        };
        let (best, _) = trainer.best();
        let best = best.map_or(String::new(), |(chrf, step)| {
            format!(", best chrF2 {chrf:.2} at step {step}")
        });
        output::print(&format!(
            "{}: {} steps, {minutes:.1} min, {why}{best}\n",
            out.display(),
            trainer.steps()
        ))?;
        Ok(())
    }
}

/// Opens an f32 model, with the target's merge rules where they were given.
pub(crate) fn open(model: &Path, target_codes: Option<&Path>) -> Result<Weights> {
    let mut weights = Weights::open(model)?;
    if let Some(codes) = target_codes {
        let text = std::fs::read(codes).with_context(|| codes.display().to_string())?;
        weights.set_target_codes(text);
    }
    Ok(weights)
}

/// Steps between lines of progress.
const LINE_EVERY: u64 = 20;

#[derive(Default)]
struct Mean {
    loss: f64,
    steps: f64,
}

fn show(event: Event, mean: &mut Mean, begin: Instant) {
    let minutes = begin.elapsed().as_secs_f64() / 60.0;
    match event {
        Event::Step {
            report,
            epoch,
            tokens_per_second,
        } => {
            mean.loss += report.loss;
            mean.steps += 1.0;
            if report.step.is_multiple_of(LINE_EVERY) {
                eprintln!(
                    "step {}, epoch {epoch}, loss {:.4}, gradient {:.2}, rate {:.2e}, {tokens_per_second:.0} tokens/s, {minutes:.1} min",
                    report.step,
                    mean.loss / mean.steps,
                    report.norm,
                    report.rate
                );
                *mean = Mean::default();
            }
        }
        Event::Evaluated { step, score, best } => {
            let mark = if best { ", the best so far" } else { "" };
            eprintln!(
                "step {step}: BLEU {:.2}, chrF2 {:.2}{mark}, {minutes:.1} min",
                score.bleu, score.chrf
            );
        }
    }
}
