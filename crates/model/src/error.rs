//! What can go wrong while loading or running a model.

use csanmt_format::FormatError;

/// A model that cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A tensor is missing or has the wrong shape or type.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A token id is outside the vocabulary.
    #[error("token id {id} is outside its vocabulary of {vocabulary} entries")]
    Token {
        /// The id.
        id: u32,
        /// Entries of the vocabulary.
        vocabulary: usize,
    },
    /// The caller stopped the search.
    #[error("the search was cancelled")]
    Cancelled,
}
