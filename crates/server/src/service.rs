//! What the server needs of a translator.

use std::ops::ControlFlow;

use csanmt::markup::TaggedText;
use csanmt::{Error, Options, Translation};

/// Translates texts in steps, so that requests can take turns. The server computes on its own
/// threads: an implementation may block.
pub trait Translate: Send + Sync + 'static {
    /// Begins the translation of `texts`, none of which is [blank](csanmt::is_blank).
    ///
    /// # Errors
    /// When an option is out of range.
    fn start(
        &self,
        texts: Vec<String>,
        options: &Options,
        pace: Pace,
    ) -> Result<Box<dyn Work>, Error>;

    /// Begins the translation of paragraphs with inline elements. [`Work::finish_tagged`] gives the
    /// results.
    ///
    /// # Errors
    /// When an option is out of range.
    fn start_tagged(
        &self,
        units: Vec<TaggedText>,
        options: &Options,
    ) -> Result<Box<dyn Work>, Error>;

    /// Codes of the languages that are read and written.
    fn languages(&self) -> (String, String) {
        ("zh".to_owned(), "en".to_owned())
    }

    /// The share of the tokens of a text that the model does not know, for statistics: 0 to 1, or
    /// `None` where that would take long.
    fn unknown(&self, _text: &str) -> Option<f64> {
        None
    }
}

/// How the first steps of a translation are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Small, since somebody watches: the first sentence comes soon.
    Steps,
    /// As large as all others, which takes the least time altogether.
    Whole,
}

/// A translation under way. It may move to another thread between two steps.
pub trait Work: Send + 'static {
    /// Translates the next batch of sentences: less than a second of work. `observe` is to be
    /// called every few milliseconds; when it breaks, the result is [`Error::Cancelled`].
    ///
    /// # Errors
    /// When the work was cancelled or the model cannot run.
    fn advance(&mut self, observe: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error>;

    /// Everything is translated.
    fn is_done(&self) -> bool;

    /// Sentences that are translated, for statistics.
    fn sentences_done(&self) -> usize {
        0
    }

    /// The beginnings of the translations, in the order of the texts, as far as they are known.
    /// Each is a prefix of what comes later.
    fn so_far(&self) -> Vec<String> {
        Vec::new()
    }

    /// One translation a text, in order. Called when [`Work::is_done`].
    fn finish(self: Box<Self>) -> Vec<Translation>;

    /// The same for what [`Translate::start_tagged`] began.
    fn finish_tagged(self: Box<Self>) -> Vec<TaggedText> {
        Vec::new()
    }
}
