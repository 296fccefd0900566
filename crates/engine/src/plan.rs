//! A text cut into what has to be translated, and its translations.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use csanmt_text::document::{Document, Rendering, SENTENCE_MARK};

use crate::alignment::Alignment;
use crate::markup::{Block, Blocks, TaggedSentence, TaggedText};
use crate::{Hypothesis, Sentence, Translation, Work};

/// A text with its sentences; translations are accepted in order, and what is not needed any more
/// is let go.
#[derive(Debug)]
pub(crate) struct Plan {
    layout: Layout,
    /// Where the sentences are.
    sentences: Vec<Range<usize>>,
    /// Those that are translated.
    done: Vec<Sentence>,
}

/// How sentences lie in the text.
#[derive(Debug)]
enum Layout {
    /// Lines and sentences; what is between them is kept.
    Document {
        document: Document,
        rendering: Rendering,
    },
    /// The original's rule: pieces between marks, nothing else.
    Pieces { text: String, rendering: String },
    /// Paragraphs with elements.
    Blocks(Blocks),
    /// Some sentences of such a paragraph, from one of them on; somebody else puts them together.
    Run {
        block: Arc<Block>,
        first: usize,
        outputs: Vec<TaggedSentence>,
    },
}

/// The translation of one sentence.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) truncated: bool,
    pub(crate) hypotheses: Vec<Hypothesis>,
    /// Words of the translation in order, when somebody needs them.
    pub(crate) alignment: Vec<Alignment>,
    pub(crate) confidence: f32,
    pub(crate) work: Work,
}

impl Plan {
    /// Lines, sentences and gaps.
    pub(crate) fn document(text: &str, wrapped: bool) -> Self {
        Self::part(if wrapped {
            Document::parse_wrapped(text)
        } else {
            Document::parse(text)
        })
    }

    /// Lines, sentences and gaps that are known already.
    pub(crate) fn part(document: Document) -> Self {
        let sentences = document.sentence_ranges().collect();
        let rendering = Rendering::new(&document);
        let layout = Layout::Document {
            document,
            rendering,
        };
        Self::new(layout, sentences)
    }

    /// The original: one sentence between two marks, empty ones too.
    pub(crate) fn original(text: &str) -> Self {
        let mut start = 0;
        let piece = |piece: &str| {
            let range = start..start + piece.len();
            start = range.end + SENTENCE_MARK.len();
            range
        };
        let sentences = text.split(SENTENCE_MARK).map(piece).collect();
        let layout = Layout::Pieces {
            text: text.to_owned(),
            rendering: String::new(),
        };
        Self::new(layout, sentences)
    }

    /// Paragraphs with elements.
    pub(crate) fn blocks(blocks: Blocks) -> Self {
        let sentences = (0..blocks.sentences())
            .map(|sentence| blocks.place(sentence))
            .collect();
        Self::new(Layout::Blocks(blocks), sentences)
    }

    /// Some sentences of a paragraph with elements.
    pub(crate) fn run(block: Arc<Block>, sentences: Range<usize>) -> Self {
        let layout = Layout::Run {
            block,
            first: sentences.start,
            outputs: Vec::new(),
        };
        Self::new(layout, vec![0..0; sentences.len()])
    }

    fn new(layout: Layout, sentences: Vec<Range<usize>>) -> Self {
        Self {
            layout,
            sentences,
            done: Vec::new(),
        }
    }

    /// Number of sentences.
    pub(crate) fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Number of sentences that are translated.
    pub(crate) fn done(&self) -> usize {
        self.done.len()
    }

    /// The text of a sentence as the model should read it.
    pub(crate) fn source(&self, sentence: usize) -> Cow<'_, str> {
        let range = self.sentences[sentence].clone();
        match &self.layout {
            Layout::Document { document, .. } => document.sentence(range),
            Layout::Pieces { text, .. } => Cow::Borrowed(&text[range]),
            Layout::Blocks(blocks) => blocks.source(sentence),
            Layout::Run { block, first, .. } => block.source(first + sentence),
        }
    }

    /// The bytes of a sentence.
    pub(crate) fn original_text(&self, sentence: usize) -> &str {
        let text = match &self.layout {
            Layout::Document { document, .. } => document.text(),
            Layout::Pieces { text, .. } => text,
            Layout::Blocks(blocks) => return blocks.original_text(sentence),
            Layout::Run { block, first, .. } => return block.original_text(first + sentence),
        };
        &text[self.sentences[sentence].clone()]
    }

    /// Takes the translation of the next sentence.
    pub(crate) fn accept(&mut self, output: Output) {
        let Output {
            text,
            truncated,
            hypotheses,
            mut alignment,
            confidence,
            work,
        } = output;
        let target = match &mut self.layout {
            Layout::Document {
                document,
                rendering,
            } => rendering.push(document, &text, " "),
            Layout::Pieces { rendering, .. } => {
                if !self.done.is_empty() {
                    rendering.push_str(SENTENCE_MARK);
                }
                let start = rendering.len();
                rendering.push_str(&text);
                start..rendering.len()
            }
            Layout::Blocks(blocks) => {
                blocks.accept(Output {
                    text: text.clone(),
                    truncated,
                    alignment: std::mem::take(&mut alignment),
                    ..Output::default()
                });
                // Known when the whole paragraph is.
                0..0
            }
            Layout::Run { outputs, .. } => {
                outputs.push(TaggedSentence::new(Output {
                    text: text.clone(),
                    truncated,
                    alignment: std::mem::take(&mut alignment),
                    ..Output::default()
                }));
                0..0
            }
        };
        // A line break inside a translation becomes a space of another length.
        if text.len() != target.len() {
            alignment.clear();
        }
        self.done.push(Sentence {
            source: self.sentences[self.done.len()].clone(),
            target,
            truncated,
            hypotheses,
            confidence,
            work,
            alignment,
        });
    }

    /// Whether the words of a sentence have to be aligned for its elements.
    pub(crate) fn needs_alignment(&self, sentence: usize) -> bool {
        match &self.layout {
            Layout::Blocks(blocks) => blocks.needs_alignment(sentence),
            Layout::Run { block, first, .. } => block.needs_alignment(first + sentence),
            _ => false,
        }
    }

    /// The paragraphs that have a sentence which reached the length limit.
    pub(crate) fn truncated_texts(&self) -> Vec<usize> {
        let Layout::Blocks(blocks) = &self.layout else {
            return Vec::new();
        };
        blocks.truncated()
    }

    /// The paragraphs.
    pub(crate) fn into_texts(self) -> Vec<TaggedText> {
        match self.layout {
            Layout::Blocks(blocks) => blocks.into_texts(),
            Layout::Document { rendering, .. } => vec![TaggedText::plain(rendering.into_text())],
            Layout::Pieces { rendering, .. } => vec![TaggedText::plain(rendering)],
            Layout::Run { .. } => Vec::new(),
        }
    }

    /// The sentences of a part of a paragraph.
    pub(crate) fn into_sentences(self) -> Vec<TaggedSentence> {
        match self.layout {
            Layout::Run { outputs, .. } => outputs,
            _ => Vec::new(),
        }
    }

    /// The text up to the first sentence without a translation.
    pub(crate) fn text_so_far(&self) -> &str {
        match &self.layout {
            Layout::Document { rendering, .. } => rendering.text(),
            Layout::Pieces { rendering, .. } => rendering,
            Layout::Blocks(blocks) => blocks.text_so_far(),
            Layout::Run { .. } => "",
        }
    }

    /// The whole translation.
    pub(crate) fn finish(self) -> Translation {
        let mut sentences = self.done;
        let text = match self.layout {
            Layout::Document { rendering, .. } => rendering.into_text(),
            Layout::Pieces { rendering, .. } => rendering,
            Layout::Run { .. } => String::new(),
            Layout::Blocks(blocks) => {
                let targets = (0..sentences.len()).map_while(|sentence| blocks.target(sentence));
                let targets: Vec<Range<usize>> = targets.collect();
                sentences.truncate(targets.len());
                for (sentence, target) in sentences.iter_mut().zip(targets) {
                    sentence.target = target;
                }
                blocks.into_text()
            }
        };
        Translation { text, sentences }
    }
}
