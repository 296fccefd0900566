//! The Moses rules for languages written with spaces: punctuation normaliser, tokenizer and
//! detokenizer, equal to sacremoses 0.2.0 in every result.
//!
//! sacremoses is a chain of regular expressions; here each is a hand-written scan, so that no
//! expression engine goes into the browser build and every step is linear in the text.

mod class_tables;
mod classes;
mod detokenizer;
mod normalizer;
mod prefixes;
mod tokenizer;

pub use detokenizer::Detokenizer;
pub use normalizer::Normalizer;
pub use tokenizer::Tokenizer;

pub(crate) use prefixes::Prefixes;
