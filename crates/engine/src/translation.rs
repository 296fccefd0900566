//! What a translation gives back.

use std::ops::Range;

use crate::{Alignment, Work};

/// The translation of one text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Translation {
    /// The whole translated text; it has the line breaks of the source.
    pub text: String,
    /// The translated sentences in order. What is between them (line breaks, blank lines,
    /// indentation) is copied from the source.
    pub sentences: Vec<Sentence>,
}

/// One translated sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sentence {
    /// Byte range in the source text. Of a sentence in HTML or Markdown it is that of the paragraph
    /// around it, in both texts.
    pub source: Range<usize>,
    /// Byte range in [`Translation::text`].
    pub target: Range<usize>,
    /// The search hit the length limit before the sentence was complete.
    pub truncated: bool,
    /// The best hypotheses, best first, no two of them the same: at most as many as
    /// [`crate::Options::n_best`] asked for. Those that have a fault are left out.
    pub hypotheses: Vec<Hypothesis>,
    /// How sure the model is of it, 0 to 1: the mean probability of its tokens. 1 for what was copied.
    pub confidence: f32,
    /// What it took to translate it.
    pub work: Work,
    /// The words and marks of the translation in order, each with what it comes from, as bytes of
    /// the sentence and of its translation. Empty unless [`crate::Options::alignment`] asks for it,
    /// for sentences that are copied, and in HTML and Markdown.
    pub alignment: Vec<Alignment>,
}

/// One candidate translation of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// Detokenised text.
    pub text: String,
    /// Target token ids without the end-of-sentence token.
    pub ids: Vec<u32>,
    /// Log-probability (natural logarithm) divided by the length penalty; higher is better.
    pub score: f32,
}

/// How far a running translation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Sentences that are complete.
    pub sentences_done: usize,
    /// Sentences of the whole text.
    pub sentences: usize,
}
