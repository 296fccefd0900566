//! `csanmt inspect`: what a model file holds.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

use crate::output;

/// Print the configuration, tensors, sizes and provenance of a model file.
///
/// The exit status is 1 when the model would not load.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The model file
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let inspection = csanmt_lab::inspect(&arguments.file)?;
    if arguments.json {
        output::print(&(serde_json::to_string_pretty(&inspection)? + "\n"))?;
    } else {
        output::print(&inspection.to_string())?;
    }
    Ok(match inspection.problem {
        None => ExitCode::SUCCESS,
        Some(_) => ExitCode::FAILURE,
    })
}
