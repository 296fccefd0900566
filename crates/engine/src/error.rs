//! What can go wrong.

use csanmt_format::FormatError;
use csanmt_model::{ModelError, ShortlistError};
use csanmt_text::TextError;
use csanmt_text::jieba::DictionaryError;

/// An error of the translator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model file cannot be read from disk.
    #[error("cannot read the model file {path}: {source}")]
    Io {
        /// The file.
        path: std::path::PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The bytes are not a model file, or one that is damaged.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A vocabulary or the BPE codes in the model file are unusable.
    #[error("{name} of the model: {source}")]
    Text {
        /// The part of the model file.
        name: String,
        /// What is wrong with it.
        source: TextError,
    },
    /// The segmentation dictionary in the model file is unusable.
    #[error("the segmentation dictionary of the model: {source}")]
    Dictionary {
        /// What is wrong with it.
        source: DictionaryError,
    },
    /// The shortlist in the model file is unusable.
    #[error("the shortlist of the model: {0}")]
    Shortlist(#[from] ShortlistError),
    /// The network cannot be built or run.
    #[error("the model: {0}")]
    Model(ModelError),
    /// An option is out of its range.
    #[error("{name} is {value}, expected {expected}")]
    Option {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What is accepted.
        expected: &'static str,
    },
    /// The caller stopped the translation.
    #[error("the translation was cancelled")]
    Cancelled,
}

impl Error {
    pub(crate) fn text(name: &str, source: TextError) -> Self {
        Self::Text {
            name: name.to_owned(),
            source,
        }
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Cancelled => Self::Cancelled,
            ModelError::Format(error) => Self::Format(error),
            other => Self::Model(other),
        }
    }
}
