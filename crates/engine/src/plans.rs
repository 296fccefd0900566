//! Several texts, each by itself, whose sentences are numbered through.

use std::borrow::Cow;

use crate::Translation;
use crate::markup::{TaggedSentence, TaggedText};
use crate::plan::{Output, Plan};

/// The texts of a job; mostly there is one.
#[derive(Debug)]
pub(crate) struct Plans {
    parts: Vec<Plan>,
    /// Number of the first sentence of each.
    firsts: Vec<usize>,
    sentences: usize,
    done: usize,
    /// The first text that lacks a sentence.
    current: usize,
}

impl Plans {
    pub(crate) fn new(parts: Vec<Plan>) -> Self {
        let mut sentences = 0;
        let firsts = parts
            .iter()
            .map(|part| {
                let first = sentences;
                sentences += part.len();
                first
            })
            .collect();
        Self {
            parts,
            firsts,
            sentences,
            done: 0,
            current: 0,
        }
    }

    /// Number of sentences.
    pub(crate) fn len(&self) -> usize {
        self.sentences
    }

    /// Number of sentences that are translated.
    pub(crate) fn done(&self) -> usize {
        self.done
    }

    /// The text of a sentence, and its number in it.
    fn find(&self, sentence: usize) -> (&Plan, usize) {
        // Texts without sentences begin with the number of the next one.
        let part = self.firsts.partition_point(|&first| first <= sentence) - 1;
        (&self.parts[part], sentence - self.firsts[part])
    }

    /// A sentence as the model should read it.
    pub(crate) fn source(&self, sentence: usize) -> Cow<'_, str> {
        let (part, own) = self.find(sentence);
        part.source(own)
    }

    /// The bytes of a sentence.
    pub(crate) fn original_text(&self, sentence: usize) -> &str {
        let (part, own) = self.find(sentence);
        part.original_text(own)
    }

    /// Whether the words of a sentence have to be aligned for its elements.
    pub(crate) fn needs_alignment(&self, sentence: usize) -> bool {
        let (part, own) = self.find(sentence);
        part.needs_alignment(own)
    }

    /// Takes the translation of the next sentence.
    pub(crate) fn accept(&mut self, output: Output) {
        while let Some(part) = self.parts.get_mut(self.current) {
            if part.done() < part.len() {
                part.accept(output);
                self.done += 1;
                return;
            }
            self.current += 1;
        }
    }

    /// The paragraphs that have a sentence which reached the length limit.
    pub(crate) fn truncated_texts(&self) -> Vec<usize> {
        self.parts.first().map_or(Vec::new(), Plan::truncated_texts)
    }

    /// The paragraphs of the first text.
    pub(crate) fn into_texts(self) -> Vec<TaggedText> {
        let first = self.parts.into_iter().next();
        first.map(Plan::into_texts).unwrap_or_default()
    }

    /// The sentences of the first text, which is a part of a paragraph.
    pub(crate) fn into_sentences(self) -> Vec<TaggedSentence> {
        let first = self.parts.into_iter().next();
        first.map(Plan::into_sentences).unwrap_or_default()
    }

    /// Each text up to its first sentence without a translation.
    pub(crate) fn texts_so_far(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(Plan::text_so_far)
    }

    /// The translations, one a text.
    pub(crate) fn finish(self) -> impl Iterator<Item = Translation> {
        self.parts.into_iter().map(Plan::finish)
    }
}
