//! A document in a markup language with its paragraphs taken out.
//!
//! What is between paragraphs is never looked at again: it is copied from the source, and so are
//! the tags in paragraphs.

use std::ops::Range;

use super::block::Finished;
use super::tagged::{Piece, TaggedText, TaggedTextBuilder};

/// How a paragraph is written in a markup language. `out` holds what has been written of it.
pub(crate) trait Syntax: std::fmt::Debug + Sync {
    /// Adds translated text of a paragraph to `out`, with what has a meaning in the language
    /// written so that it has none.
    fn push_text(&self, text: &str, place: Place, out: &mut String);

    /// Adds the content of a kept element as it is in the source.
    fn push_kept(&self, content: &str, out: &mut String) {
        out.push_str(content);
    }

    /// Adds the beginning of an element. `next` is the first character of what follows it.
    fn push_open(&self, tag: &str, _place: Place, _next: Option<char>, out: &mut String) {
        out.push_str(tag);
    }

    /// What has to stand between the beginnings of two elements, one in the other, that meet, and
    /// between their ends.
    fn between(&self, _tag: &str, _next: &str) -> &'static str {
        ""
    }

    /// The content of an element has vanished; `tag` was its beginning.
    fn push_nothing(&self, _tag: &str, _out: &mut String) {}
}

/// What is before a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The beginning of the paragraph or of a line.
    LineStart,
    /// The end of an element, whatever its tag.
    AfterClose,
    /// Anything else.
    Inside,
}

/// A source and where its paragraphs are.
#[derive(Debug)]
pub(crate) struct Template {
    source: String,
    frames: Vec<Frame>,
}

/// A paragraph in the source.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) range: Range<usize>,
    /// What is before and behind the content of every element.
    tags: Vec<Tags>,
    syntax: &'static dyn Syntax,
}

/// What is before and behind an element's content; empty where there is nothing.
#[derive(Debug, Clone, Default)]
struct Tags {
    open: Box<str>,
    close: Box<str>,
}

/// The document as far as it is translated.
#[derive(Debug, Default)]
pub(crate) struct Progressed {
    pub(crate) text: String,
    /// Where each paragraph stands in it.
    pub(crate) ranges: Vec<Range<usize>>,
    /// Bytes of the source that are done.
    done: usize,
}

impl Template {
    /// The frames are in order and do not overlap.
    pub(crate) fn new(source: &str, frames: Vec<Frame>) -> Self {
        Self {
            source: source.to_owned(),
            frames,
        }
    }

    /// The bytes of a paragraph in the source.
    pub(crate) fn range(&self, block: usize) -> Range<usize> {
        self.frames[block].range.clone()
    }

    /// Adds the paragraphs that have been finished, and what is between them.
    pub(crate) fn progress(&self, finished: &[Finished], so_far: &mut Progressed) {
        for (frame, finished) in self.frames.iter().zip(finished).skip(so_far.ranges.len()) {
            so_far
                .text
                .push_str(&self.source[so_far.done..frame.range.start]);
            let start = so_far.text.len();
            if finished.copied {
                so_far.text.push_str(&self.source[frame.range.clone()]);
            } else {
                so_far.text.push_str(&frame.write(&finished.text));
            }
            so_far.ranges.push(start..so_far.text.len());
            so_far.done = frame.range.end;
        }
        if so_far.ranges.len() == self.frames.len() {
            so_far.text.push_str(&self.source[so_far.done..]);
            so_far.done = self.source.len();
        }
    }
}

impl Frame {
    /// A translated paragraph.
    pub(crate) fn write(&self, text: &TaggedText) -> String {
        let mut paragraph = String::new();
        let out = &mut paragraph;
        let pieces: Vec<Piece<'_>> = text.pieces().collect();
        let mut kept = false;
        let mut place = Place::LineStart;
        for (i, piece) in pieces.iter().enumerate() {
            match *piece {
                Piece::Text(content) => {
                    if kept {
                        self.syntax.push_kept(content, out);
                    } else {
                        self.syntax.push_text(content, place, out);
                    }
                    place = Place::Inside;
                }
                Piece::Open(element) => {
                    kept = text.is_kept(element);
                    let tag = &self.tags[element].open;
                    let next = &pieces[i + 1..];
                    let separator = next.first().map_or("", |next| self.separator(piece, next));
                    let next = separator.chars().next().or_else(|| self.first_char(next));
                    self.syntax.push_open(tag, place, next, out);
                    out.push_str(separator);
                    if !tag.is_empty() {
                        place = place_behind(tag, Place::Inside);
                    }
                }
                Piece::Close(element) => {
                    kept = false;
                    let Tags { open, close: tag } = &self.tags[element];
                    if i > 0 && pieces[i - 1] == Piece::Open(element) {
                        self.syntax.push_nothing(open, out);
                    }
                    out.push_str(tag);
                    if let Some(next) = pieces.get(i + 1) {
                        out.push_str(self.separator(piece, next));
                    }
                    if !tag.is_empty() {
                        place = place_behind(tag, Place::AfterClose);
                    }
                }
            }
        }
        paragraph
    }

    /// What keeps a tag from meeting the next one.
    fn separator(&self, piece: &Piece<'_>, next: &Piece<'_>) -> &'static str {
        match (*piece, *next) {
            (Piece::Open(outer), Piece::Open(inner)) => self
                .syntax
                .between(&self.tags[outer].open, &self.tags[inner].open),
            (Piece::Close(inner), Piece::Close(outer)) => self
                .syntax
                .between(&self.tags[inner].close, &self.tags[outer].close),
            _ => "",
        }
    }

    /// The first character of some pieces that is no mark of emphasis.
    fn first_char(&self, pieces: &[Piece<'_>]) -> Option<char> {
        pieces.iter().find_map(|piece| match *piece {
            Piece::Text(content) => content.chars().next(),
            Piece::Open(element) => first_of(&self.tags[element].open),
            Piece::Close(element) => first_of(&self.tags[element].close),
        })
    }

    /// The same in a longer source that has `offset` bytes before this one.
    pub(crate) fn shifted(mut self, offset: usize) -> Self {
        self.range = self.range.start + offset..self.range.end + offset;
        self
    }
}

fn first_of(tag: &str) -> Option<char> {
    tag.chars().next().filter(|c| !matches!(c, '*' | '_' | '~'))
}

fn place_behind(tag: &str, otherwise: Place) -> Place {
    if tag.contains('\n') {
        Place::LineStart
    } else {
        otherwise
    }
}

/// A paragraph being read.
#[derive(Debug, Default)]
pub(crate) struct Paragraph {
    text: TaggedTextBuilder,
    tags: Vec<Tags>,
    /// Elements with content.
    elements: Vec<usize>,
    /// The contents of kept elements.
    kept: Vec<Range<usize>>,
    range: Option<Range<usize>>,
}

impl Paragraph {
    /// Nothing has been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.range.is_none()
    }

    /// The text read so far.
    pub(crate) fn text(&self) -> &str {
        self.text.as_text()
    }

    pub(crate) fn push_text(&mut self, text: &str, range: Range<usize>) {
        self.cover(range);
        self.text.text(text);
    }

    /// Begins an element and returns its number. `tag` may be empty.
    pub(crate) fn open(&mut self, source: &str, tag: Range<usize>) -> usize {
        self.cover(tag.clone());
        self.tags.push(Tags {
            open: source[tag].into(),
            close: "".into(),
        });
        let element = self.text.open();
        self.elements.push(element);
        element
    }

    /// Ends the innermost element, which is `element`.
    pub(crate) fn close(&mut self, source: &str, element: usize, tag: Range<usize>) {
        self.cover(tag.clone());
        self.tags[element].close = source[tag].into();
        self.text.close();
    }

    /// Adds to what is behind the content of an element.
    pub(crate) fn extend_close(&mut self, element: usize, more: &str) {
        let tag = &mut self.tags[element].close;
        *tag = format!("{tag}{more}").into();
    }

    /// Something without text that is part of the paragraph.
    pub(crate) fn push_empty(&mut self, source: &str, bytes: Range<usize>) {
        self.cover(bytes.clone());
        self.tags.push(Tags {
            open: source[bytes].into(),
            close: "".into(),
        });
        self.text.empty();
    }

    /// Something whose content is copied: `all` with its tags, `content` without.
    pub(crate) fn push_kept(&mut self, source: &str, all: Range<usize>, content: Range<usize>) {
        self.cover(all.clone());
        self.text.keep(&source[content.clone()]);
        self.kept.push(content.clone());
        self.tags.push(Tags {
            open: source[all.start..content.start].into(),
            close: source[content.end..all.end].into(),
        });
    }

    /// Whether `c` is in something that is copied: tags, kept elements.
    pub(crate) fn copies(&self, source: &str, c: char) -> bool {
        let in_tags = |tags: &Tags| tags.open.contains(c) || tags.close.contains(c);
        let is_kept = |content: &Range<usize>| source[content.clone()].contains(c);
        self.tags.iter().any(in_tags) || self.kept.iter().any(is_kept)
    }

    /// The bytes up to `end` belong to the paragraph.
    pub(crate) fn skip_to(&mut self, end: usize) {
        if let Some(range) = &mut self.range {
            range.end = range.end.max(end);
        }
    }

    fn cover(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let own = self.range.get_or_insert(range.clone());
        own.end = own.end.max(range.end);
    }

    /// The paragraph, unless nothing of it is in the source.
    pub(crate) fn finish(mut self, syntax: &'static dyn Syntax) -> Option<(TaggedText, Frame)> {
        for &element in &self.elements {
            // Half of it is in another paragraph.
            let Tags { open, close } = &self.tags[element];
            self.text.hold(element, open.is_empty(), close.is_empty());
        }
        let frame = Frame {
            range: self.range?,
            tags: self.tags,
            syntax,
        };
        Some((self.text.build(), frame))
    }
}
