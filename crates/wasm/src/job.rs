//! One text under way.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;
use crate::translation::{StepView, TranslationView};

/// A translation that advances a bounded amount of work at a time.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Job {
    job: csanmt::Job,
    source: String,
    /// Bytes of the translation that have been returned by steps.
    returned: usize,
}

impl Job {
    pub(crate) fn new(job: csanmt::Job, source: String) -> Self {
        Self {
            job,
            source,
            returned: 0,
        }
    }
}

#[wasm_bindgen]
impl Job {
    /// Does the next piece of work. Returns `{ text, sentencesDone, sentences, done }`, where
    /// `text` is what has been added to the translation since the last step.
    ///
    /// # Errors
    /// When the engine fails.
    #[wasm_bindgen(unchecked_return_type = "Step")]
    pub fn step(&mut self) -> Result<JsValue, Failure> {
        let progress = self.job.advance()?;
        let text = self.job.text_so_far();
        let view = StepView {
            text: text.get(self.returned..).unwrap_or_default(),
            sentences_done: progress.sentences_done,
            sentences: progress.sentences,
            done: self.job.is_done(),
        };
        self.returned = text.len();
        Ok(view.to_js())
    }

    /// The whole translation, once a step said `done`: `{ text, sentences }`, each sentence with
    /// its `source` and `target` as `[start, end]` in UTF-16 code units and whether it was
    /// `truncated`. The job is used up.
    ///
    /// # Errors
    /// When the job is not done.
    #[wasm_bindgen(unchecked_return_type = "Translation")]
    pub fn finish(self) -> Result<JsValue, Failure> {
        if !self.job.is_done() {
            return Err(Failure::NotDone);
        }
        let translation = self.job.finish();
        Ok(TranslationView::new(&self.source, &translation).to_js())
    }
}
