//! The original TensorFlow graph, measured in the same way where Python has it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use csanmt_lab::bench::{BATCH, BATCH_LENGTH, LENGTHS};
use serde::Deserialize;
use serde_json::{Value, json};

use super::row::{Measured, ROUNDS, answer};

/// Runs the sources of the modelscope wheel, unchanged.
const SCRIPT: &str = include_str!("../../../../../tests/peers/original_pipeline.py");

/// How often each length, and the batch, is translated for one number: less often than by us, as
/// it takes longer.
const REPEATS: [usize; LENGTHS.len() + 1] = [4, 2, 1, 1];

/// What the table says of the original.
#[derive(clap::Args)]
// The default name of the group is taken by the command itself.
#[group(id = "original-graph")]
pub(crate) struct Arguments {
    /// Also measure the original TensorFlow graph on this ModelScope directory
    #[arg(
        long,
        value_name = "MODEL_DIR",
        requires = "modelscope",
        conflicts_with = "random"
    )]
    original: Option<PathBuf>,
    /// The unpacked modelscope wheel, whose sources are the original
    #[arg(long, value_name = "DIR")]
    modelscope: Option<PathBuf>,
    /// A Python that has tensorflow, jieba, sacremoses and subword-nmt
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
}

/// The original on a ModelScope directory.
pub(super) struct Original {
    python: PathBuf,
    script: PathBuf,
    model: PathBuf,
    modelscope: PathBuf,
    /// What goes to the script's standard input.
    input: PathBuf,
}

#[derive(Deserialize)]
struct First {
    parameters: u64,
}

impl Original {
    /// The original where it was asked for; `folder` gets its script.
    pub(super) fn of(arguments: &Arguments, folder: &Path) -> Result<Option<Self>> {
        let (Some(model), Some(modelscope)) = (&arguments.original, &arguments.modelscope) else {
            return Ok(None);
        };
        let script = folder.join("original_pipeline.py");
        std::fs::write(&script, SCRIPT).with_context(|| script.display().to_string())?;
        Ok(Some(Self {
            python: arguments.python.clone(),
            script,
            model: model.clone(),
            modelscope: modelscope.clone(),
            input: folder.join("job.json"),
        }))
    }

    /// Length of the checkpoint, all its files together.
    pub(super) fn checkpoint_bytes(&self) -> Result<u64> {
        let folder = self.model.join("tf_ckpts");
        let mut bytes = 0;
        let entries = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with("ckpt-0.") {
                bytes += entry.metadata()?.len();
            }
        }
        Ok(bytes)
    }

    /// Loads the checkpoint, translates two tokens and tells how many weights there are.
    pub(super) fn parameters(&self) -> Result<u64> {
        let First { parameters } = serde_json::from_str(&self.job("first", &Value::Null)?)?;
        Ok(parameters)
    }

    pub(super) fn measured(&self) -> Result<Measured> {
        let job = json!({
            "lengths": LENGTHS,
            "repeats": REPEATS,
            "batch": BATCH,
            "batch_length": BATCH_LENGTH,
            "rounds": ROUNDS,
        });
        Ok(serde_json::from_str(&self.job("speed", &job)?)?)
    }

    pub(super) fn translate(&self, sources: &[String]) -> Result<Vec<String>> {
        Ok(serde_json::from_str(&self.job("texts", &json!(sources))?)?)
    }

    fn job(&self, name: &str, input: &Value) -> Result<String> {
        let context = || self.input.display().to_string();
        std::fs::write(&self.input, input.to_string()).with_context(context)?;
        let mut command = Command::new(&self.python);
        command.arg(&self.script).arg(&self.model);
        command.arg(&self.modelscope).arg(name);
        command.stdin(Stdio::from(File::open(&self.input).with_context(context)?));
        answer(command).context("the original TensorFlow graph")
    }
}
