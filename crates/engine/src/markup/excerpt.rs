//! The paragraphs of a document for callers that have them translated themselves: some at a time,
//! on several threads.

use std::ops::Range;

use super::template::Frame;
use super::{TaggedText, html, markdown};
use crate::Format;

/// A paragraph of a document in a markup language.
#[derive(Debug)]
pub struct Excerpt {
    text: TaggedText,
    frame: Frame,
}

/// The paragraphs of a document in order; everything between them stays as it is. Plain text has
/// none.
///
/// ```
/// use csanmt::Format;
/// use csanmt::markup::excerpts;
///
/// let page = "<ul><li>一<li><b>二</b></ul>";
/// let items = excerpts(page, Format::Html);
/// assert_eq!(items[1].text().text(), "二");
/// assert_eq!(&page[items[1].range()], "<b>二</b>");
/// let mut out = String::new();
/// items[1].write(items[1].text(), &mut out);
/// assert_eq!(out, "<b>二</b>");
/// ```
#[must_use]
pub fn excerpts(source: &str, format: Format) -> Vec<Excerpt> {
    let (texts, frames) = match format {
        Format::Text => return Vec::new(),
        Format::Html => html::paragraphs(source),
        Format::Markdown => markdown::paragraphs(source),
    };
    let pairs = texts.into_iter().zip(frames);
    pairs.map(|(text, frame)| Excerpt { text, frame }).collect()
}

impl Excerpt {
    /// The bytes of the document that it replaces.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.frame.range.clone()
    }

    /// What is to be translated.
    #[must_use]
    pub fn text(&self) -> &TaggedText {
        &self.text
    }

    /// Appends a translation, which has the elements of the text, in the markup language.
    pub fn write(&self, translation: &TaggedText, out: &mut String) {
        out.push_str(&self.frame.write(translation));
    }
}
