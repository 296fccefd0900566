//! A model from nothing but sentence pairs: merge rules, vocabularies, first weights, and the
//! ModelScope layout of the result.

mod bpe;
mod layout;
mod start;
mod words;

pub use bpe::learn_bpe;
pub use layout::{LayoutError, write_layout};
pub use start::{Recipe, RecipeError, start};
