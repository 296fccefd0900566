//! A text that is translated in parts, by one translator or by several.

use std::ops::Range;
use std::sync::Arc;

use csanmt_text::document::Document;

use crate::{Error, Job, Options, Translator};

/// A plain text cut into its sentences. Any run of them can be translated by itself, and gives
/// what it gives in the translation of the whole; only the space between the last sentence of a
/// part and the first of the next, when both are on one line, is in neither.
#[derive(Debug, Clone)]
pub struct Sentences {
    document: Document,
    count: usize,
}

impl Sentences {
    /// Cuts a text; `wrapped` is [`Options::wrapped_lines`].
    #[must_use]
    pub fn of(text: &str, wrapped: bool) -> Self {
        let document = if wrapped {
            Document::parse_wrapped(text)
        } else {
            Document::parse(text)
        };
        Self {
            count: document.sentence_ranges().count(),
            document,
        }
    }

    /// How many sentences there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// A run of sentences: its text, and where that begins in the whole text, in bytes. The parts
    /// of a text put one behind the other are the text.
    #[must_use]
    pub fn part(&self, sentences: Range<usize>) -> (String, usize) {
        let (part, start) = self.document.part(sentences);
        (part.text().to_owned(), start)
    }
}

impl Translator {
    /// Starts the translation of a run of sentences. Ranges in the result are those in the text of
    /// [`Sentences::part`].
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn part_job(
        &self,
        text: &Sentences,
        sentences: Range<usize>,
        options: &Options,
    ) -> Result<Job, Error> {
        let (part, _) = text.document.part(sentences);
        Job::of_part(Arc::clone(self.shared()), part, options)
    }
}
