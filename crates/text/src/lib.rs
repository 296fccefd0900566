//! Text to token ids and back: segmentation, BPE, Moses rules, sentence splitting.

pub mod bpe;
pub mod document;
mod error;
mod invisible;
pub mod jieba;
pub mod moses;
pub mod script;
mod segmenter;
pub mod sentence;
mod source;
mod string_table;
mod target;
mod vocabulary;
mod whitespace;

pub use bpe::Bpe;
pub use document::{Document, Rendered, Segment, SegmentKind};
pub use error::TextError;
pub use invisible::clean;
pub use segmenter::WordSegmenter;
pub use sentence::SentenceSplitter;
pub use source::{Piece, SourceConfig, SourceEncoder, Trace};
pub use target::{TargetDecoder, UNKNOWN_TOKEN};
pub use vocabulary::{EOS, Vocabulary};
