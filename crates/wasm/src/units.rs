//! The texts of a file under way.

use csanmt::markup::{TaggedJob, TaggedText};
use csanmt_documents::Translated;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::translation::{StepView, to_js};
use crate::{Failure, slice};

/// A text that was translated, on its way to the file.
#[derive(Serialize, Deserialize)]
pub(crate) struct TranslatedView {
    text: TaggedText,
    truncated: bool,
}

impl From<TranslatedView> for Translated {
    fn from(view: TranslatedView) -> Self {
        Self {
            text: view.text,
            truncated: view.truncated,
        }
    }
}

/// Reads what `readDocument` gave.
pub(crate) fn parse_units(units: JsValue) -> Result<Vec<TaggedText>, Failure> {
    serde_wasm_bindgen::from_value(units).map_err(|error| Failure::Options(error.to_string()))
}

/// A translation of texts of a file that advances a bounded time at once.
#[wasm_bindgen]
#[derive(Debug)]
pub struct UnitsJob {
    job: TaggedJob,
}

impl UnitsJob {
    pub(crate) fn new(job: TaggedJob) -> Self {
        Self { job }
    }
}

#[wasm_bindgen]
impl UnitsJob {
    /// Works for some hundredths of a second, see `Job.step`. The `text` is always empty.
    ///
    /// # Errors
    /// When the engine fails.
    #[wasm_bindgen(unchecked_return_type = "Step")]
    pub fn step(&mut self) -> Result<JsValue, Failure> {
        let job = &mut self.job;
        slice::run(|observe| job.advance_with(&mut |_| observe()).map(|_| ()))?;
        let progress = self.job.progress();
        let view = StepView {
            text: "",
            sentences_done: progress.sentences_done,
            sentences: progress.sentences,
            done: self.job.is_done(),
        };
        Ok(view.to_js())
    }

    /// The translations, one a text, once a step said `done`. The job is used up.
    ///
    /// # Errors
    /// When the job is not done.
    #[wasm_bindgen(unchecked_return_type = "unknown[]")]
    pub fn finish(self) -> Result<JsValue, Failure> {
        if !self.job.is_done() {
            return Err(Failure::NotDone);
        }
        let truncated = self.job.truncated();
        let views: Vec<TranslatedView> = self
            .job
            .finish()
            .into_iter()
            .enumerate()
            .map(|(number, text)| TranslatedView {
                text,
                truncated: truncated.contains(&number),
            })
            .collect();
        Ok(to_js(&views))
    }
}
