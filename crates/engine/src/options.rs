//! What a caller may choose per translation.

use std::sync::Arc;

use crate::{Guards, Terms};

/// What a text is written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Characters that all stand for themselves.
    #[default]
    Text,
    /// HTML, a whole document or a piece of one. Tags, comments, scripts and what is marked
    /// `translate="no"` stay as they are; inline elements follow their words.
    Html,
    /// Markdown (CommonMark with tables, footnotes, strikethrough, task lists, front matter and
    /// formulas). Marks, code and formulas stay as they are.
    Markdown,
}

/// Options of one translation. [`Options::default`] is what a reader of the page gets.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Beam width, 1 to 8; `None` takes the model's own (4 in the released models).
    pub beam: Option<usize>,
    /// How many hypotheses of each sentence to return in [`crate::Sentence::hypotheses`];
    /// 0 returns none. At most the beam width are found.
    pub n_best: usize,
    /// Most sentences translated together by a [`crate::Job`]: fewer answer sooner, more are faster
    /// altogether; `None` leaves it to the engine. The translations are the same.
    pub batch: Option<usize>,
    /// Say for every word of a translation which words of the source it comes from, in
    /// [`crate::Sentence::alignment`]. Costs one more pass over every sentence.
    pub alignment: bool,
    /// What the text is written in.
    pub format: Format,
    /// Exactly the original pipeline: the text is cut at `<SENT_SPLIT>` only, blank text is
    /// decoded too, and no guard alters the search. For comparisons with the original.
    pub raw: bool,
    /// The lines of the text were wrapped: sentences go over several of them, and only blank and
    /// indented lines begin paragraphs. A paragraph becomes one line.
    pub wrapped_lines: bool,
    /// What certain terms are in the translation, or that they stay as they are. Not with
    /// [`Options::raw`].
    pub terms: Option<Arc<Terms>>,
    /// What the translation of the first sentence begins with, as when somebody writes it and wants it
    /// completed. A last word without anything behind it may be half written. The sentence is not
    /// repaired then, since that would change what is given.
    pub prefix: Option<String>,
    /// The guards in use; all but for measurements. With [`Options::raw`] there are none.
    pub guards: Guards,
}

impl Options {
    /// The widest beam accepted.
    pub const MAX_BEAM: usize = 8;

    /// The original pipeline, see [`Options::raw`].
    #[must_use]
    pub fn raw() -> Self {
        Self {
            raw: true,
            ..Self::default()
        }
    }

    /// Sets the beam width.
    #[must_use]
    pub fn with_beam(mut self, beam: usize) -> Self {
        self.beam = Some(beam);
        self
    }

    /// Asks for `count` hypotheses of each sentence.
    #[must_use]
    pub fn with_n_best(mut self, count: usize) -> Self {
        self.n_best = count;
        self
    }

    /// Sets how many sentences are translated together at most.
    #[must_use]
    pub fn with_batch(mut self, sentences: usize) -> Self {
        self.batch = Some(sentences);
        self
    }

    /// Says that the lines of the text were wrapped.
    #[must_use]
    pub fn with_wrapped_lines(mut self) -> Self {
        self.wrapped_lines = true;
        self
    }

    /// Prescribes the translation of terms.
    #[must_use]
    pub fn with_terms(mut self, terms: impl Into<Arc<Terms>>) -> Self {
        self.terms = Some(terms.into());
        self
    }

    /// Gives the beginning of the translation.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Sets the guards in use.
    #[must_use]
    pub fn with_guards(mut self, guards: Guards) -> Self {
        self.guards = guards;
        self
    }

    /// Asks for the alignment of words.
    #[must_use]
    pub fn with_alignment(mut self) -> Self {
        self.alignment = true;
        self
    }

    /// Sets what the text is written in.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }
}
