//! A translated paragraph as XML.

use csanmt::markup::{Piece, TaggedText};

use super::dialect::{Dialect, Names};
use super::item::Format;
use crate::xml::push_escaped;

/// What an element of a unit stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Element<'a> {
    /// Runs of this formatting.
    Format(Format<'a>),
    /// A link or the like: what is before and behind its content.
    Container(String, String),
    /// Something without text, complete.
    Other(String),
}

/// Writes translations of one paragraph.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    /// The formatting of text in no element.
    pub(super) base: Format<'a>,
    pub(super) elements: Vec<Element<'a>>,
    /// What the line breaks of the text stand for, in order.
    pub(super) breaks: Vec<(Option<Format<'a>>, &'a str)>,
    pub(super) names: Names,
}

impl Writer<'_> {
    pub(super) fn write(&self, translation: &TaggedText, out: &mut String) {
        let mut formats = vec![self.base];
        let mut breaks = self.breaks.iter();
        for piece in translation.pieces() {
            match piece {
                Piece::Open(number) => match &self.elements[number] {
                    Element::Format(format) => formats.push(*format),
                    Element::Container(open, _) => {
                        formats.push(self.base);
                        out.push_str(open);
                    }
                    Element::Other(raw) => out.push_str(raw),
                },
                Piece::Close(number) => match &self.elements[number] {
                    Element::Format(_) => _ = formats.pop(),
                    Element::Container(_, close) => {
                        formats.pop();
                        out.push_str(close);
                    }
                    Element::Other(_) => {}
                },
                Piece::Text(text) => {
                    let format = formats.last().unwrap_or(&self.base);
                    if self.names.dialect == Dialect::Sheet {
                        self.text(format, text, out);
                        continue;
                    }
                    for (number, line) in text.split('\n').enumerate() {
                        if number > 0 {
                            match breaks.next() {
                                Some((Some(format), raw)) => format.write(raw, &self.names, out),
                                Some((None, raw)) => out.push_str(raw),
                                None => {}
                            }
                        }
                        self.text(format, line, out);
                    }
                }
            }
        }
        // As many breaks come back as there were; if ever not, none is lost.
        for (format, raw) in breaks {
            match format {
                Some(format) => format.write(raw, &self.names, out),
                None => out.push_str(raw),
            }
        }
    }

    fn text(&self, format: &Format<'_>, text: &str, out: &mut String) {
        if text.is_empty() {
            return;
        }
        let prefix = &self.names.prefix;
        let space = match self.names.dialect {
            Dialect::Word | Dialect::Sheet => " xml:space=\"preserve\"",
            Dialect::Drawing => "",
        };
        let mut content = format!("<{prefix}t{space}>");
        push_escaped(text, &mut content);
        content.push_str("</");
        content.push_str(prefix);
        content.push_str("t>");
        format.write(&content, &self.names, out);
    }
}
