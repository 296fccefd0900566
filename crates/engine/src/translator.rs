//! The translator: model file in, text in, text out.

use std::ops::ControlFlow;
#[cfg(not(target_family = "wasm"))]
use std::path::Path;
use std::sync::Arc;

use csanmt_format::{ModelConfig, SharedBytes};
use csanmt_model::{Kernels, self_test};

use crate::markup::TaggedText;
use crate::shared::Shared;
use crate::{Error, Job, Options, Progress, Translation};

/// A loaded model, ready to translate. Cloning is cheap and shares the model.
#[derive(Debug, Clone)]
pub struct Translator {
    shared: Arc<Shared>,
}

impl Translator {
    /// Maps a model file and checks it.
    ///
    /// # Errors
    /// When the file cannot be read or is not a csanmt model.
    #[cfg(not(target_family = "wasm"))]
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = crate::file::map(path).map_err(|source| Error::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::load(bytes, self_test::fastest())
    }

    /// Takes a model from memory. The bytes are used in place and must start at an address that
    /// is a multiple of 4, better of 64, as [`crate::AlignedBytes`] does.
    ///
    /// # Errors
    /// When the bytes are not a csanmt model.
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, Error> {
        Self::load(Arc::new(bytes), self_test::fastest())
    }

    /// Like [`Translator::from_bytes`], with chosen kernels. All give the same translations.
    ///
    /// # Errors
    /// When the bytes are not a csanmt model.
    pub fn with_kernels(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
        kernels: Kernels,
    ) -> Result<Self, Error> {
        Self::load(Arc::new(bytes), kernels)
    }

    fn load(bytes: SharedBytes, kernels: Kernels) -> Result<Self, Error> {
        Ok(Self {
            shared: Arc::new(Shared::load(bytes, kernels)?),
        })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The configuration of the model.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        self.shared.file.config()
    }

    /// Name of the instruction set in use.
    #[must_use]
    pub fn instruction_set(&self) -> String {
        self.shared.model.kernels().isa().to_string()
    }

    /// Starts a translation that the caller advances step by step.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn job(&self, text: &str, options: &Options) -> Result<Job, Error> {
        Job::new(Arc::clone(&self.shared), text, options)
    }

    pub(crate) fn job_of_blocks(
        &self,
        texts: Vec<TaggedText>,
        options: &Options,
    ) -> Result<Job, Error> {
        Job::of_blocks(Arc::clone(&self.shared), texts, options)
    }

    /// Translates a text of any number of lines and sentences.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn translate(&self, text: &str, options: &Options) -> Result<Translation, Error> {
        let mut job = self.job(text, options)?.for_throughput();
        while !job.is_done() {
            job.advance()?;
        }
        Ok(job.finish())
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
        let mut job = self.job(text, options)?;
        while !job.is_done() {
            let progress = job.advance_with(&mut |progress| observe(progress, None))?;
            if observe(progress, Some(job.text_so_far())).is_break() {
                return Err(Error::Cancelled);
            }
        }
        Ok(job.finish())
    }

    /// What the text becomes on its way to token ids, for comparisons with the original pipeline.
    #[must_use]
    pub fn trace(&self, sentence: &str) -> csanmt_text::Trace {
        self.shared.source.trace(sentence)
    }
}
