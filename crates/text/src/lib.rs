//! Text to token ids and back: segmentation, BPE, Moses rules, sentence splitting.
//!
//! A [`Document`] splits a text into sentences and the gaps between them, a [`SourceEncoder`] turns
//! a sentence into the ids a model was trained on, a [`TargetDecoder`] turns ids into text, and the
//! document puts the translations back into place. Both directions equal the Python tools of the
//! original in every result: jieba, sacremoses and subword-nmt. Nothing here knows a tensor, and
//! everything is linear in the length of the text.
//!
//! ```
//! use csanmt_text::{Bpe, Document, SourceConfig, SourceEncoder, TargetDecoder, Vocabulary};
//!
//! let config = SourceConfig { src_lang: "en".into(), tgt_lang: "fr".into() };
//! let source = Vocabulary::parse("</s>\nhe@@\nllo\n!".as_bytes(), 5)?;
//! let bpe = Bpe::parse(b"#version: 0.2\nh e\nl l\nll o</w>\n")?;
//! let encoder = SourceEncoder::new(&config, source, bpe, None)?;
//! assert_eq!(encoder.encode("hello!"), [1, 2, 3]);
//!
//! let target = Vocabulary::parse("</s>\nbon@@\njour\n!".as_bytes(), 5)?;
//! let decoder = TargetDecoder::new("fr", target);
//! assert_eq!(decoder.decode(&[1, 2, 3, 0]), "bonjour !");
//!
//! let document = Document::parse("  你好。再见。\n");
//! assert_eq!(document.render(&["Hello.", "Bye."]).text, "  Hello. Bye.\n");
//! # Ok::<(), csanmt_text::TextError>(())
//! ```

pub mod bpe;
mod chinese;
pub mod document;
mod error;
mod invisible;
pub mod jieba;
pub mod language;
pub mod moses;
pub mod protect;
mod rephrase;
pub mod script;
mod segmenter;
pub mod sentence;
mod source;
mod string_table;
mod target;
mod target_encoder;
mod vocabulary;
mod whitespace;

pub use bpe::Bpe;
pub use chinese::{Simplifier, narrow};
pub use document::{Document, Rendered, Rendering, Segment, SegmentKind};
pub use error::TextError;
pub use invisible::clean;
pub use rephrase::rephrase;
pub use segmenter::WordSegmenter;
pub use sentence::SentenceSplitter;
pub use source::{Piece, SourceConfig, SourceEncoder, Trace};
pub use target::{TargetDecoder, UNKNOWN_TOKEN};
pub use target_encoder::{TargetEncoder, TargetWord};
pub use vocabulary::{EOS, Vocabulary};
