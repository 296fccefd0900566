//! What can be wrong with the text tables of a model.

use thiserror::Error;

/// A vocabulary, code file or configuration that cannot be used.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextError {
    /// The bytes of a text table are not UTF-8.
    #[error("{what} is not UTF-8: first invalid byte at offset {offset}; save it as UTF-8")]
    NotUtf8 {
        /// Which table.
        what: &'static str,
        /// Offset of the first invalid byte.
        offset: usize,
    },
    /// A vocabulary of size zero has no id for unknown tokens.
    #[error("vocabulary size is 0, expected at least 1; check the model configuration")]
    EmptyVocabulary,
    /// More vocabulary lines than the embedding table has rows.
    #[error(
        "vocabulary has {lines} lines, expected at most {size} (the vocabulary size of the \
         configuration); use the vocabulary file that belongs to the model"
    )]
    TooManyTokens {
        /// Lines found.
        lines: usize,
        /// Rows of the embedding table.
        size: usize,
    },
    /// A text table too big for 32-bit offsets.
    #[error("{what} has {bytes} bytes, expected less than 4 GiB")]
    TooLarge {
        /// Which table.
        what: &'static str,
        /// Size found.
        bytes: usize,
    },
    /// The version line of a BPE code file names a version that is not known.
    #[error("BPE codes have version {found:?}, expected 0.1 or 0.2")]
    BpeVersion {
        /// The version as written.
        found: String,
    },
    /// A BPE code line without exactly two symbols.
    #[error(
        "line {line} of the BPE codes is {found:?}, expected two symbols with one space between"
    )]
    BpeLine {
        /// Line number, from 1.
        line: usize,
        /// The line as written.
        found: String,
    },
    /// Chinese text needs a word segmenter.
    #[error("source language {language:?} is written without spaces and needs a word segmenter")]
    NoSegmenter {
        /// The source language.
        language: String,
    },
}
