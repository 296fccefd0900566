//! `csanmt convert`: ModelScope directory to model file.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use csanmt_lab::ConvertOptions;

use crate::output;

/// Make a model file from a ModelScope model directory.
///
/// The directory holds configuration.json, the vocabularies, the BPE codes and the TensorFlow
/// checkpoint in tf_ckpts. FILE is replaced only when everything went well.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The directory
    model_dir: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Keep f32 weights instead of quantising them to int8
    #[arg(long)]
    f32: bool,
    /// Licence of the weights, noted in the file
    #[arg(long, value_name = "TEXT")]
    license: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let options = ConvertOptions {
        f32: arguments.f32,
        license: arguments.license.as_deref(),
        ..ConvertOptions::default()
    };
    let report = csanmt_lab::convert(&arguments.model_dir, &arguments.output, &options)?;
    output::print(&format!("{}: {report}\n", arguments.output.display()))?;
    Ok(ExitCode::SUCCESS)
}
