//! `csanmt finetune`: go on training a model on sentence pairs.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use csanmt_lab::reference::ReferenceModel;
use csanmt_lab::train::{Corpus, Limits, Trainer, fit_target_table};

use super::session::TrainingArguments;

/// Train a model further on sentence pairs.
///
/// MODEL is an f32 file from `csanmt convert --f32` or `csanmt prune`, CORPUS has a source, a TAB
/// and its translation on each line. Adam with warm-up, label smoothing and gradient clipping;
/// semantic vectors are drawn between source and target (continuous semantic augmentation) while
/// the semantic encoder stays as it is. FILE gets the best model by chrF2 on the development set,
/// in f32. With the same seed, a run that was interrupted and resumed gives the same bits.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The f32 model file
    model: PathBuf,
    /// Sentence pairs
    corpus: PathBuf,
    /// The f32 model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Steps that fit a semantic embedding of the target, where the model has none of its own
    #[arg(long, value_name = "N", default_value_t = 400)]
    table_steps: u64,
    #[command(flatten)]
    training: TrainingArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let training = &arguments.training;
    let weights = training.open(&arguments.model)?;
    let Corpus { pairs, left_out } = Corpus::read(&arguments.corpus, &weights, &Limits::default())?;
    eprintln!("{} sentence pairs, {left_out} left out", pairs.len());
    let mut trainer = match training.resumed() {
        Some(state) => Trainer::resume(state, &weights, &pairs, None)?,
        None => {
            let options = training.options(2);
            let reference = ReferenceModel::from_weights(&weights)?;
            let shared = reference.shared_semantic_table().is_some();
            let table = if options.samples == 0 || shared {
                None
            } else {
                if arguments.table_steps == 0 {
                    bail!(
                        "the model has no semantic embedding of the target: give --table-steps or --samples 0"
                    );
                }
                let seed = options.seed;
                let steps = arguments.table_steps;
                let report = |step: u64, share: f64| {
                    if step.is_multiple_of(50) {
                        eprintln!("target table: step {step}, {share:.3} of the variance");
                    }
                };
                let (table, share) = fit_target_table(&reference, &pairs, steps, seed, report)?;
                eprintln!(
                    "a semantic embedding of the target leaves {:.1} % of the variance",
                    100.0 * share
                );
                Some(table)
            };
            Trainer::new(&weights, &pairs, options, table, None)?
        }
    };
    training.run(&mut trainer, &pairs, &arguments.output)?;
    Ok(ExitCode::SUCCESS)
}
