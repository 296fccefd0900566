//! The engine as the translator of units.

use std::ops::ControlFlow;

use csanmt::markup::TaggedText;
use csanmt::{Error, Options, Translator};

use crate::{TranslateUnits, Translated};

/// Translates on the calling thread.
#[derive(Debug, Clone, Copy)]
pub struct Engine<'t> {
    translator: &'t Translator,
    options: &'t Options,
}

impl<'t> Engine<'t> {
    /// A translator with the options for all units.
    #[must_use]
    pub fn new(translator: &'t Translator, options: &'t Options) -> Self {
        Self {
            translator,
            options,
        }
    }
}

impl TranslateUnits for Engine<'_> {
    fn sentences(&self, unit: &TaggedText) -> usize {
        let job = self.translator.tagged_job(vec![unit.clone()], self.options);
        // Options that are out of range are told when translating.
        job.map_or(0, |job| job.progress().sentences)
    }

    fn translate(
        &self,
        units: &[TaggedText],
        observe: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, Error> {
        let job = self.translator.tagged_job(units.to_vec(), self.options)?;
        let mut job = job.for_throughput();
        while !job.is_done() {
            job.advance_with(&mut |progress| observe(progress.sentences_done))?;
        }
        let truncated = job.truncated();
        let texts = job.finish().into_iter().enumerate();
        Ok(texts
            .map(|(number, text)| Translated {
                text,
                truncated: truncated.contains(&number),
            })
            .collect())
    }
}
