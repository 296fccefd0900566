//! Markdown: paragraphs, headings, list items and table cells with their inline marks.
//!
//! pulldown-cmark says which bytes every element has. What is no text of a paragraph (marks,
//! addresses, code, formulas, front matter, definitions) is copied. HTML blocks are read as HTML.

mod inline_html;
mod reader;
mod writer;

use super::TaggedText;
use super::template::{Frame, Template};
use writer::Markdown;

/// Takes the paragraphs out of a document.
pub(crate) fn read(source: &str) -> (Template, Vec<TaggedText>) {
    let (texts, frames) = paragraphs(source);
    (Template::new(source, frames), texts)
}

/// The paragraphs of a document.
pub(crate) fn paragraphs(source: &str) -> (Vec<TaggedText>, Vec<Frame>) {
    reader::Reader::new(source).read()
}
