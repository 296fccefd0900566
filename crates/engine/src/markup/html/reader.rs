//! From tokens to paragraphs.

use std::ops::Range;

use csanmt_text::script::is_han;

use super::Html;
use super::elements::{Role, ends_at, is_void};
use super::token::{Kind, Token};
use crate::markup::TaggedText;
use crate::markup::template::{Frame, Paragraph};

/// How many open elements an end tag is compared with.
const MAX_DEPTH: usize = 256;

/// Inline elements that stay open over the end of a paragraph; more are not followed.
const MAX_CARRIED: usize = 16;

pub(crate) struct Reader<'s> {
    source: &'s str,
    texts: Vec<TaggedText>,
    frames: Vec<Frame>,
    paragraph: Paragraph,
    /// Open inline elements of the paragraph.
    open: Vec<Open>,
    /// Names of inline elements that were open when the last paragraph ended.
    carried: Vec<String>,
    /// White space that counts when something follows it in the paragraph.
    space: Option<(String, Range<usize>)>,
    /// An element whose content is not looked at.
    skipped: Option<Skipped>,
    /// Open elements whose lines count.
    lines: usize,
    /// End of the last token.
    done: usize,
}

struct Open {
    name: String,
    element: usize,
}

/// An element whose content is copied or no text.
struct Skipped {
    name: String,
    role: Role,
    open: Range<usize>,
    /// Open elements in it.
    inner: Vec<String>,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self {
            source,
            texts: Vec::new(),
            frames: Vec::new(),
            paragraph: Paragraph::default(),
            open: Vec::new(),
            carried: Vec::new(),
            space: None,
            skipped: None,
            lines: 0,
            done: 0,
        }
    }

    pub(crate) fn take(&mut self, token: Token) {
        if let Some(skipped) = self.skipped.take() {
            self.skip(skipped, token);
            return;
        }
        let Token { range, kind } = token;
        // What the tokenizer makes nothing of, inside a paragraph.
        if self.done < range.start && !self.paragraph.is_empty() {
            self.push_empty(self.done..range.start);
        }
        self.done = range.end;
        match kind {
            Kind::Text(text) => self.push_text(&text, range),
            Kind::Comment if self.paragraph.is_empty() => {}
            Kind::Comment => self.push_empty(range),
            Kind::Doctype => self.end_paragraph(),
            Kind::Start { name, kept } => self.start(name, kept, range),
            Kind::End { name } => self.end(&name, range),
        }
    }

    /// The paragraphs and where they are.
    pub(crate) fn finish(mut self) -> (Vec<TaggedText>, Vec<Frame>) {
        // An element without an end: the rest of the document is in it, and stays.
        self.end_paragraph();
        (self.texts, self.frames)
    }

    fn start(&mut self, name: String, kept: bool, range: Range<usize>) {
        let role = Role::of(&name);
        if role.breaks() {
            self.end_paragraph();
        }
        let inside = matches!(role, Role::Code | Role::Hidden) || kept;
        if inside && !is_void(&name) {
            self.skipped = Some(Skipped {
                name,
                role,
                open: range,
                inner: Vec::new(),
            });
            return;
        }
        // XML, as placeholders in texts for translation are written: `<x id="1"/>`.
        let closed = role == Role::Inline && self.source[range.clone()].ends_with("/>");
        if role == Role::Lines {
            self.lines += 1;
        } else if role == Role::Void || closed {
            if !self.paragraph.is_empty() {
                self.push_empty(range);
            }
        } else if role == Role::Inline {
            self.begin();
            self.push_space(None);
            let element = self.paragraph.open(self.source, range);
            self.open.push(Open { name, element });
        }
    }

    fn end(&mut self, name: &str, range: Range<usize>) {
        let role = Role::of(name);
        if role.breaks() {
            self.end_paragraph();
            if role == Role::Lines {
                self.lines = self.lines.saturating_sub(1);
            }
            return;
        }
        if self.paragraph.is_empty() {
            if let Some(i) = self.carried.iter().rposition(|carried| carried == name) {
                self.carried.remove(i);
            }
            return;
        }
        self.push_space(None);
        let inner = self.open.len().saturating_sub(MAX_DEPTH);
        let place = self.open[inner..]
            .iter()
            .rposition(|open| open.name == name);
        let Some(i) = place.map(|i| inner + i) else {
            self.paragraph.push_empty(self.source, range);
            return;
        };
        // What was opened in it ends with it; end tags that come later stand alone.
        for open in self.open.drain(i + 1..).rev() {
            self.paragraph.close(self.source, open.element, 0..0);
        }
        if let Some(open) = self.open.pop() {
            self.paragraph.close(self.source, open.element, range);
        }
    }

    /// One more token behind the start of an element that is skipped.
    fn skip(&mut self, mut skipped: Skipped, token: Token) {
        let Token { range, kind } = token;
        match kind {
            Kind::Start { name, kept } => {
                if skipped.inner.is_empty() && ends_at(&skipped.name, &name) {
                    self.end_skipped(&skipped, range.start..range.start);
                    self.done = range.end;
                    self.start(name, kept, range);
                    return;
                }
                if !is_void(&name) {
                    skipped.inner.push(name);
                }
            }
            Kind::End { name } => {
                let inner = skipped.inner.len().saturating_sub(MAX_DEPTH);
                let place = skipped.inner[inner..]
                    .iter()
                    .rposition(|open| *open == name);
                if let Some(i) = place {
                    skipped.inner.truncate(inner + i);
                } else if name == skipped.name {
                    self.end_skipped(&skipped, range.clone());
                    self.done = range.end;
                    return;
                } else if Role::of(&name).breaks() {
                    // What is around it ends, and so does it.
                    self.end_skipped(&skipped, range.start..range.start);
                    self.done = range.end;
                    self.end(&name, range);
                    return;
                }
            }
            _ => {}
        }
        self.skipped = Some(skipped);
    }

    fn end_skipped(&mut self, skipped: &Skipped, close: Range<usize>) {
        let Skipped { role, open, .. } = skipped;
        match role {
            Role::Block | Role::Lines => {}
            Role::Hidden | Role::Void if self.paragraph.is_empty() => {}
            Role::Hidden | Role::Void => self.push_empty(open.start..close.end),
            Role::Inline | Role::Code => {
                self.begin();
                self.push_space(None);
                let content = open.end..close.start;
                self.paragraph
                    .push_kept(self.source, open.start..close.end, content);
            }
        }
    }

    fn push_empty(&mut self, bytes: Range<usize>) {
        self.push_space(None);
        self.paragraph.push_empty(self.source, bytes);
    }

    fn push_text(&mut self, text: &str, range: Range<usize>) {
        if self.lines > 0 {
            if !self.paragraph.is_empty() || !text.trim().is_empty() {
                self.begin();
                self.paragraph.push_text(text, range);
            }
            return;
        }
        let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
        let raw = &self.source[range.clone()];
        let first = text.trim_start_matches(is_space);
        if first.is_empty() {
            self.add_space(text, range);
            return;
        }
        // White space that is written as references is part of the words.
        let before = raw.len() - raw.trim_start_matches(is_space).len();
        let behind = raw.len() - raw.trim_end_matches(is_space).len();
        let start = range.start + before;
        if before > 0 {
            self.add_space(&raw[..before], range.start..start);
        }
        let words = first.trim_end_matches(is_space);
        self.begin();
        self.push_space(words.chars().next());
        self.paragraph
            .push_text(&collapse(words, is_space), start..range.end - behind);
        if behind > 0 {
            self.add_space(&raw[raw.len() - behind..], range.end - behind..range.end);
        }
    }

    fn add_space(&mut self, text: &str, range: Range<usize>) {
        if self.paragraph.is_empty() {
            return;
        }
        let (space, bytes) = self.space.get_or_insert((String::new(), range.clone()));
        space.push_str(text);
        bytes.end = range.end;
    }

    /// White space before more of the paragraph.
    fn push_space(&mut self, next: Option<char>) {
        if let Some((space, range)) = self.space.take() {
            let last = self.paragraph.text().chars().next_back();
            let text = if vanishes(&space, last, next) {
                ""
            } else {
                " "
            };
            self.paragraph.push_text(text, range);
        }
    }

    /// Begins a paragraph if none is open, with the elements that are.
    fn begin(&mut self) {
        if self.paragraph.is_empty() && self.open.is_empty() {
            for name in std::mem::take(&mut self.carried) {
                let element = self.paragraph.open(self.source, 0..0);
                self.open.push(Open { name, element });
            }
        }
    }

    fn end_paragraph(&mut self) {
        self.space = None;
        let paragraph = std::mem::take(&mut self.paragraph);
        if paragraph.is_empty() {
            return;
        }
        let open = std::mem::take(&mut self.open);
        self.carried = open.into_iter().map(|open| open.name).collect();
        self.carried.truncate(MAX_CARRIED);
        if let Some((text, frame)) = paragraph.finish(&Html) {
            self.texts.push(text);
            self.frames.push(frame);
        }
    }
}

/// White space of a source that only breaks a line between two Chinese characters.
fn vanishes(space: &str, before: Option<char>, behind: Option<char>) -> bool {
    let chinese =
        |c: char| is_han(c) || matches!(c, '\u{3001}'..='\u{301f}' | '\u{ff01}'..='\u{ff5e}');
    space.contains(['\n', '\r']) && before.is_some_and(chinese) && behind.is_none_or(chinese)
}

/// `text` with one space in place of white space.
fn collapse(text: &str, is_space: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&is_space) {
        out.push_str(&rest[..at]);
        let behind = rest[at..].trim_start_matches(&is_space);
        let space = &rest[at..rest.len() - behind.len()];
        if !vanishes(space, out.chars().next_back(), behind.chars().next()) {
            out.push(' ');
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}
