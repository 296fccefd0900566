//! Books (epub): pages are XHTML, the table of contents is a page or an NCX.

mod page;
mod publication;
mod stretch;

pub(crate) use self::page::read as read_page;
pub(crate) use self::publication::{PartKind, is_book, parts};

use crate::DocumentError;
use crate::passage::{Passage, Sink};
use crate::xml::{Kind, Tokens, decode_reference, push_escaped};
use csanmt::markup::TaggedText;

/// Reads the titles of an NCX: what its `text` elements say.
pub(crate) fn read_titles<'a>(
    text: &'a str,
    part: &str,
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let mut tokens = Tokens::new(text, part);
    let (mut title, mut start): (Option<String>, _) = (None, 0);
    let mut copied = 0;
    while let Some(token) = tokens.next()? {
        match (token.kind, &mut title) {
            (Kind::Start, _) if token.local_name() == "text" => {
                title = Some(String::new());
                start = token.end();
            }
            (Kind::Text, Some(title)) => title.push_str(token.raw),
            (Kind::Reference, Some(known)) => match decode_reference(token.raw) {
                Some(char) => known.push(char),
                None => title = None,
            },
            (Kind::End, Some(_)) if token.local_name() == "text" => {
                sink.copy(&text[copied..start])?;
                sink.passage(Passage {
                    source: &text[start..token.start],
                    unit: TaggedText::plain(title.take().unwrap_or_default()),
                    write: Box::new(|translation, out| push_escaped(translation.text(), out)),
                })?;
                copied = token.start;
            }
            // Anything else makes it more than a title.
            (Kind::Start | Kind::Empty | Kind::End | Kind::CData, _) => title = None,
            _ => {}
        }
    }
    sink.copy(&text[copied..])
}

#[cfg(test)]
mod tests;
