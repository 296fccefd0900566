//! Training on candle: fine-tuning, distillation and training from nothing.
//!
//! A [`Trainer`] holds everything that a step changes; [`State`](Trainer::save) files take all of it
//! to disk, and a run that is taken up again goes on bit for bit as if it had never stopped. Random
//! numbers are functions of the seed and the step, so nothing of them has to be kept.

mod adam;
mod augmentation;
mod batches;
mod contrast;
mod corpus;
mod dev;
mod distill;
mod error;
mod objective;
mod options;
mod random;
mod session;
mod state;
mod trainer;

pub use augmentation::{Augmentation, fit_target_table};
pub use batches::{Batches, Cursor};
pub use contrast::{ContrastOptions, train_semantic_encoder};
pub use corpus::{Corpus, CorpusError, Limits, Pair, PairEncoder, pairs_of_texts};
pub use dev::{DevSet, translate_all};
pub use distill::{Filter, StudentShape, student, teacher_translations};
pub use error::TrainError;
pub use objective::{Objective, smoothed_loss};
pub use options::TrainOptions;
pub use random::Random;
pub use session::{Ending, Event, Session};
pub use trainer::{StepReport, Trainer};
