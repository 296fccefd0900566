//! Tagged texts as one job.

use std::borrow::Cow;
use std::ops::Range;

use csanmt_text::document::Document;

use super::kept::Masked;
use super::placement::{Pair, Unit, place};
use super::tagged::TaggedText;
use super::template::{Progressed, Template};
use super::{html, markdown};
use crate::Format;
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
    /// Where elements begin and end in its text, in order.
    edges: Vec<usize>,
}

/// Paragraphs of one job, in order. Their sentences are numbered through.
#[derive(Debug)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    sentences: usize,
    finished: Vec<Finished>,
    /// The translated sentences of the first block that is not finished.
    outputs: Vec<Output>,
    /// The document they were taken from, and as much of it as is translated.
    document: Option<(Template, Progressed)>,
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

impl Blocks {
    pub(crate) fn new(texts: Vec<TaggedText>) -> Self {
        let mut first = 0;
        let blocks: Vec<Block> = texts
            .into_iter()
            .map(|source| {
                let masked = Masked::new(&source);
                let document = Document::parse(masked.text.text());
                let sentences: Vec<Range<usize>> = document.sentence_ranges().collect();
                let tags = masked.text.tags().iter();
                let mut edges: Vec<usize> = tags
                    .flat_map(|tag| [tag.range.start, tag.range.end])
                    .collect();
                edges.sort_unstable();
                let block = Block {
                    edges,
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
            outputs: Vec::new(),
            document: None,
        };
        blocks.finish_complete();
        blocks
    }

    /// The paragraphs of a document in a markup language; of plain text, all of it is one.
    pub(crate) fn of_document(text: &str, format: Format) -> Self {
        let (template, texts) = match format {
            Format::Html => html::read(text),
            Format::Markdown => markdown::read(text),
            Format::Text => return Self::new(vec![TaggedText::plain(text)]),
        };
        let mut blocks = Self::new(texts);
        let mut so_far = Progressed::default();
        template.progress(&blocks.finished, &mut so_far);
        blocks.document = Some((template, so_far));
        blocks
    }

    pub(crate) fn sentences(&self) -> usize {
        self.sentences
    }

    fn block_of(&self, sentence: usize) -> usize {
        // Blocks without sentences begin with the number of the next one.
        self.blocks.partition_point(|block| block.first <= sentence) - 1
    }

    /// The block of a sentence, and its bytes in it.
    fn find(&self, sentence: usize) -> (&Block, Range<usize>) {
        let block = &self.blocks[self.block_of(sentence)];
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

    /// Whether somebody has to know which words belong together.
    pub(crate) fn needs_alignment(&self, sentence: usize) -> bool {
        let (block, range) = self.find(sentence);
        let next = block.edges.partition_point(|edge| *edge <= range.start);
        block.edges.get(next).is_some_and(|edge| *edge < range.end)
    }

    /// Takes the translation of the next sentence.
    pub(crate) fn accept(&mut self, output: Output) {
        self.outputs.push(output);
        self.finish_complete();
    }

    /// Puts together the blocks whose sentences are all translated.
    fn finish_complete(&mut self) {
        while let Some(block) = self.blocks.get(self.finished.len())
            && block.sentences.len() == self.outputs.len()
        {
            self.finished.push(block.finish(&self.outputs));
            self.outputs.clear();
        }
        if let Some((template, so_far)) = &mut self.document {
            template.progress(&self.finished, so_far);
        }
    }

    /// Where the paragraph of a sentence stands in the document.
    pub(crate) fn place(&self, sentence: usize) -> Range<usize> {
        let document = self.document.as_ref();
        document.map_or(0..0, |(template, _)| {
            template.range(self.block_of(sentence))
        })
    }

    /// Where the paragraph of a sentence stands in the translation, when it is there.
    pub(crate) fn target(&self, sentence: usize) -> Option<Range<usize>> {
        let (_, so_far) = self.document.as_ref()?;
        so_far.ranges.get(self.block_of(sentence)).cloned()
    }

    /// The document as far as it is translated.
    pub(crate) fn text_so_far(&self) -> &str {
        let document = self.document.as_ref();
        document.map_or("", |(_, so_far)| &so_far.text)
    }

    pub(crate) fn into_text(self) -> String {
        let document = self.document;
        document.map(|(_, so_far)| so_far.text).unwrap_or_default()
    }

    /// The paragraphs with a sentence that reached the length limit.
    pub(crate) fn truncated(&self) -> Vec<usize> {
        let finished = self.finished.iter().enumerate();
        let truncated = finished.filter(|(_, finished)| finished.truncated);
        truncated.map(|(number, _)| number).collect()
    }

    pub(crate) fn into_texts(self) -> Vec<TaggedText> {
        let rest = self.finished.len();
        let finished = self.finished.into_iter().map(|finished| finished.text);
        let rest = self.blocks.into_iter().skip(rest).map(|block| block.source);
        finished.chain(rest).collect()
    }
}

impl Block {
    fn finish(&self, outputs: &[Output]) -> Finished {
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
