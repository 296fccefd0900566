//! The content of a paragraph as a flat list.

use super::dialect::{Dialect, Names};
use crate::xml::{Kind, Token, decode_reference, element};

/// A piece of a paragraph.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item<'a> {
    /// Characters in a formatting, and the element that they come from.
    Text(Format<'a>, &'a str, String),
    /// A break with the formatting of its run; none where it stands outside runs.
    Break(Option<Format<'a>>, &'a str),
    /// A container begins.
    Open(String),
    /// The container that was begun last ends.
    Close(String),
    /// Something else, complete with the run around it.
    Other(String),
    /// A field begins: `{ PAGE`. It has the bytes of an [`Item::Other`].
    FieldBegin(String),
    /// What a field computes.
    FieldCode(String),
    /// The result follows.
    FieldSeparator(String),
    /// A field ends.
    FieldEnd(String),
}

impl Item<'_> {
    /// Appends the item as it stands in the file, in a run of its own.
    pub(super) fn write(&self, names: &Names, out: &mut String) {
        match self {
            Item::Text(format, raw, _) | Item::Break(Some(format), raw) => {
                format.write(raw, names, out);
            }
            Item::Break(None, raw) => out.push_str(raw),
            Item::Open(raw)
            | Item::Close(raw)
            | Item::Other(raw)
            | Item::FieldBegin(raw)
            | Item::FieldCode(raw)
            | Item::FieldSeparator(raw)
            | Item::FieldEnd(raw) => out.push_str(raw),
        }
    }
}

/// The start tag and the properties of a run. Two runs are of the same formatting when their
/// properties are equal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format<'a> {
    pub(super) start: &'a str,
    pub(super) properties: &'a str,
}

impl PartialEq for Format<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.properties == other.properties
    }
}

impl Format<'_> {
    /// Appends a run with this content. Where there are no runs, the content alone.
    pub(super) fn write(&self, content: &str, names: &Names, out: &mut String) {
        out.push_str(self.start);
        out.push_str(self.properties);
        out.push_str(content);
        if !self.start.is_empty() {
            out.push_str("</");
            out.push_str(&names.prefix);
            out.push_str("r>");
        }
    }
}

/// A part of the file between two tokens.
pub(super) fn span<'a>(text: &'a str, tokens: &[Token<'a>]) -> &'a str {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => &text[first.start..last.end()],
        _ => "",
    }
}

/// Reads the children of a paragraph or container.
pub(super) fn items<'a>(
    text: &'a str,
    mut tokens: &[Token<'a>],
    names: &Names,
    out: &mut Vec<Item<'a>>,
) {
    while let Some(first) = tokens.first() {
        let whole = element(tokens);
        tokens = &tokens[whole.len()..];
        let name = first.name();
        let inner = whole.get(1..whole.len() - 1).unwrap_or_default();
        match first.kind {
            // Nothing is between the children of a paragraph but white space.
            Kind::Text | Kind::CData | Kind::Reference => {}
            Kind::Start | Kind::Empty if names.is_layout_hint(name) => {}
            Kind::Start if names.is_run(name) => run(text, first, inner, names, out),
            Kind::Start if names.is_text(name) && names.dialect == Dialect::Sheet => {
                let format = Format {
                    start: "",
                    properties: "",
                };
                out.push(Item::Text(format, span(text, whole), characters(inner)));
            }
            Kind::Start if names.is_container(name) => {
                out.push(Item::Open(first.raw.to_owned()));
                items(text, inner, names, out);
                out.push(Item::Close(whole[whole.len() - 1].raw.to_owned()));
            }
            Kind::Start if names.is(name, "sdt") => content_control(text, whole, names, out),
            Kind::Start | Kind::Empty if names.is_break(name) => {
                out.push(Item::Break(None, span(text, whole)));
            }
            _ => out.push(Item::Other(span(text, whole).to_owned())),
        }
    }
}

/// A content control: properties, then a container.
fn content_control<'a>(text: &'a str, whole: &[Token<'a>], names: &Names, out: &mut Vec<Item<'a>>) {
    let mut at = 1;
    while at < whole.len() {
        let child = element(&whole[at..]);
        if child[0].kind == Kind::Start && names.is(child[0].name(), "sdtContent") {
            let (before, after) = (&whole[..=at], &whole[at + child.len() - 1..]);
            out.push(Item::Open(span(text, before).to_owned()));
            let inner = child.get(1..child.len() - 1).unwrap_or_default();
            items(text, inner, names, out);
            out.push(Item::Close(span(text, after).to_owned()));
            return;
        }
        at += child.len();
    }
    out.push(Item::Other(span(text, whole).to_owned()));
}

fn run<'a>(
    text: &'a str,
    start: &Token<'a>,
    mut children: &[Token<'a>],
    names: &Names,
    out: &mut Vec<Item<'a>>,
) {
    let mut format = Format {
        start: start.raw,
        properties: "",
    };
    while let Some(first) = children.first() {
        let whole = element(children);
        children = &children[whole.len()..];
        let name = first.name();
        let raw = span(text, whole);
        let complete = || {
            let mut complete = String::new();
            format.write(raw, names, &mut complete);
            complete
        };
        match first.kind {
            Kind::Text | Kind::CData | Kind::Reference => {}
            Kind::Start | Kind::Empty if names.is_run_properties(name) => format.properties = raw,
            Kind::Start if names.is_text(name) => {
                let inner = whole.get(1..whole.len() - 1).unwrap_or_default();
                out.push(Item::Text(format, raw, characters(inner)));
            }
            Kind::Empty if names.is_text(name) => {}
            Kind::Start | Kind::Empty if names.is_break(name) => {
                out.push(Item::Break(Some(format), raw));
            }
            Kind::Start | Kind::Empty if names.is_layout_hint(name) => {}
            Kind::Start | Kind::Empty if names.is(name, "instrText") => {
                out.push(Item::FieldCode(complete()));
            }
            Kind::Start | Kind::Empty if names.is(name, "fldChar") => {
                let kind = format!("{}fldCharType", names.prefix);
                out.push(match first.attribute(&kind) {
                    Some("begin") => Item::FieldBegin(complete()),
                    Some("separate") => Item::FieldSeparator(complete()),
                    Some("end") => Item::FieldEnd(complete()),
                    _ => Item::Other(complete()),
                });
            }
            _ => out.push(Item::Other(complete())),
        }
    }
}

/// The characters of a text element. Line breaks in the file are white space; in a cell of a sheet
/// they are line breaks, which the engine keeps.
fn characters(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token.kind {
            Kind::Text => text.push_str(token.raw),
            Kind::CData => {
                let inner = token.raw.strip_prefix("<![CDATA[");
                text.push_str(
                    inner
                        .and_then(|raw| raw.strip_suffix("]]>"))
                        .unwrap_or_default(),
                );
            }
            Kind::Reference => match decode_reference(token.raw) {
                Some(char) => text.push(char),
                None => text.push_str(token.raw),
            },
            _ => {}
        }
    }
    text
}
