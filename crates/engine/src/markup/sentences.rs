//! A tagged text that is translated in parts, by one translator or by several.

use std::ops::Range;
use std::sync::Arc;

use super::TaggedText;
use super::block::Block;
use crate::job::advances_as_a_job;
use crate::plan::Output;
use crate::{Alignment, Error, Job, Options, Translator};

/// A tagged text cut into its sentences. Any run of them can be translated by itself; when all are
/// there, [`TaggedSentences::join`] gives what the translation of the whole would be.
#[derive(Debug, Clone)]
pub struct TaggedSentences {
    block: Arc<Block>,
}

/// The translation of a sentence of a tagged text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaggedSentence {
    text: String,
    truncated: bool,
    /// The words, where an element begins or ends in the sentence.
    words: Vec<Alignment>,
}

impl TaggedSentences {
    /// Cuts a text.
    #[must_use]
    pub fn of(text: TaggedText) -> Self {
        Self {
            block: Arc::new(Block::new(text)),
        }
    }

    /// How many sentences there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.block.sentences()
    }

    /// The text from the translations of all its sentences, in order, and whether one of them
    /// reached the length limit. `None` when they are not as many as there are sentences.
    #[must_use]
    pub fn join(&self, sentences: Vec<TaggedSentence>) -> Option<(TaggedText, bool)> {
        if sentences.len() != self.count() {
            return None;
        }
        let outputs = sentences.into_iter().enumerate();
        let outputs: Vec<Output> = outputs
            .map(|(number, sentence)| sentence.into_output(self.block.original_text(number)))
            .collect();
        let finished = self.block.finish(&outputs);
        Some((finished.text, finished.truncated))
    }
}

impl TaggedSentence {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            text: output.text,
            truncated: output.truncated,
            words: output.alignment,
        }
    }

    /// Words that are not in the texts may come from outside; the whole sentence is placed by
    /// proportion then.
    fn into_output(self, source: &str) -> Output {
        let is_right = self.words.iter().all(|word| {
            source.get(word.source.clone()).is_some()
                && self.text.get(word.target.clone()).is_some()
        });
        Output {
            text: self.text,
            truncated: self.truncated,
            alignment: if is_right { self.words } else { Vec::new() },
            ..Output::default()
        }
    }
}

/// A running translation of some sentences of a tagged text, advanced as a [`Job`] is.
#[derive(Debug)]
pub struct TaggedPartJob {
    job: Job,
}

advances_as_a_job!(TaggedPartJob);

impl TaggedPartJob {
    /// The sentences that are translated, in order.
    #[must_use]
    pub fn finish(self) -> Vec<TaggedSentence> {
        self.job.finish_sentences()
    }
}

impl Translator {
    /// Starts the translation of a run of sentences; those that the text does not have are left
    /// out. It begins with a full batch, see [`Job::for_throughput`].
    ///
    /// # Errors
    /// When an option is out of range, or asks for the original pipeline, which knows no elements.
    pub fn tagged_part_job(
        &self,
        text: &TaggedSentences,
        sentences: Range<usize>,
        options: &Options,
    ) -> Result<TaggedPartJob, Error> {
        let end = sentences.end.min(text.count());
        let run = sentences.start.min(end)..end;
        let job = Job::of_run(
            Arc::clone(self.shared()),
            Arc::clone(&text.block),
            run,
            options,
        )?;
        Ok(TaggedPartJob {
            job: job.for_throughput(),
        })
    }
}
