//! A text as sentences and what stands between them.
//!
//! Segments tile the text: sentences are translated, gaps (line breaks, blank lines, indentation,
//! white space at the ends of lines, invisible characters) are copied byte for byte. White space
//! between two sentences of one line is neither: in the output it is what the written language
//! wants there.

mod rendering;

pub use rendering::Rendering;

use crate::invisible::{clean, is_gap};
use crate::sentence::SentenceSplitter;
use std::borrow::Cow;
use std::ops::Range;

/// The mark with which callers of the original separate sentences themselves.
pub const SENTENCE_MARK: &str = "<SENT_SPLIT>";

/// What a stretch of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// To be translated.
    Sentence,
    /// Copied to the output byte for byte.
    Gap,
    /// White space between two sentences of a line.
    Space,
}

/// A stretch of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// What it is.
    pub kind: SegmentKind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// A text with its segments.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    segments: Vec<Segment>,
}

/// Segments being laid over a text, first to last.
struct Tiling<'t> {
    text: &'t str,
    segments: Vec<Segment>,
}

/// A document with its sentences replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// The whole output.
    pub text: String,
    /// Where each sentence stands in it.
    pub ranges: Vec<Range<usize>>,
}

impl Document {
    /// Splits `text` by the default rules.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self::parse_with(text, &SentenceSplitter::default())
    }

    /// Splits `text` with `splitter`.
    #[must_use]
    pub fn parse_with(text: &str, splitter: &SentenceSplitter) -> Self {
        let mut tiling = Tiling {
            text,
            segments: Vec::new(),
        };
        let mut start = 0;
        for line in text.split_inclusive(is_line_break) {
            tiling.push_line(start..start + line.len(), splitter);
            start += line.len();
        }
        Self {
            text: text.to_owned(),
            segments: tiling.segments,
        }
    }

    /// Splits a text whose lines were wrapped: a sentence may go over several lines, and only blank or
    /// indented lines begin a new paragraph. In the output a paragraph is one line.
    #[must_use]
    pub fn parse_wrapped(text: &str) -> Self {
        let splitter = SentenceSplitter::default();
        let mut tiling = Tiling {
            text,
            segments: Vec::new(),
        };
        let (mut start, mut end) = (0, 0);
        for line in text.split_inclusive(is_line_break) {
            let begins = is_blank(line) || line.starts_with(is_gap);
            if begins && start < end {
                tiling.push_line(start..end, &splitter);
                start = end;
            }
            end += line.len();
            if is_blank(line) {
                tiling.push_line(start..end, &splitter);
                start = end;
            }
        }
        if start < end {
            tiling.push_line(start..end, &splitter);
        }
        Self {
            text: text.to_owned(),
            segments: tiling.segments,
        }
    }

    /// The text that was split.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All segments; joined they are the text.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The sentences as bytes of the text.
    pub fn sentence_ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.segments
            .iter()
            .filter(|segment| segment.kind == SegmentKind::Sentence)
            .map(|segment| segment.range.clone())
    }

    /// Some of the sentences as a document of their own, and where its text begins in this one's:
    /// with what stands behind each of them, and for the first sentence also before it. An empty
    /// run of sentences is an empty document.
    #[must_use]
    pub fn part(&self, sentences: Range<usize>) -> (Self, usize) {
        let places: Vec<usize> = (0..self.segments.len())
            .filter(|&i| self.segments[i].kind == SegmentKind::Sentence)
            .collect();
        let place = |sentence: usize| match sentence {
            0 => 0,
            _ => places.get(sentence).copied().unwrap_or(self.segments.len()),
        };
        let range = place(sentences.start)..place(sentences.end).max(place(sentences.start));
        let begin = |segment: usize| {
            let segment = self.segments.get(segment);
            segment.map_or(self.text.len(), |segment| segment.range.start)
        };
        let (start, end) = (begin(range.start), begin(range.end));
        let part = Self {
            text: self.text[start..end].to_owned(),
            segments: self.segments[range]
                .iter()
                .map(|segment| Segment {
                    kind: segment.kind,
                    range: segment.range.start - start..segment.range.end - start,
                })
                .collect(),
        };
        (part, start)
    }

    /// The sentences as they should be given to the model, without invisible characters.
    pub fn sentences(&self) -> impl Iterator<Item = Cow<'_, str>> + '_ {
        self.sentence_ranges().map(|range| self.sentence(range))
    }

    /// One sentence as it should be given to the model, without invisible characters.
    ///
    /// # Panics
    /// If the range is not one of [`sentence_ranges`](Self::sentence_ranges).
    #[must_use]
    pub fn sentence(&self, range: Range<usize>) -> Cow<'_, str> {
        match clean(&self.text[range.clone()]) {
            // Line breaks are only in sentences that go over several lines.
            Cow::Owned(_) if self.text[range.clone()].contains(is_line_break) => {
                Cow::Owned(clean(&joined(&self.text[range])).into_owned())
            }
            cleaned => cleaned,
        }
    }

    /// The text with translations in place of its sentences and one space between two sentences of
    /// a line; between two that are not changed, what the source has there. A sentence without a
    /// translation is copied.
    #[must_use]
    pub fn render<S: AsRef<str>>(&self, translations: &[S]) -> Rendered {
        self.render_joined(translations, " ")
    }

    /// As [`render`](Self::render), with `joiner` between two sentences of a line: empty for a
    /// language written without spaces.
    #[must_use]
    pub fn render_joined<S: AsRef<str>>(&self, translations: &[S], joiner: &str) -> Rendered {
        let mut rendering = Rendering::new(self);
        let mut translations = translations.iter();
        let ranges = self
            .sentence_ranges()
            .map(|source| {
                let translation = translations.next().map(AsRef::as_ref);
                let translation = translation.unwrap_or(&self.text[source]);
                rendering.push(self, translation, joiner)
            })
            .collect();
        Rendered {
            text: rendering.into_text(),
            ranges,
        }
    }
}

impl Tiling<'_> {
    /// `line` includes its line break, if it has one.
    fn push_line(&mut self, line: Range<usize>, splitter: &SentenceSplitter) {
        let mut start = line.start;
        for part in self.text[line.clone()].split(SENTENCE_MARK) {
            let end = start + part.len();
            // Tabs separate columns.
            for cell in part.split_inclusive('\t') {
                for sentence in splitter.split(cell) {
                    let sentence = start + sentence.start..start + sentence.end;
                    self.push_between(sentence.start, start);
                    self.segments.push(Segment {
                        kind: SegmentKind::Sentence,
                        range: sentence,
                    });
                }
                start += cell.len();
            }
            self.push_gap(end);
            // The mark itself; behind the last part there is none.
            start = (end + SENTENCE_MARK.len()).min(line.end);
            self.push_gap(start);
        }
    }

    /// Covers the text up to `end`, before a sentence of the part that begins at `part`.
    fn push_between(&mut self, end: usize, part: usize) {
        let start = self.covered();
        let between = &self.text[start..end];
        // What is not white space must not be lost.
        let replaceable = between.chars().all(char::is_whitespace);
        if start > part && replaceable {
            if start < end {
                self.segments.push(Segment {
                    kind: SegmentKind::Space,
                    range: start..end,
                });
            }
        } else {
            self.push_gap(end);
        }
    }

    /// Covers the text up to `end` with a gap.
    fn push_gap(&mut self, end: usize) {
        let start = self.covered();
        if start >= end {
            return;
        }
        match self.segments.last_mut() {
            Some(Segment {
                kind: SegmentKind::Gap,
                range,
            }) => range.end = end,
            _ => self.segments.push(Segment {
                kind: SegmentKind::Gap,
                range: start..end,
            }),
        }
    }

    fn covered(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.range.end)
    }
}

/// Whether `c` ends a line. In `\r\n` the `\n` makes an empty line of its own, which is a gap.
fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// The lines of a sentence one behind the other: between Chinese characters and marks nothing, else
/// a space.
fn joined(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    for line in sentence.split(is_line_break).map(str::trim) {
        let is_latin = |c: char| c.is_ascii_graphic();
        if out.ends_with(is_latin) || (!out.is_empty() && line.starts_with(is_latin)) {
            out.push(' ');
        }
        out.push_str(line);
    }
    out
}

/// Whether `text` has nothing to translate.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_tile_the_text_and_have_its_sentences() {
        let text = "  一。二。 三。\n\n\t四！五。<SENT_SPLIT>六。\r\n";
        let document = Document::parse(text);
        let all: Vec<Cow<'_, str>> = document.sentences().collect();
        assert_eq!(all.len(), 6);
        for size in 1..=7 {
            let (mut joined, mut sentences) = (String::new(), Vec::new());
            for first in (0..all.len()).step_by(size) {
                let last = (first + size).min(all.len());
                let (part, start) = document.part(first..last);
                assert_eq!(start, joined.len());
                joined.push_str(part.text());
                sentences.extend(part.sentences().map(Cow::into_owned));
            }
            assert_eq!(joined, text);
            assert_eq!(sentences, all);
        }
        assert_eq!(document.part(6..9).0.text(), "");
        assert_eq!(Document::parse("\n").part(0..1).0.text(), "\n");
    }

    #[test]
    fn c6_wrapped_lines_are_joined() {
        let text =
            "今天天气\n很好，我们\n去公园。明天\n再来。\n\n这是 the\nend。\n　　新的段落。\n";
        let document = Document::parse_wrapped(text);
        let sentences: Vec<Cow<'_, str>> = document.sentences().collect();
        assert_eq!(
            sentences,
            [
                "今天天气很好，我们去公园。",
                "明天再来。",
                "这是 the end。",
                "新的段落。"
            ]
        );
        let rendered = document.render(&["A.", "B.", "C.", "D."]).text;
        assert_eq!(rendered, "A. B.\n\nC.\n　　D.\n");
        assert_eq!(
            document
                .segments()
                .iter()
                .map(|s| &text[s.range.clone()])
                .collect::<String>(),
            text
        );
    }
}
