//! Why the reference network cannot be made or run.

use csanmt_format::FormatError;

use crate::checkpoint::CheckpointError;
use crate::convert::ConvertError;

/// Why the reference network cannot be made or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The model file has int8 weights.
    #[error(
        "the model file is quantised to int8, the reference network needs f32; convert with --f32"
    )]
    Quantized,
    /// The configuration or a tensor of the model file is wrong.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// `configuration.json` is wrong.
    #[error(transparent)]
    Configuration(#[from] ConvertError),
    /// The checkpoint cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A variable is not in the map.
    #[error("variable {name} is missing; the configuration asks for float32 {shape:?}")]
    Missing {
        /// Its name.
        name: String,
        /// The shape it should have.
        shape: Vec<usize>,
    },
    /// A variable has another type or shape than the configuration says.
    #[error("variable {name} is {found}, expected {expected}")]
    Misfit {
        /// Its name.
        name: String,
        /// Type and shape in the map.
        found: String,
        /// Type and shape that the configuration asks for.
        expected: String,
    },
    /// A batch without sentences.
    #[error("the batch is empty, expected at least one sentence")]
    NoSentences,
    /// An id that the vocabulary does not have.
    #[error(
        "sentence {sentence} has id {id} at position {position}; the vocabulary has {vocab} ids"
    )]
    Token {
        /// Which sentence of the batch.
        sentence: usize,
        /// Where in the sentence.
        position: usize,
        /// The id.
        id: u32,
        /// Size of the vocabulary.
        vocab: usize,
    },
    /// Targets and encoded sentences do not pair up.
    #[error("{targets} targets for {sentences} encoded sentences, expected one each")]
    Targets {
        /// Number of targets.
        targets: usize,
        /// Number of encoded sentences.
        sentences: usize,
    },
    /// An operation on tensors failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
}
