//! Pages: XHTML, which is XML with the elements of HTML.

use super::stretch;
use crate::DocumentError;
use crate::passage::Sink;
use crate::xml::{Kind, Token, Tokens};

/// Elements that end a paragraph where they begin and end.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "meta",
    "nav",
    "noscript",
    "ol",
    "optgroup",
    "option",
    "p",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
];

/// Blocks whose content stays as it is.
const SKIPPED: &[&str] = &[
    "audio",
    "iframe",
    "listing",
    "noembed",
    "object",
    "plaintext",
    "pre",
    "script",
    "style",
    "template",
    "textarea",
    "video",
    "xmp",
];

/// Reads the paragraphs of a page.
pub(crate) fn read<'a>(
    text: &'a str,
    part: &str,
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let mut tokens = Tokens::new(text, part);
    let mut inline: Vec<Token<'a>> = Vec::new();
    let mut copied = 0;
    while let Some(token) = tokens.next()? {
        let name = token.local_name();
        let skipped = SKIPPED.contains(&name);
        let block = BLOCKS.contains(&name);
        if !skipped && !block {
            inline.push(token);
            continue;
        }
        stretch::passages(text, &inline, &mut copied, sink)?;
        inline.clear();
        if token.kind == Kind::Start && (skipped || stretch::is_kept(&token)) {
            skip(&mut tokens)?;
        }
    }
    stretch::passages(text, &inline, &mut copied, sink)?;
    sink.copy(&text[copied..])
}

/// Goes to the end of the element that was just begun.
fn skip(tokens: &mut Tokens<'_, '_>) -> Result<(), DocumentError> {
    let mut depth = 1;
    while depth > 0 {
        match tokens.next()?.map(|token| token.kind) {
            Some(Kind::Start) => depth += 1,
            Some(Kind::End) => depth -= 1,
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}
