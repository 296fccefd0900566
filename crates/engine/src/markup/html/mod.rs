//! HTML: paragraphs and their inline elements.
//!
//! The tokenizer is html5gum: it follows the standard's rules to the letter, says which bytes each
//! token has, and builds nothing, so that everything outside the translated text can be copied
//! from the source. A tree builder repairs what it reads and cannot give it back; a rewriter with
//! selectors and streams is several times its size in the browser build.

pub(super) mod elements;
mod reader;
pub(super) mod token;

use super::TaggedText;
use super::template::{Frame, Place, Syntax, Template};
use reader::Reader;

/// Takes the paragraphs out of a document or a piece of one.
pub(crate) fn read(source: &str) -> (Template, Vec<TaggedText>) {
    let (texts, frames) = paragraphs(source);
    (Template::new(source, frames), texts)
}

/// The paragraphs of a document or a piece of one.
pub(crate) fn paragraphs(source: &str) -> (Vec<TaggedText>, Vec<Frame>) {
    let mut reader = Reader::new(source);
    token::each(source, &mut |token| reader.take(token));
    reader.finish()
}

#[derive(Debug)]
struct Html;

impl Syntax for Html {
    fn push_text(&self, text: &str, _place: Place, out: &mut String) {
        for c in text.chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '\u{a0}' => out.push_str("&nbsp;"),
                _ => out.push(c),
            }
        }
    }
}
