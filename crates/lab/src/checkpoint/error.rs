//! What can be wrong with a checkpoint.

use std::io;
use std::path::PathBuf;

/// Why a checkpoint cannot be read or written.
///
/// A message says what failed; where there is a [source](std::error::Error::source), it says why
/// and is not repeated in the message: print the whole chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A file cannot be opened, read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no index.
    #[error(
        "{} is missing; a checkpoint is an .index file and its .data files, copy all of them",
        path.display()
    )]
    MissingIndex {
        /// The file.
        path: PathBuf,
    },
    /// The index is damaged or of another kind.
    #[error("{}: {message}", path.display())]
    Index {
        /// The file.
        path: PathBuf,
        /// What is wrong, what was expected.
        message: String,
    },
    /// A shard of the data is missing.
    #[error("variable {variable} is in shard {}, which is missing; copy all data files", path.display())]
    MissingShard {
        /// A variable that needs it.
        variable: String,
        /// The file.
        path: PathBuf,
    },
    /// Variables are missing or of another shape than the configuration says.
    #[error("the checkpoint does not fit the configuration:{}", list(.missing, .wrong))]
    Variables {
        /// Names with the expected shape.
        missing: Vec<String>,
        /// Names with found and expected shape or type.
        wrong: Vec<String>,
    },
    /// The entry or the data of a variable is wrong.
    #[error("variable {name}: {message}")]
    Variable {
        /// Its full name.
        name: String,
        /// What is wrong, what was expected.
        message: String,
    },
}

impl CheckpointError {
    pub(crate) fn variable(name: &str, message: impl Into<String>) -> Self {
        Self::Variable {
            name: name.to_owned(),
            message: message.into(),
        }
    }
}

fn list(missing: &[String], wrong: &[String]) -> String {
    let lines = missing.iter().map(|m| format!("\n  missing: {m}"));
    lines
        .chain(wrong.iter().map(|w| format!("\n  {w}")))
        .collect()
}
