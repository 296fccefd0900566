//! Several texts translated in steps, their sentences together.

use std::sync::Arc;

use crate::job::advances_as_a_job;
use crate::{Error, Job, Options, Translation, Translator};

/// A running translation of several texts of one format, advanced as a [`Job`] is. Each is
/// translated as it would be alone; many short texts are as quick as one long one that way.
#[derive(Debug)]
pub struct TextsJob {
    job: Job,
}

advances_as_a_job!(TextsJob);

impl TextsJob {
    /// Starts with a full batch, see [`Job::for_throughput`].
    #[must_use]
    pub fn for_throughput(self) -> Self {
        Self {
            job: self.job.for_throughput(),
        }
    }

    /// The beginnings of the translations as far as they are known, in the order of the texts. They
    /// only grow.
    pub fn texts_so_far(&self) -> impl Iterator<Item = &str> {
        self.job.texts_so_far()
    }

    /// The translations, one a text.
    #[must_use]
    pub fn finish(self) -> Vec<Translation> {
        self.job.finish_all()
    }
}

impl Translator {
    /// Starts a translation of several texts that the caller advances step by step.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn texts_job<S: AsRef<str>>(
        &self,
        texts: &[S],
        options: &Options,
    ) -> Result<TextsJob, Error> {
        let job = Job::of_texts(Arc::clone(self.shared()), texts, options)?;
        Ok(TextsJob { job })
    }
}
