//! What can be wrong with a file.

/// Why a file cannot be read or translated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file is of a kind that is not read.
    #[error("{found} is not supported: {advice}")]
    Unsupported {
        /// What the file is.
        found: String,
        /// What to do.
        advice: String,
    },
    /// The bytes are no text in an encoding that is read.
    #[error("byte {position} is no text in {encoding}: {advice}")]
    Encoding {
        /// What was tried.
        encoding: &'static str,
        /// Where the first bad byte is.
        position: usize,
        /// What to do.
        advice: &'static str,
    },
    /// The syntax of a text format is broken.
    #[error("{format}, line {line}: {reason}")]
    Syntax {
        /// The format.
        format: &'static str,
        /// Counted from 1.
        line: usize,
        /// What was met and what was expected.
        reason: String,
    },
    /// A column that was asked for is not there, or none was named.
    #[error("{reason}; the first row has {found}")]
    Column {
        /// What is missing.
        reason: String,
        /// The columns that there are.
        found: String,
    },
    /// The archive is broken.
    #[error("the archive is damaged: {reason}")]
    Archive {
        /// What was met.
        reason: String,
    },
    /// The file can be opened with a password or a licence only.
    #[error("the file is encrypted ({found}): save it without a password first")]
    Encrypted {
        /// What shows it.
        found: String,
    },
    /// A name in the archive leads out of it, or occurs twice.
    #[error("the archive has an entry named {name:?}: {reason}")]
    EntryName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A part that every such file has is not there.
    #[error("this is no {format} file: {part} is missing")]
    Missing {
        /// The format.
        format: &'static str,
        /// The part.
        part: String,
    },
    /// Something is larger than the file may cost.
    #[error("{what} is {found}, more than the limit of {limit}")]
    Limit {
        /// What is too large.
        what: String,
        /// Its size.
        found: u64,
        /// The most that is accepted.
        limit: u64,
    },
    /// A part of the file is not well-formed XML.
    #[error("{part}, byte {position}: {reason}")]
    Xml {
        /// The part.
        part: String,
        /// Where reading ended.
        position: u64,
        /// What was met.
        reason: String,
    },
    /// A part of the file declares entities, which can grow without bound.
    #[error(
        "{part} declares entities in a document type, which is refused: remove the declaration"
    )]
    Entities {
        /// The part.
        part: String,
    },
    /// Writing failed.
    #[error("cannot write the translation: {0}")]
    Write(#[source] std::io::Error),
    /// Translating failed.
    #[error(transparent)]
    Translation(csanmt::Error),
    /// The caller stopped the work.
    #[error("the translation was cancelled")]
    Cancelled,
}

impl From<csanmt::Error> for DocumentError {
    fn from(error: csanmt::Error) -> Self {
        match error {
            csanmt::Error::Cancelled => Self::Cancelled,
            other => Self::Translation(other),
        }
    }
}
