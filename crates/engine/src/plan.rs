//! A text cut into what has to be translated, and its translations.

use std::borrow::Cow;
use std::ops::Range;

use csanmt_text::document::{Document, Rendered, SENTENCE_MARK};

use crate::alignment::Alignment;
use crate::markup::{Blocks, TaggedText};
use crate::{Hypothesis, Sentence, Translation, Work};

/// A text with its sentences; translations are accepted in order.
#[derive(Debug)]
pub(crate) struct Plan {
    layout: Layout,
    sentences: Vec<Range<usize>>,
    outputs: Vec<Output>,
}

/// How sentences lie in the text.
#[derive(Debug)]
enum Layout {
    /// Lines and sentences; what is between them is kept.
    Document(Document),
    /// The original's rule: pieces between marks, nothing else.
    Pieces(String),
    /// Paragraphs with elements.
    Blocks(Blocks),
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
        Self {
            layout: Layout::Document(document),
            sentences,
            outputs: Vec::new(),
        }
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
        Self {
            layout: Layout::Pieces(text.to_owned()),
            sentences,
            outputs: Vec::new(),
        }
    }

    /// Paragraphs with elements.
    pub(crate) fn blocks(blocks: Blocks) -> Self {
        Self {
            sentences: (0..blocks.sentences())
                .map(|sentence| blocks.place(sentence))
                .collect(),
            layout: Layout::Blocks(blocks),
            outputs: Vec::new(),
        }
    }

    /// Number of sentences.
    pub(crate) fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Number of sentences that are translated.
    pub(crate) fn done(&self) -> usize {
        self.outputs.len()
    }

    /// The text of a sentence as the model should read it.
    pub(crate) fn source(&self, sentence: usize) -> Cow<'_, str> {
        let range = self.sentences[sentence].clone();
        match &self.layout {
            Layout::Document(document) => document.sentence(range),
            Layout::Pieces(text) => Cow::Borrowed(&text[range]),
            Layout::Blocks(blocks) => blocks.source(sentence),
        }
    }

    /// The bytes of a sentence.
    pub(crate) fn original_text(&self, sentence: usize) -> &str {
        let text = match &self.layout {
            Layout::Document(document) => document.text(),
            Layout::Pieces(text) => text,
            Layout::Blocks(blocks) => return blocks.original_text(sentence),
        };
        &text[self.sentences[sentence].clone()]
    }

    /// Takes the translation of the next sentence.
    pub(crate) fn accept(&mut self, output: Output) {
        self.outputs.push(output);
        if let Layout::Blocks(blocks) = &mut self.layout {
            blocks.finish_until(&self.outputs);
        }
    }

    /// Whether the words of a sentence have to be aligned for its elements.
    pub(crate) fn needs_alignment(&self, sentence: usize) -> bool {
        match &self.layout {
            Layout::Blocks(blocks) => blocks.needs_alignment(sentence),
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
            _ => vec![TaggedText::plain(self.render().text)],
        }
    }

    /// The text up to the first sentence without a translation.
    pub(crate) fn text_so_far(&self) -> String {
        self.render().text
    }

    /// The whole translation.
    pub(crate) fn finish(self) -> Translation {
        let Rendered { text, ranges } = self.render();
        let aligned = !matches!(self.layout, Layout::Blocks(_));
        let sentences = self
            .sentences
            .into_iter()
            .zip(ranges)
            .zip(self.outputs)
            .map(|((source, target), output)| Sentence {
                // A line break inside a translation becomes a space of another length.
                alignment: if aligned && output.text.len() == target.len() {
                    output.alignment
                } else {
                    Vec::new()
                },
                source,
                target,
                truncated: output.truncated,
                hypotheses: output.hypotheses,
                confidence: output.confidence,
                work: output.work,
            })
            .collect();
        Translation { text, sentences }
    }

    fn render(&self) -> Rendered {
        let texts: Vec<&str> = self
            .outputs
            .iter()
            .map(|output| output.text.as_str())
            .collect();
        match &self.layout {
            Layout::Document(document) => document.render_prefix(&texts),
            Layout::Pieces(_) => {
                let mut rendered = Rendered::default();
                for (number, text) in texts.iter().enumerate() {
                    if number > 0 {
                        rendered.text.push_str(SENTENCE_MARK);
                    }
                    let start = rendered.text.len();
                    rendered.text.push_str(text);
                    rendered.ranges.push(start..rendered.text.len());
                }
                rendered
            }
            Layout::Blocks(blocks) => blocks.render(self.outputs.len()),
        }
    }
}
