//! A tagged text and what its translated sentences make of it.

use std::borrow::Cow;
use std::ops::Range;

use csanmt_text::document::Document;

use super::kept::Masked;
use super::placement::{Pair, Unit, place};
use super::tagged::TaggedText;
use crate::alignment::{Alignment, proportional, same};
use crate::plan::Output;

/// A paragraph: its sentences are translated, then its elements are put in.
#[derive(Debug)]
pub(crate) struct Block {
    source: TaggedText,
    masked: Masked,
    document: Document,
    sentences: Vec<Range<usize>>,
    /// Where elements begin and end in its text, in order.
    edges: Vec<usize>,
}

/// A translated paragraph.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) text: TaggedText,
    /// It is as it was.
    pub(crate) copied: bool,
    /// One of its sentences reached the length limit.
    pub(crate) truncated: bool,
}

impl Block {
    pub(crate) fn new(source: TaggedText) -> Self {
        let masked = Masked::new(&source);
        let document = Document::parse(masked.text.text());
        let sentences = document.sentence_ranges().collect();
        let tags = masked.text.tags().iter();
        let mut edges: Vec<usize> = tags
            .flat_map(|tag| [tag.range.start, tag.range.end])
            .collect();
        edges.sort_unstable();
        Self {
            source,
            masked,
            document,
            sentences,
            edges,
        }
    }

    /// Number of sentences.
    pub(crate) fn sentences(&self) -> usize {
        self.sentences.len()
    }

    /// A sentence as the model should read it.
    pub(crate) fn source(&self, sentence: usize) -> Cow<'_, str> {
        self.document.sentence(self.sentences[sentence].clone())
    }

    pub(crate) fn original_text(&self, sentence: usize) -> &str {
        &self.document.text()[self.sentences[sentence].clone()]
    }

    /// Whether somebody has to know which words belong together.
    pub(crate) fn needs_alignment(&self, sentence: usize) -> bool {
        let range = &self.sentences[sentence];
        let next = self.edges.partition_point(|edge| *edge <= range.start);
        self.edges.get(next).is_some_and(|edge| *edge < range.end)
    }

    /// What it was.
    pub(crate) fn into_source(self) -> TaggedText {
        self.source
    }

    /// Puts the translations of all its sentences together.
    pub(crate) fn finish(&self, outputs: &[Output]) -> Finished {
        let text = self.document.text();
        let truncated = outputs.iter().any(|output| output.truncated);
        let copied = self
            .sentences
            .iter()
            .zip(outputs)
            .all(|(range, output)| text[range.clone()] == output.text);
        if copied {
            return Finished {
                text: self.source.clone(),
                copied,
                truncated,
            };
        }
        let texts: Vec<&str> = outputs.iter().map(|output| output.text.as_str()).collect();
        let rendered = self.document.render(&texts);
        if self.source.elements() == 0 {
            return Finished {
                text: TaggedText::plain(rendered.text),
                copied,
                truncated,
            };
        }
        let signs = self.masked.units(&rendered.text);
        let (mut units, mut pairs) = (Vec::new(), Vec::new());
        for ((source, output), target) in self.sentences.iter().zip(outputs).zip(rendered.ranges) {
            units.extend(units_of(
                &text[source.clone()],
                source.start,
                output,
                &rendered.text[target.clone()],
                target.start,
            ));
            pairs.push(Pair {
                source: source.clone(),
                target,
            });
        }
        let units = merge(signs, units);
        let places = place(&self.masked.text, &rendered.text, &pairs, &units);
        Finished {
            text: self.masked.restore(&self.source, &rendered.text, &places),
            copied,
            truncated,
        }
    }
}

/// The words of one sentence. `source_start` and `target_start` say where it lies.
fn units_of(
    source: &str,
    source_start: usize,
    output: &Output,
    target: &str,
    target_start: usize,
) -> Vec<Unit> {
    let alignment: Cow<'_, [Alignment]> = if source == target {
        Cow::Owned(same(source))
    } else if output.alignment.is_empty() || output.text.len() != target.len() {
        Cow::Owned(proportional(source, target))
    } else {
        Cow::Borrowed(&output.alignment)
    };
    let shift = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
    alignment
        .iter()
        .map(|pair| Unit {
            target: shift(&pair.target, target_start),
            source: Some(shift(&pair.source, source_start)),
            kept: None,
        })
        .collect()
}

/// Signs and the words that are no part of one, in order.
fn merge(signs: Vec<Unit>, words: Vec<Unit>) -> Vec<Unit> {
    let mut units = Vec::with_capacity(signs.len() + words.len());
    let mut signs = signs.into_iter().peekable();
    let mut end = 0;
    for word in words {
        while let Some(sign) = signs.next_if(|sign| sign.target.start < word.target.end) {
            end = sign.target.end;
            units.push(sign);
        }
        if word.target.start >= end {
            units.push(word);
        }
    }
    units.extend(signs);
    units
}
