//! Why a model cannot be taken into memory or written.

use std::path::PathBuf;

use csanmt_format::{FormatError, WriteError};

/// Why a model cannot be taken into memory or written.
///
/// A message says what failed; where there is a [source](std::error::Error::source), it says why
/// and is not repeated in the message: print the whole chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file cannot be read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no model file, or its tensors do not fit its configuration.
    #[error("{}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FormatError,
    },
    /// Its weights are not f32.
    #[error(
        "{} is stored as {found}, f32 is needed; make an f32 file with `csanmt convert --f32`",
        path.display()
    )]
    Quantized {
        /// The file.
        path: PathBuf,
        /// How it is stored.
        found: &'static str,
    },
    /// The configuration is wrong.
    #[error(transparent)]
    Configuration(#[from] FormatError),
    /// A variable is missing or has another size.
    #[error("variable {name} has {found:?} weights, expected shape {shape:?}")]
    Variable {
        /// Its name.
        name: String,
        /// The shape that the configuration asks for.
        shape: Vec<usize>,
        /// Its weights, if it is there.
        found: Option<usize>,
    },
    /// A weight cannot be quantised.
    #[error("variable {name} has a weight that is not finite")]
    NotFinite {
        /// Its name.
        name: String,
    },
    /// The model file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
