//! The CSANMT network over token ids: encoder, semantic encoder, decoder with embedding
//! augmentation, beam search. Knows no text.
//!
//! A [`Model`] is loaded once and shared between threads; a [`Workspace`] holds what one running
//! search keeps from step to step and is reused, so that decoding allocates nothing once it is warm.
//!
//! Shapes: `d_model` = hidden size H, `d_ff` = filter size F, `vocab` = target vocabulary V.
//! Sentences of a batch are packed one behind the other without padding; a [`Span`] says which
//! rows belong to which sentence. Every row is computed on its own, so a translation does not
//! depend on what else is in the batch.
//!
//! The mathematics follows Wei et al., "Learning to Generalize to More: Continuous Semantic
//! Augmentation for Neural Machine Translation" (ACL 2022) as its released graph computes it.

mod activation;
mod alignment;
mod attention;
mod batch;
mod beam;
mod continuations;
mod decoder;
mod embedding;
mod encoder;
mod encoding;
mod error;
mod feed_forward;
mod history;
mod hypothesis;
mod lane;
mod linear;
mod model;
mod norm;
mod peaks;
mod position;
mod search;
mod semantic;
mod shortlist;
mod weights;
mod workspace;

pub use alignment::AttentionMap;
pub use batch::{Batch, Span};
pub use beam::{BatchSize, Beginning, Horizon, Limits, SearchOptions};
pub use csanmt_kernels::{Isa, Kernels, self_test};
pub use decoder::Attended;
pub use encoder::Probe;
pub use encoding::Encoding;
pub use error::ModelError;
pub use hypothesis::{Hypothesis, SearchResult};
pub use model::Model;
pub use search::{Search, Step};
pub use shortlist::{Shortlist, ShortlistError};
pub use workspace::Workspace;

/// End of sentence, and padding, in both vocabularies.
pub const EOS: u32 = 0;
