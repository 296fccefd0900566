//! Tagged texts as one job.

use std::borrow::Cow;
use std::ops::Range;

use super::block::{Block, Finished};
use super::tagged::TaggedText;
use super::template::{Progressed, Template};
use super::{html, markdown};
use crate::Format;
use crate::plan::Output;

/// A paragraph with its place in the job.
#[derive(Debug)]
struct Placed {
    block: Block,
    /// Number of its first sentence.
    first: usize,
}

/// Paragraphs of one job, in order. Their sentences are numbered through.
#[derive(Debug)]
pub(crate) struct Blocks {
    blocks: Vec<Placed>,
    sentences: usize,
    finished: Vec<Finished>,
    /// The translated sentences of the first block that is not finished.
    outputs: Vec<Output>,
    /// The document they were taken from, and as much of it as is translated.
    document: Option<(Template, Progressed)>,
}

impl Blocks {
    pub(crate) fn new(texts: Vec<TaggedText>) -> Self {
        let mut first = 0;
        let blocks: Vec<Placed> = texts
            .into_iter()
            .map(|source| {
                let placed = Placed {
                    block: Block::new(source),
                    first,
                };
                first += placed.block.sentences();
                placed
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
        self.blocks
            .partition_point(|placed| placed.first <= sentence)
            - 1
    }

    /// The block of a sentence, and its number in it.
    fn find(&self, sentence: usize) -> (&Block, usize) {
        let Placed { block, first } = &self.blocks[self.block_of(sentence)];
        (block, sentence - first)
    }

    /// A sentence as the model should read it.
    pub(crate) fn source(&self, sentence: usize) -> Cow<'_, str> {
        let (block, own) = self.find(sentence);
        block.source(own)
    }

    pub(crate) fn original_text(&self, sentence: usize) -> &str {
        let (block, own) = self.find(sentence);
        block.original_text(own)
    }

    /// Whether somebody has to know which words belong together.
    pub(crate) fn needs_alignment(&self, sentence: usize) -> bool {
        let (block, own) = self.find(sentence);
        block.needs_alignment(own)
    }

    /// Takes the translation of the next sentence.
    pub(crate) fn accept(&mut self, output: Output) {
        self.outputs.push(output);
        self.finish_complete();
    }

    /// Puts together the blocks whose sentences are all translated.
    fn finish_complete(&mut self) {
        while let Some(Placed { block, .. }) = self.blocks.get(self.finished.len())
            && block.sentences() == self.outputs.len()
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
        let rest = self.blocks.into_iter().skip(rest);
        finished
            .chain(rest.map(|placed| placed.block.into_source()))
            .collect()
    }
}
