//! Office documents (docx, pptx, xlsx): paragraphs of the parts that have text.
//!
//! A paragraph is a row of runs, each with its formatting. Editors cut runs anywhere, so those of
//! equal formatting are put together; the formatting that most of the paragraph has is the plain
//! one, and the others become elements of the unit.

mod dialect;
mod item;
mod paragraph;
mod write;

pub(crate) use self::dialect::Dialect;

use self::dialect::Names;
use crate::DocumentError;
use crate::passage::Sink;
use crate::xml::{Kind, Token, Tokens, element};

/// Text boxes inside each other; deeper ones stay as they are.
const MAX_BOXES: usize = 4;

/// How deep the text boxes of a part are nested. Paragraphs of the deepest are read first, by
/// [`read`] at that level; then the part is read again with the next level, to 0.
pub(crate) fn levels(text: &str, part: &str, dialect: Dialect) -> Result<usize, DocumentError> {
    let mut tokens = Tokens::new(text, part);
    let mut names: Option<Names> = None;
    let (mut boxes, mut deepest) = (0, 0);
    while let Some(token) = tokens.next()? {
        if names.is_none() && matches!(token.kind, Kind::Start | Kind::Empty) {
            names = Some(Names::new(&token, dialect));
        }
        let Some(names) = &names else { continue };
        match token.kind {
            Kind::Start if names.is_box(token.name()) => {
                boxes += 1;
                deepest = deepest.max(boxes);
            }
            Kind::End if names.is_box(token.name()) => boxes -= 1,
            _ => {}
        }
    }
    Ok(deepest.min(MAX_BOXES))
}

/// Reads the paragraphs that are in `level` text boxes.
pub(crate) fn read<'a>(
    text: &'a str,
    part: &str,
    dialect: Dialect,
    level: usize,
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let mut reader = Reader {
        text,
        tokens: Tokens::new(text, part),
        copied: 0,
    };
    let mut names: Option<Names> = None;
    let mut boxes = 0;
    while let Some(token) = reader.tokens.next()? {
        if names.is_none() && matches!(token.kind, Kind::Start | Kind::Empty) {
            names = Some(Names::new(&token, dialect));
        }
        let Some(names) = &names else { continue };
        match token.kind {
            Kind::Start if names.is_box(token.name()) => boxes += 1,
            Kind::End if names.is_box(token.name()) => boxes -= 1,
            Kind::Start if boxes == level && names.is_paragraph(token.name()) => {
                let paragraph = reader.gather(token)?;
                reader.paragraph(&paragraph, names, sink)?;
            }
            _ => {}
        }
    }
    sink.copy(&text[reader.copied..])
}

struct Reader<'a, 'p> {
    text: &'a str,
    tokens: Tokens<'a, 'p>,
    /// Everything before is with the sink.
    copied: usize,
}

impl<'a> Reader<'a, '_> {
    /// The tokens of the element that begins with `first`.
    fn gather(&mut self, first: Token<'a>) -> Result<Vec<Token<'a>>, DocumentError> {
        let mut gathered = vec![first];
        let mut depth = 1;
        while depth > 0 {
            let Some(token) = self.tokens.next()? else {
                break;
            };
            match token.kind {
                Kind::Start => depth += 1,
                Kind::End => depth -= 1,
                _ => {}
            }
            gathered.push(token);
        }
        Ok(gathered)
    }

    fn paragraph(
        &mut self,
        paragraph: &[Token<'a>],
        names: &Names,
        sink: &mut dyn Sink<'a>,
    ) -> Result<(), DocumentError> {
        let inner = paragraph.get(1..paragraph.len().saturating_sub(1));
        let mut inner = inner.unwrap_or_default();
        // Its properties stay where they are.
        while let Some(first) = inner.first() {
            let is_properties = names.is(first.name(), names.paragraph_properties());
            if first.kind != Kind::Text && !is_properties {
                break;
            }
            inner = &inner[element(inner).len()..];
        }
        let Some(passage) = paragraph::passage(self.text, inner, names) else {
            return Ok(());
        };
        let start = passage.start;
        sink.copy(&self.text[self.copied..start])?;
        self.copied = start + passage.passage.source.len();
        sink.passage(passage.passage)
    }
}

#[cfg(test)]
mod tests;
