//! What can go wrong.

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
