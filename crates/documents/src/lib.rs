//! Files in, translated files out.
//!
//! A [`Document`] is a file with its [`Format`]. [`Document::units`] lists its texts,
//! [`Document::translate`] writes the file again with the texts translated and everything else
//! byte for byte as it was. Files are hostile until shown otherwise: sizes are limited
//! ([`Limits`]), archives are never unpacked to disk, and every failure is a [`DocumentError`].
//!
//! ```no_run
//! use csanmt_documents::{Document, Format, Settings};
//! use std::ops::ControlFlow;
//!
//! let translator = csanmt::Translator::open("models/zh-en-tiny.safetensors")?;
//! let bytes = std::fs::read("film.srt")?;
//! let format = Format::detect("film.srt", &bytes)?;
//! let document = Document::open(format, &bytes, &Settings::default())?;
//! let mut output = std::fs::File::create("film.en.srt")?;
//! let options = csanmt::Options::default();
//! let service = csanmt_documents::Engine::new(&translator, &options);
//! document.translate(&service, &mut output, &mut |progress| {
//!     eprintln!("{} of {}", progress.sentences_done, progress.sentences);
//!     ControlFlow::Continue(())
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "packages")]
mod archived;
#[cfg(feature = "packages")]
mod book;
mod document;
mod encoding;
mod engine;
mod error;
mod format;
mod json;
mod lines;
mod marked;
#[cfg(feature = "packages")]
mod office;
#[cfg(feature = "packages")]
mod package;
mod passage;
mod rewrite;
mod settings;
mod subtitles;
mod table;
#[cfg(test)]
mod testing;
mod translate;
#[cfg(feature = "packages")]
mod xml;

pub use document::{Document, Output, Summary};
pub use engine::Engine;
pub use error::DocumentError;
pub use format::Format;
pub use settings::{Column, Limits, Settings};
pub use translate::{Observe, TranslateUnits, Translated};

/// The line of a byte, counted from 1.
fn line_of(text: &str, position: usize) -> usize {
    let before = &text.as_bytes()[..position.min(text.len())];
    before.iter().filter(|&&byte| byte == b'\n').count() + 1
}
