//! What the server needs of a translator.

use std::ops::ControlFlow;

use csanmt::{Error, Options, Translation, Translator};

/// Translates a text, and stops when asked. The server computes on its own threads, so an
/// implementation may block.
pub trait Translate: Send + Sync + 'static {
    /// Translates `text`. `observe` is to be called between steps of a few milliseconds;
    /// when it breaks, the result is [`Error::Cancelled`].
    ///
    /// # Errors
    /// When an option is out of range or the work was cancelled.
    fn translate(
        &self,
        text: &str,
        options: &Options,
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Translation, Error>;
}

impl Translate for Translator {
    fn translate(
        &self,
        text: &str,
        options: &Options,
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Translation, Error> {
        let mut job = self.job(text, options)?;
        while !job.is_done() {
            job.advance_with(&mut |_| observe())?;
        }
        Ok(job.finish())
    }
}
