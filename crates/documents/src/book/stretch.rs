//! What stands between two blocks of a page: text with inline elements.

use csanmt::markup::{Piece, TaggedText, TaggedTextBuilder};

use crate::DocumentError;
use crate::passage::{Passage, Sink};
use crate::xml::{Kind, Token, decode_reference, element, push_escaped};

/// Inline elements whose text is copied.
const KEPT: &[&str] = &["code", "kbd", "samp", "tt", "var"];
/// Inline elements that are no text of the sentence.
const OPAQUE: &[&str] = &["math", "rp", "rt", "svg"];

/// Whether the author asks that an element be left alone.
pub(super) fn is_kept(token: &Token<'_>) -> bool {
    token.attribute("translate") == Some("no")
        || token.attribute("class").is_some_and(|classes| {
            classes
                .split_ascii_whitespace()
                .any(|class| class == "notranslate")
        })
}

/// Hands out the text of the tokens. An element that only begins or only ends here divides them.
pub(super) fn passages<'a>(
    text: &'a str,
    tokens: &[Token<'a>],
    copied: &mut usize,
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let partners = partners(tokens);
    let mut start = 0;
    for end in 0..=tokens.len() {
        let divides = tokens.get(end).is_none_or(|token| {
            matches!(token.kind, Kind::Start | Kind::End) && partners[end].is_none()
        });
        if !divides {
            continue;
        }
        let (first, last) = trim(tokens, &partners, start, end);
        if let Some(passage) = passage(text, &tokens[first..last]) {
            let begin = offset(text, passage.source);
            sink.copy(&text[*copied..begin])?;
            *copied = begin + passage.source.len();
            sink.passage(passage)?;
        }
        start = end + 1;
    }
    Ok(())
}

/// Where a part of a text begins.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// The index of the other half of each tag.
fn partners(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Start => open.push(i),
            Kind::End => {
                if let Some(start) = open.pop() {
                    partners[start] = Some(i);
                    partners[i] = Some(start);
                }
            }
            _ => {}
        }
    }
    partners
}

/// Without what stands around the text: blank text, images, elements that have all of it.
fn trim(
    tokens: &[Token<'_>],
    partners: &[Option<usize>],
    mut first: usize,
    mut last: usize,
) -> (usize, usize) {
    let is_nothing = |token: &Token<'_>| match token.kind {
        Kind::Text => token.raw.trim_ascii().is_empty(),
        Kind::Empty | Kind::Other => true,
        _ => false,
    };
    loop {
        if first >= last {
            return (first, first);
        }
        if is_nothing(&tokens[first]) {
            first += 1;
        } else if is_nothing(&tokens[last - 1]) {
            last -= 1;
        } else if partners[first] == Some(last - 1) && !is_whole(&tokens[first]) {
            (first, last) = (first + 1, last - 1);
        } else {
            return (first, last);
        }
    }
}

/// Whether an element is handled with its content.
fn is_whole(token: &Token<'_>) -> bool {
    let name = token.local_name();
    KEPT.contains(&name) || OPAQUE.contains(&name) || is_kept(token)
}

fn passage<'a>(text: &'a str, tokens: &[Token<'a>]) -> Option<Passage<'a>> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    // White space at the ends is no part of the passage.
    let start = match first.kind {
        Kind::Text => first.end() - first.raw.trim_ascii_start().len(),
        _ => first.start,
    };
    let end = match last.kind {
        Kind::Text => last.start + last.raw.trim_ascii_end().len(),
        _ => last.end(),
    };
    let mut reader = Reader {
        text,
        unit: TaggedText::builder(),
        gap: None,
        elements: Vec::new(),
        breaks: Vec::new(),
    };
    reader.read(tokens);
    let unit = reader.unit.build();
    if unit.text().trim().is_empty() {
        return None;
    }
    let (elements, breaks) = (reader.elements, reader.breaks);
    Some(Passage {
        source: &text[start..end],
        unit,
        write: Box::new(move |translation, out| write(translation, &elements, &breaks, out)),
    })
}

/// An element of a unit.
#[derive(Debug, Clone, PartialEq)]
struct Element<'a> {
    open: &'a str,
    close: &'a str,
    /// `open` has the content too.
    whole: bool,
}

struct Reader<'a> {
    text: &'a str,
    unit: TaggedTextBuilder,
    /// White space that was met and not yet written; whether it ends a line of the file.
    gap: Option<bool>,
    elements: Vec<Element<'a>>,
    breaks: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, tokens: &[Token<'a>]) {
        let mut open = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let whole = element(&tokens[at..]);
            let raw = &self.text[token.start..whole[whole.len() - 1].end()];
            let mut used = 1;
            match token.kind {
                Kind::Text => self.characters(token.raw),
                Kind::CData => {
                    let inner = token.raw.strip_prefix("<![CDATA[");
                    self.characters(
                        inner
                            .and_then(|raw| raw.strip_suffix("]]>"))
                            .unwrap_or_default(),
                    );
                }
                Kind::Reference => match decode_reference(token.raw) {
                    Some(char) => self.characters(char.encode_utf8(&mut [0; 4])),
                    None => {
                        self.fill_gap(None);
                        self.unit.keep(token.raw);
                        self.push(token.raw, true);
                    }
                },
                Kind::Start | Kind::Empty if token.local_name() == "br" => {
                    self.gap = None;
                    self.unit.text("\n");
                    self.breaks.push(raw);
                    used = whole.len();
                }
                Kind::Start if is_whole(token) => {
                    self.fill_gap(None);
                    if OPAQUE.contains(&token.local_name()) {
                        self.unit.empty();
                    } else {
                        self.unit.keep(&plain(&whole[1..whole.len() - 1]));
                    }
                    self.push(raw, true);
                    used = whole.len();
                }
                Kind::Start => {
                    self.fill_gap(None);
                    self.unit.open();
                    open.push(self.elements.len());
                    self.push(token.raw, false);
                }
                Kind::End => {
                    self.fill_gap(None);
                    self.unit.close();
                    let element = open.pop().and_then(|i| self.elements.get_mut(i));
                    if let Some(element) = element {
                        element.close = token.raw;
                    }
                }
                Kind::Empty | Kind::Other => {
                    self.fill_gap(None);
                    self.unit.empty();
                    self.push(token.raw, true);
                }
            }
            at += used;
        }
    }

    fn push(&mut self, open: &'a str, whole: bool) {
        self.elements.push(Element {
            open,
            close: "",
            whole,
        });
    }

    /// White space of the file is one space, or none where a line of Chinese goes on.
    fn characters(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_space = |c: char| c.is_ascii_whitespace();
            let spaces = rest.find(|c| !is_space(c)).unwrap_or(rest.len());
            if spaces > 0 {
                let ends_line = rest[..spaces].contains(['\r', '\n']);
                *self.gap.get_or_insert(false) |= ends_line;
                rest = &rest[spaces..];
                continue;
            }
            self.fill_gap(Some(first));
            let length = rest.find(is_space).unwrap_or(rest.len());
            self.unit.text(&rest[..length]);
            rest = &rest[length..];
        }
    }

    /// `next` is the character behind the gap; without it an element begins or ends.
    fn fill_gap(&mut self, next: Option<char>) {
        let Some(ends_line) = self.gap.take() else {
            return;
        };
        let before = self.unit.as_text().chars().next_back();
        let wide = |c: Option<char>| c.is_some_and(|c| c >= '\u{2e80}');
        let chinese = wide(before) && (next.is_none() || wide(next));
        if matches!(before, None | Some('\n' | ' ')) || (ends_line && chinese) {
            return;
        }
        self.unit.text(" ");
    }
}

/// The text in some tokens.
fn plain(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token.kind {
            Kind::Text => text.push_str(&token.raw.replace(['\r', '\n'], " ")),
            Kind::Reference => match decode_reference(token.raw) {
                Some(char) => text.push(char),
                None => text.push_str(token.raw),
            },
            _ => {}
        }
    }
    text
}

fn write(translation: &TaggedText, elements: &[Element<'_>], breaks: &[&str], out: &mut String) {
    let mut breaks = breaks.iter();
    let mut inside_whole = 0;
    for piece in translation.pieces() {
        match piece {
            Piece::Open(number) => {
                out.push_str(elements[number].open);
                inside_whole += usize::from(elements[number].whole);
            }
            Piece::Close(number) => {
                out.push_str(elements[number].close);
                inside_whole -= usize::from(elements[number].whole);
            }
            Piece::Text(_) if inside_whole > 0 => {}
            Piece::Text(text) => {
                for (number, line) in text.split('\n').enumerate() {
                    if number > 0 {
                        out.push_str(breaks.next().unwrap_or(&" "));
                    }
                    push_escaped(line, out);
                }
            }
        }
    }
    for lost in breaks {
        out.push_str(lost);
    }
}
