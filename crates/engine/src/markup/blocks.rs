//! Tagged texts as one job.

use std::borrow::Cow;
use std::ops::Range;

use csanmt_text::document::Document;

use super::kept::Masked;
use super::placement::{Unit, place};
use super::tagged::TaggedText;
use crate::alignment::{Alignment, proportional, same};
use crate::plan::Output;

/// A paragraph: its sentences are translated, then its elements are put in.
#[derive(Debug)]
struct Block {
    source: TaggedText,
    masked: Masked,
    document: Document,
    /// Number of its first sentence.
    first: usize,
    sentences: Vec<Range<usize>>,
}

/// Paragraphs of one job, in order. Their sentences are numbered through.
#[derive(Debug)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    sentences: usize,
    finished: Vec<TaggedText>,
}

impl Blocks {
    pub(crate) fn new(texts: Vec<TaggedText>) -> Self {
        let mut first = 0;
        let blocks: Vec<Block> = texts
            .into_iter()
            .map(|source| {
                let masked = Masked::new(&source);
                let document = Document::parse(masked.text.text());
                let sentences: Vec<Range<usize>> = document.sentence_ranges().collect();
                let block = Block {
                    source,
                    masked,
                    first,
                    document,
                    sentences,
                };
                first += block.sentences.len();
                block
            })
            .collect();
        let mut blocks = Self {
            blocks,
            sentences: first,
            finished: Vec::new(),
        };
        blocks.finish_until(&[]);
        blocks
    }

    pub(crate) fn sentences(&self) -> usize {
        self.sentences
    }

    /// The block of a sentence, and its bytes in it.
    fn find(&self, sentence: usize) -> (&Block, Range<usize>) {
        // Blocks without sentences begin with the number of the next one.
        let i = self.blocks.partition_point(|block| block.first <= sentence) - 1;
        let block = &self.blocks[i];
        (block, block.sentences[sentence - block.first].clone())
    }

    /// A sentence as the model should read it.
    pub(crate) fn source(&self, sentence: usize) -> Cow<'_, str> {
        let (block, range) = self.find(sentence);
        block.document.sentence(range)
    }

    pub(crate) fn original_text(&self, sentence: usize) -> &str {
        let (block, range) = self.find(sentence);
        &block.document.text()[range]
    }

    /// Puts together the blocks whose sentences are all translated.
    pub(crate) fn finish_until(&mut self, outputs: &[Output]) {
        for block in &self.blocks[self.finished.len()..] {
            let Some(outputs) = outputs.get(block.first..block.first + block.sentences.len())
            else {
                break;
            };
            self.finished.push(block.finish(outputs));
        }
    }

    pub(crate) fn into_texts(self) -> Vec<TaggedText> {
        let rest = self.finished.len();
        let rest = self.blocks.into_iter().skip(rest).map(|block| block.source);
        self.finished.into_iter().chain(rest).collect()
    }
}

impl Block {
    fn finish(&self, outputs: &[Output]) -> TaggedText {
        let text = self.document.text();
        let copied = self
            .sentences
            .iter()
            .zip(outputs)
            .all(|(range, output)| text[range.clone()] == output.text);
        if copied {
            return self.source.clone();
        }
        let texts: Vec<&str> = outputs.iter().map(|output| output.text.as_str()).collect();
        let rendered = self.document.render(&texts);
        if self.source.elements() == 0 {
            return TaggedText::plain(rendered.text);
        }
        let signs = self.masked.units(&rendered.text);
        let mut units = Vec::new();
        for ((source, output), target) in self.sentences.iter().zip(outputs).zip(rendered.ranges) {
            units.extend(units_of(
                &text[source.clone()],
                source.start,
                output,
                &rendered.text[target.clone()],
                target.start,
            ));
        }
        let units = merge(signs, units);
        let places = place(&self.masked.text, &rendered.text, &units);
        self.masked.restore(&self.source, &rendered.text, &places)
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
