//! What the server needs of a translator.

use std::ops::ControlFlow;

use csanmt::{Error, Options, Translation};

/// Translates texts in steps, so that requests can take turns. The server computes on its own
/// threads: an implementation may block.
pub trait Translate: Send + Sync + 'static {
    /// Begins the translation of `texts`, none of which is [blank](csanmt::is_blank).
    ///
    /// # Errors
    /// When an option is out of range.
    fn start(&self, texts: Vec<String>, options: &Options) -> Result<Box<dyn Work>, Error>;
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

    /// One translation a text, in order. Called when [`Work::is_done`].
    fn finish(self: Box<Self>) -> Vec<Translation>;
}
