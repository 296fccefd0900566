//! A paragraph as a unit.

use csanmt::markup::{TaggedText, TaggedTextBuilder};

use super::dialect::{Dialect, Names};
use super::item::{Format, Item, items, span};
use super::write::{Element, Writer};
use crate::passage::Passage;
use crate::xml::{Kind, Token, element};

/// A passage with its place in the part.
pub(super) struct Placed<'a> {
    pub(super) start: usize,
    pub(super) passage: Passage<'a>,
}

/// Makes a unit of the children of a paragraph; `None` when they have no text.
pub(super) fn passage<'a>(
    text: &'a str,
    children: &[Token<'a>],
    names: &Names,
) -> Option<Placed<'a>> {
    let children = with_text(children, names);
    let mut found = Vec::new();
    items(text, children, names, &mut found);
    let base = most_frequent(&found)?;
    let found = fields(found, names);
    let mut reader = Builder {
        unit: TaggedText::builder(),
        base,
        format: None,
        elements: Vec::new(),
        breaks: Vec::new(),
    };
    reader.read(&found, names.dialect);
    let writer = Writer {
        base,
        elements: reader.elements,
        breaks: reader.breaks,
        names: names.clone(),
    };
    let source = span(text, children);
    Some(Placed {
        start: children.first()?.start,
        passage: Passage {
            source,
            unit: reader.unit.build(),
            write: Box::new(move |translation, out| writer.write(translation, out)),
        },
    })
}

/// The children from the first with text to the last: what is around them (bookmarks, anchored
/// pictures) keeps its place by itself.
fn with_text<'t, 'a>(children: &'t [Token<'a>], names: &Names) -> &'t [Token<'a>] {
    let (mut at, mut first, mut end) = (0, None, 0);
    // A field that begins outside must not be cut.
    let is_inside = |token: &Token<'_>| {
        let name = token.name();
        token.kind == Kind::Start && names.is_text(name)
            || names.is(name, "fldChar")
            || names.is(name, "instrText")
    };
    while at < children.len() {
        let child = element(&children[at..]);
        if child.iter().any(is_inside) {
            first.get_or_insert(at);
            end = at + child.len();
        }
        at += child.len();
    }
    &children[first.unwrap_or(end)..end]
}

/// The formatting of most characters.
fn most_frequent<'a>(items: &[Item<'a>]) -> Option<Format<'a>> {
    let mut counts: Vec<(Format<'a>, usize)> = Vec::new();
    for item in items {
        let Item::Text(format, _, text) = item else {
            continue;
        };
        match counts.iter_mut().find(|(other, _)| other == format) {
            Some((_, count)) => *count += text.chars().count(),
            None => counts.push((*format, text.chars().count())),
        }
    }
    // Of equals the first.
    let most = counts.iter().rev().max_by_key(|(_, count)| *count)?;
    (most.1 > 0).then_some(most.0)
}

/// A field of the paragraph, complete: a link becomes a container, any other is copied with its
/// result. What is left of fields that go over several paragraphs is copied piece by piece.
fn fields<'a>(items: Vec<Item<'a>>, names: &Names) -> Vec<Item<'a>> {
    let mut out: Vec<Item<'a>> = Vec::new();
    // Begun fields: where they begin in `out`, and how many containers are open there.
    let mut begun: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0_usize;
    for item in items {
        match &item {
            Item::Open(_) => depth += 1,
            Item::Close(_) => {
                depth = depth.saturating_sub(1);
                begun.retain(|(_, at)| *at <= depth);
            }
            Item::FieldBegin(_) => begun.push((out.len(), depth)),
            Item::FieldEnd(_) => {
                if let Some((start, _)) = begun.pop_if(|(_, at)| *at == depth) {
                    out.push(item);
                    let field = out.split_off(start);
                    out.extend(field_of(field, names));
                    continue;
                }
            }
            _ => {}
        }
        out.push(item);
    }
    out
}

fn field_of<'a>(field: Vec<Item<'a>>, names: &Names) -> Vec<Item<'a>> {
    let is_link = field
        .iter()
        .any(|item| matches!(item, Item::FieldCode(code) if code.contains("HYPERLINK")));
    let separator = field
        .iter()
        .position(|item| matches!(item, Item::FieldSeparator(_)));
    let (Some(separator), true) = (separator, is_link) else {
        return vec![Item::Other(bytes(&field, names))];
    };
    let last = field.len() - 1;
    let mut items = vec![Item::Open(bytes(&field[..=separator], names))];
    let close = bytes(&field[last..], names);
    items.extend(field.into_iter().take(last).skip(separator + 1));
    items.push(Item::Close(close));
    items
}

fn bytes(items: &[Item<'_>], names: &Names) -> String {
    let mut bytes = String::new();
    for item in items {
        item.write(names, &mut bytes);
    }
    bytes
}

/// Puts a unit together.
struct Builder<'a> {
    unit: TaggedTextBuilder,
    /// The formatting that needs no element.
    base: Format<'a>,
    /// The formatting whose element is open.
    format: Option<Format<'a>>,
    elements: Vec<Element<'a>>,
    breaks: Vec<(Option<Format<'a>>, &'a str)>,
}

impl<'a> Builder<'a> {
    fn read(&mut self, items: &[Item<'a>], dialect: Dialect) {
        let mut containers = Vec::new();
        // The last element, when it is one to which others can be added.
        let mut other = false;
        for item in items {
            let joins = std::mem::take(&mut other);
            match item {
                Item::Text(format, _, text) => {
                    self.set_format((*format != self.base).then_some(*format));
                    if dialect == Dialect::Sheet {
                        self.unit.text(text);
                    } else {
                        self.unit.text(&text.replace(['\r', '\n'], " "));
                    }
                }
                Item::Break(format, raw) => {
                    self.unit.text("\n");
                    self.breaks.push((*format, raw));
                }
                Item::Open(raw) => {
                    self.set_format(None);
                    self.unit.open();
                    containers.push(self.elements.len());
                    self.elements
                        .push(Element::Container(raw.clone(), String::new()));
                }
                Item::Close(raw) => {
                    self.set_format(None);
                    self.unit.close();
                    let container = containers.pop().and_then(|i| self.elements.get_mut(i));
                    if let Some(Element::Container(_, close)) = container {
                        raw.clone_into(close);
                    }
                }
                Item::Other(raw)
                | Item::FieldBegin(raw)
                | Item::FieldCode(raw)
                | Item::FieldSeparator(raw)
                | Item::FieldEnd(raw) => {
                    other = true;
                    match self.elements.last_mut() {
                        Some(Element::Other(before)) if joins => before.push_str(raw),
                        _ => {
                            self.unit.empty();
                            self.elements.push(Element::Other(raw.clone()));
                        }
                    }
                }
            }
        }
        self.set_format(None);
    }

    fn set_format(&mut self, format: Option<Format<'a>>) {
        if self.format == format {
            return;
        }
        if self.format.take().is_some() {
            self.unit.close();
        }
        if let Some(format) = format {
            self.unit.open();
            self.elements.push(Element::Format(format));
        }
        self.format = format;
    }
}
