//! The translator's side of [`Translate`].

use std::ops::ControlFlow;

use csanmt::markup::{TaggedJob, TaggedText};
use csanmt::{Error, Options, TextsJob, Translation, Translator};

use crate::{Pace, Translate, Work};

/// Longer lines are not looked through for unknown tokens.
const LONGEST_TRACE_BYTES: usize = 300;

impl Translate for Translator {
    fn start(
        &self,
        texts: Vec<String>,
        options: &Options,
        pace: Pace,
    ) -> Result<Box<dyn Work>, Error> {
        let job = self.texts_job(&texts, options)?;
        Ok(Box::new(Texts(match pace {
            Pace::Steps => job,
            Pace::Whole => job.for_throughput(),
        })))
    }

    fn start_tagged(
        &self,
        units: Vec<TaggedText>,
        options: &Options,
    ) -> Result<Box<dyn Work>, Error> {
        let job = self.tagged_job(units, options)?;
        Ok(Box::new(Tagged(job.for_throughput())))
    }

    fn languages(&self) -> (String, String) {
        let config = self.config();
        (config.src_lang.clone(), config.tgt_lang.clone())
    }

    fn unknown(&self, text: &str) -> Option<f64> {
        // Segmenting a short text takes some microseconds.
        let line = text.lines().find(|line| !csanmt::is_blank(line))?;
        if line.len() > LONGEST_TRACE_BYTES {
            return None;
        }
        let ids = self.trace(line).ids;
        // The vocabulary's last row.
        let unknown = u32::try_from(self.config().src_vocab_size)
            .ok()?
            .checked_sub(1)?;
        let found = ids.iter().filter(|&&id| id == unknown).count();
        (!ids.is_empty()).then(|| found as f64 / ids.len() as f64)
    }
}

struct Texts(TextsJob);

impl Work for Texts {
    fn advance(&mut self, observe: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        self.0.advance_with(&mut |_| observe()).map(drop)
    }

    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn sentences_done(&self) -> usize {
        self.0.progress().sentences_done
    }

    fn so_far(&self) -> Vec<String> {
        self.0.texts_so_far().map(str::to_owned).collect()
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        self.0.finish()
    }
}

struct Tagged(TaggedJob);

impl Work for Tagged {
    fn advance(&mut self, observe: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        self.0.advance_with(&mut |_| observe()).map(drop)
    }

    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn sentences_done(&self) -> usize {
        self.0.progress().sentences_done
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        Vec::new()
    }

    fn finish_tagged(self: Box<Self>) -> Vec<TaggedText> {
        self.0.finish()
    }
}
