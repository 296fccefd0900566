//! One text under way.

use csanmt::Translator;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::translation::{Shown, StepView, TranslationView};
use crate::{Failure, Request, slice};

/// A translation that advances a bounded time at once.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Job {
    job: csanmt::Job,
    source: String,
    /// Where the source begins in the text of the request, in UTF-16 code units.
    start: usize,
    shown: Shown,
    /// Bytes of the translation that have been returned by steps.
    returned: usize,
}

impl Job {
    pub(crate) fn start(
        translator: &Translator,
        request: &Request,
        from: Option<usize>,
        to: Option<usize>,
    ) -> Result<Self, Failure> {
        let options = &request.asked.options;
        let (job, source, start) = match &request.sentences {
            Some(sentences) => {
                let range = from.unwrap_or(0)..to.unwrap_or(sentences.count());
                let (source, start) = request.part(range.start, range.end);
                let is_first = range.start == 0;
                let job = translator.part_job(sentences, range, options)?;
                // Nobody waits for the first sentence of a later part.
                let job = if is_first { job } else { job.for_throughput() };
                (job, source, start)
            }
            None => {
                let job = translator.job(&request.text, options)?;
                (job, request.text.clone(), 0)
            }
        };
        Ok(Self {
            job,
            source,
            start,
            shown: Shown {
                alternatives: request.asked.alternatives,
                alignment: request.asked.alignment,
            },
            returned: 0,
        })
    }
}

#[wasm_bindgen]
impl Job {
    /// Works for some hundredths of a second, or until the next sentences are complete. Returns
    /// `{ text, sentencesDone, sentences, done }`, where `text` is what has been added to the
    /// translation since the last step.
    ///
    /// # Errors
    /// When the engine fails.
    #[wasm_bindgen(unchecked_return_type = "Step")]
    pub fn step(&mut self) -> Result<JsValue, Failure> {
        let job = &mut self.job;
        let complete = slice::run(|observe| job.advance_with(&mut |_| observe()).map(|_| ()))?;
        let text = if complete { self.job.text_so_far() } else { "" };
        let progress = self.job.progress();
        let view = StepView {
            text: text.get(self.returned..).unwrap_or_default(),
            sentences_done: progress.sentences_done,
            sentences: progress.sentences,
            done: self.job.is_done(),
        };
        self.returned = self.returned.max(text.len());
        Ok(view.to_js())
    }

    /// The whole translation, once a step said `done`: `{ start, source, text, sentences }`, each
    /// sentence with its place in source and text as `[start, end]` in UTF-16 code units. The
    /// source is that of the part, which begins at `start` in the whole text. The job is used up.
    ///
    /// # Errors
    /// When the job is not done.
    #[wasm_bindgen(unchecked_return_type = "Translation")]
    pub fn finish(self) -> Result<JsValue, Failure> {
        if !self.job.is_done() {
            return Err(Failure::NotDone);
        }
        let translation = self.job.finish();
        Ok(TranslationView::new(&self.source, self.start, &translation, self.shown).to_js())
    }
}
