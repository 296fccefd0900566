//! Why a training cannot begin or go on.

use std::path::PathBuf;

use super::corpus::CorpusError;
use crate::reference::ReferenceError;
use crate::weights::WeightsError;

/// Why a training cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The model cannot be computed.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// The weights do not fit.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The sentences cannot be used.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// An operation on tensors failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
    /// A state file cannot be read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A state file does not belong to this run.
    #[error("{}: {problem}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        problem: String,
    },
    /// The engine cannot translate the development set.
    #[error("the development set")]
    Engine(#[from] csanmt::Error),
    /// An option is out of range.
    #[error("{option} is {found}, expected {expected}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What was given.
        found: String,
        /// What can be given.
        expected: &'static str,
    },
    /// The loss is no number any more.
    #[error("the loss of step {step} is {loss}: lower the learning rate")]
    Diverged {
        /// The step.
        step: u64,
        /// Its loss.
        loss: f64,
    },
}
