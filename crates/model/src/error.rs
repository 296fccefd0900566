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
    /// A shortlist for other vocabularies.
    #[error("the shortlist is of another model: this one has {sources} and {targets} tokens")]
    Shortlist {
        /// Source tokens of the model.
        sources: usize,
        /// Target tokens of the model.
        targets: usize,
    },
    /// The caller stopped the search.
    #[error("the search was cancelled")]
    Cancelled,
}
