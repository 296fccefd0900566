//! `csanmt bench-table`: what compression costs and gains, in one run.

mod chart;
mod original;
mod row;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use csanmt_lab::Quantization;
use csanmt_lab::bench::{base_config, random_weights};
use csanmt_lab::prune::{Budget, Goal, Importance, prune};
use csanmt_lab::weights::{Packing, Weights};

use original::Original;
pub(crate) use row::Arguments as RowArguments;
use row::Row;
pub(crate) use row::run as run_row;
use table::Table;

use crate::output;

/// Measure model files side by side: size, start, latency, throughput, memory, quality.
///
/// Every model runs in processes of its own, which take turns. Latency and throughput are of
/// made-up sentences whose translations have a fixed length, so that all models do the same work;
/// BLEU and chrF2 are of --dev, without guards. The first model is what the others are compared to.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Models, as NAME=FILE
    #[arg(value_name = "NAME=FILE", required_unless_present = "random")]
    models: Vec<String>,
    /// Instead of files: random weights of 98 million parameters in f32 and int8, whole and with
    /// heads and neurons pruned by 31 % of all weights
    #[arg(long, conflicts_with_all = ["models", "dev"])]
    random: bool,
    /// Sentence pairs for BLEU and chrF2
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,
    /// Turns; every number is the median of them
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u8).range(1..=50))]
    rounds: u8,
    /// Write NAME.md, NAME.json and NAME.svg
    #[arg(short, long, value_name = "NAME")]
    output: Option<PathBuf>,
    #[command(flatten)]
    original: original::Arguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut models = Vec::new();
    for model in &arguments.models {
        let Some((name, file)) = model.split_once('=') else {
            bail!("{model:?}: expected NAME=FILE");
        };
        models.push((name.to_owned(), PathBuf::from(file)));
    }
    let folder = TemporaryFolder::create()?;
    if arguments.random {
        models = random_models(&folder.path)?;
    }
    let mut rows = models
        .into_iter()
        .map(|(name, file)| Row::of_file(name, file))
        .collect::<Result<Vec<_>>>()?;
    if let Some(original) = Original::of(&arguments.original, &folder.path)? {
        rows.push(Row::of_original(original)?);
    }
    let rounds: usize = arguments.rounds.into();
    for round in 0..rounds {
        for row in &mut rows {
            eprintln!("round {} of {rounds}: {}", round + 1, row.name());
            let dev = arguments.dev.as_deref().filter(|_| round == 0);
            row.measure(dev)?;
        }
    }
    let table = Table::of(&rows);
    output::print(&table.markdown())?;
    if let Some(out) = &arguments.output {
        let write = |extension: &str, text: String| {
            let path = out.with_extension(extension);
            std::fs::write(&path, text).with_context(|| path.display().to_string())
        };
        write("md", table.markdown())?;
        write("json", table.json())?;
        write("svg", chart::draw(&table))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// All weights that the published pruning took out.
const PRUNED: f64 = 0.31;

fn random_models(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let weights = random_weights(base_config())?;
    let parameters = weights.parameters();
    let budget = Budget::Share {
        share: PRUNED * parameters.all as f64 / parameters.without_tables as f64,
        goal: Goal::Size,
        semantic: true,
    };
    let pruned = prune(&weights, &Importance::l1(&weights), &budget)?.0;
    let mut models = Vec::new();
    let mut save = |name: &str, weights: &Weights, quantization| -> Result<()> {
        let path = folder.join(format!("{}.safetensors", models.len()));
        weights.save(&path, &Packing::from(quantization))?;
        models.push((name.to_owned(), path));
        Ok(())
    };
    save("f32", &weights, Quantization::F32)?;
    save("int8, tables f32", &weights, Quantization::Int8FloatTables)?;
    save("int8", &weights, Quantization::Int8)?;
    drop(weights);
    save("pruned", &pruned, Quantization::F32)?;
    save("pruned, int8", &pruned, Quantization::Int8)?;
    Ok(models)
}

/// A folder that goes away with its value.
struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    fn create() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("csanmt-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self { path })
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Nothing more can be done about files that cannot be removed.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
