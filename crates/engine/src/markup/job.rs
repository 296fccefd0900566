//! Tagged texts translated in steps.

use super::TaggedText;
use crate::job::advances_as_a_job;
use crate::{Error, Job, Options, Progress, Translator};

/// A running translation of tagged texts, advanced as a [`Job`] is.
#[derive(Debug)]
pub struct TaggedJob {
    job: Job,
}

advances_as_a_job!(TaggedJob);

impl TaggedJob {
    /// Starts with a full batch: nobody looks at partial results, see [`Job::for_throughput`].
    #[must_use]
    pub fn for_throughput(self) -> Self {
        Self {
            job: self.job.for_throughput(),
        }
    }

    /// Translates the next sentences, see [`Job::advance`].
    ///
    /// # Errors
    /// Only when the model cannot run at all.
    pub fn advance(&mut self) -> Result<Progress, Error> {
        self.job.advance()
    }

    /// The texts, by their index, that have a sentence which reached the length limit.
    #[must_use]
    pub fn truncated(&self) -> Vec<usize> {
        self.job.truncated_texts()
    }

    /// The translations, one a text; what is not done is as it was.
    #[must_use]
    pub fn finish(self) -> Vec<TaggedText> {
        self.job.finish_tagged()
    }
}

impl Translator {
    /// Starts a translation of tagged texts that the caller advances step by step. Their sentences
    /// are translated together, each by itself.
    ///
    /// # Errors
    /// When an option is out of range, or asks for the original pipeline, which knows no elements.
    pub fn tagged_job(
        &self,
        texts: Vec<TaggedText>,
        options: &Options,
    ) -> Result<TaggedJob, Error> {
        let job = self.job_of_blocks(texts, options)?;
        Ok(TaggedJob { job })
    }

    /// Translates tagged texts; one comes out for each that goes in.
    ///
    /// # Errors
    /// As [`Translator::tagged_job`].
    pub fn translate_tagged(
        &self,
        texts: Vec<TaggedText>,
        options: &Options,
    ) -> Result<Vec<TaggedText>, Error> {
        let mut job = self.job_of_blocks(texts, options)?.for_throughput();
        while !job.is_done() {
            job.advance()?;
        }
        Ok(job.finish_tagged())
    }
}
