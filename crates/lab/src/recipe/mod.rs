//! A model from nothing but sentence pairs: merge rules, vocabularies, first weights.

mod bpe;
mod start;
mod words;

pub use bpe::learn_bpe;
pub use start::{Recipe, RecipeError, start};
