//! Text to token ids and back: segmentation, BPE, Moses rules, sentence splitting.

pub mod bpe;
mod error;
pub mod jieba;
pub mod moses;
mod segmenter;
mod source;
mod string_table;
mod target;
mod vocabulary;
mod whitespace;

pub use bpe::Bpe;
pub use error::TextError;
pub use segmenter::WordSegmenter;
pub use source::{Piece, SourceConfig, SourceEncoder, Trace};
pub use target::{TargetDecoder, UNKNOWN_TOKEN};
pub use vocabulary::{EOS, Vocabulary};
