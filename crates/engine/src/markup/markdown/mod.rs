//! Markdown: paragraphs, headings, list items and table cells with their inline marks.
//!
//! pulldown-cmark says which bytes every element has. What is no text of a paragraph (marks,
//! addresses, code, formulas, front matter, definitions) is copied. HTML blocks are read as HTML.

mod inline_html;
mod reader;
mod writer;

use super::TaggedText;
use super::template::Template;
use writer::{Cell, Prose};

/// Takes the paragraphs out of a document.
pub(crate) fn read(source: &str) -> (Template, Vec<TaggedText>) {
    let (texts, frames) = reader::Reader::new(source).read();
    (Template::new(source, frames), texts)
}
