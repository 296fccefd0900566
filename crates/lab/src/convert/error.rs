//! Why a conversion stopped.

use std::io;
use std::path::PathBuf;

use csanmt_format::{FormatError, WriteError};

use crate::checkpoint::CheckpointError;

/// Why a conversion stopped. Nothing is left at the target then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// A file cannot be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that the configuration names is not there.
    #[error("{} is missing; {key} of configuration.json names it", path.display())]
    MissingFile {
        /// The file.
        path: PathBuf,
        /// The key that names it.
        key: &'static str,
    },
    /// The configuration is not JSON.
    #[error("{}: {message}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        message: String,
    },
    /// An entry of the configuration is missing or wrong.
    #[error("configuration.json: {key} is {found}, expected {expected}")]
    Configuration {
        /// Path of the entry, as `model.hidden_size`.
        key: String,
        /// What it is.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// A vocabulary or the merge rules are wrong.
    #[error("{}: {message}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong, what was expected.
        message: String,
    },
    /// The checkpoint is wrong.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The configuration does not make a model.
    #[error("configuration.json: {0}")]
    Model(#[from] FormatError),
    /// A weight cannot be quantised.
    #[error("variable {name}: the weight at {place:?} is not finite; train again or use f32")]
    NotFinite {
        /// Its full name.
        name: String,
        /// Its indices.
        place: [usize; 2],
    },
    /// The model file cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: WriteError,
    },
}
