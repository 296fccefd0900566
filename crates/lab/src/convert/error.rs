//! Why a conversion stopped.

use std::io;
use std::path::PathBuf;

use csanmt_format::{FormatError, WriteError};
use csanmt_text::TextError;
use csanmt_text::jieba::DictionaryError;

use crate::checkpoint::CheckpointError;

/// Why a conversion stopped. Nothing is left at the target then.
///
/// A message says what failed; where there is a [source](std::error::Error::source), it says why
/// and is not repeated in the message: print the whole chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// A file cannot be opened, read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The directory is not one of a model.
    #[error(
        "{} {problem}; MODEL_DIR needs configuration.json, the vocabularies, the BPE codes and \
         tf_ckpts/",
        path.display()
    )]
    NoModel {
        /// The directory.
        path: PathBuf,
        /// What it is not or does not have.
        problem: &'static str,
    },
    /// The model file cannot be put there.
    #[error("cannot write {}: {message}", path.display())]
    Target {
        /// The target.
        path: PathBuf,
        /// Why not, what to do.
        message: String,
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
    /// A vocabulary or the merge rules have the wrong length.
    #[error("{}: {message}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong, what was expected.
        message: String,
    },
    /// A vocabulary or the merge rules cannot be used.
    #[error("{}", path.display())]
    BrokenText {
        /// The file.
        path: PathBuf,
        /// Why.
        source: TextError,
    },
    /// The segmentation dictionary cannot be used.
    #[error(transparent)]
    Dictionary(#[from] DictionaryError),
    /// The checkpoint is wrong.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The configuration does not make a model.
    #[error("configuration.json")]
    Model(#[from] FormatError),
    /// A weight cannot be quantised.
    #[error("variable {name}: the weight at {place:?} is not finite; train again or use f32")]
    NotFinite {
        /// Its full name.
        name: String,
        /// Its indices.
        place: [usize; 2],
    },
    /// The model file does not fit its plan.
    #[error("{}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: WriteError,
    },
    /// The model file is not what was to be written.
    #[error("{} was not written well: {message}; check the disk and convert again", path.display())]
    Unsound {
        /// The file.
        path: PathBuf,
        /// What the engine would miss.
        message: String,
    },
}

impl ConvertError {
    /// What writing to `path` met.
    pub(crate) fn writing(path: PathBuf, error: WriteError) -> Self {
        match error {
            WriteError::Io(source) => Self::Io { path, source },
            source => Self::Write { path, source },
        }
    }
}
