//! Text with markup: inline elements that follow the words they belong to.
//!
//! A [`TaggedText`] is a paragraph with elements over ranges of its text. The model sees the text
//! alone, so that the translation is the one the plain text gets; then the elements are put around
//! the words that come from their content, by the alignment of source and translation. Every
//! element is there exactly once, inside its parent.
//!
//! ```no_run
//! use csanmt::{Options, Translator};
//! use csanmt::markup::{Piece, TaggedText};
//!
//! let translator = Translator::open("models/zh-en-tiny.safetensors")?;
//! let mut text = TaggedText::builder();
//! text.text("点击");
//! let link = text.open();
//! text.text("这里");
//! text.close();
//! text.text("获取帮助。");
//! let translations = translator.translate_tagged(vec![text.build()], &Options::default())?;
//! for piece in translations[0].pieces() {
//!     match piece {
//!         Piece::Text(text) => print!("{text}"),
//!         Piece::Open(element) => assert_eq!(element, link),
//!         Piece::Close(_) => {}
//!     }
//! }
//! # Ok::<(), csanmt::Error>(())
//! ```

mod block;
mod blocks;
mod excerpt;
mod html;
mod job;
mod kept;
mod markdown;
mod placement;
mod sentences;
mod tagged;
#[cfg(feature = "serde")]
mod tagged_data;
mod template;

pub(crate) use block::Block;
pub(crate) use blocks::Blocks;
pub use excerpt::{Excerpt, excerpts};
pub use job::TaggedJob;
pub use sentences::{TaggedPartJob, TaggedSentence, TaggedSentences};
pub use tagged::{Piece, Pieces, TaggedText, TaggedTextBuilder};
