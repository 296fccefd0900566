//! The texts of a file under way: some short ones together, a long one in parts.

use std::ops::ControlFlow;

use csanmt::Progress;
use csanmt::markup::{TaggedJob, TaggedPartJob, TaggedSentence, TaggedSentences, TaggedText};
use csanmt_documents::Translated;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::options::parse_options;
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

/// A long text of a file, cut into its sentences.
#[wasm_bindgen]
#[derive(Debug)]
pub struct LongUnit {
    pub(crate) sentences: TaggedSentences,
    pub(crate) options: csanmt::Options,
}

#[wasm_bindgen]
impl LongUnit {
    /// Cuts a text of `readDocument`.
    ///
    /// # Errors
    /// When an option is unknown or out of range, or the text is none.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "unknown")] unit: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Options")] options: JsValue,
    ) -> Result<Self, Failure> {
        let unit = serde_wasm_bindgen::from_value(unit)
            .map_err(|error| Failure::Options(error.to_string()))?;
        Ok(Self {
            sentences: TaggedSentences::of(unit),
            options: parse_options(options)?.options,
        })
    }

    /// How many sentences it has.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn sentences(&self) -> usize {
        self.sentences.count()
    }

    /// The translation of the text from those of all its sentences, as the parts gave them.
    ///
    /// # Errors
    /// When they are not those of this text.
    #[wasm_bindgen(unchecked_return_type = "unknown")]
    pub fn join(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown[]")] sentences: JsValue,
    ) -> Result<JsValue, Failure> {
        let sentences: Vec<TaggedSentence> = serde_wasm_bindgen::from_value(sentences)
            .map_err(|error| Failure::Options(error.to_string()))?;
        let joined = self.sentences.join(sentences);
        let (text, truncated) = joined.ok_or_else(|| {
            Failure::Options("the translations are not those of the text".to_owned())
        })?;
        Ok(to_js(&TranslatedView { text, truncated }))
    }
}

/// A translation of texts of a file, or of some sentences of one, that advances a bounded time at
/// once.
#[wasm_bindgen]
#[derive(Debug)]
pub struct UnitsJob {
    work: Work,
}

#[derive(Debug)]
enum Work {
    Whole(TaggedJob),
    Part(TaggedPartJob),
}

impl Work {
    fn progress(&self) -> Progress {
        match self {
            Self::Whole(job) => job.progress(),
            Self::Part(job) => job.progress(),
        }
    }

    fn is_done(&self) -> bool {
        match self {
            Self::Whole(job) => job.is_done(),
            Self::Part(job) => job.is_done(),
        }
    }

    fn advance_with(
        &mut self,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Progress, csanmt::Error> {
        match self {
            Self::Whole(job) => job.advance_with(observe),
            Self::Part(job) => job.advance_with(observe),
        }
    }
}

impl UnitsJob {
    /// Nobody looks at partial results.
    pub(crate) fn whole(job: TaggedJob) -> Self {
        Self {
            work: Work::Whole(job.for_throughput()),
        }
    }

    pub(crate) fn part(job: TaggedPartJob) -> Self {
        Self {
            work: Work::Part(job),
        }
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
        let work = &mut self.work;
        slice::run(|observe| work.advance_with(&mut |_| observe()).map(|_| ()))?;
        let progress = work.progress();
        let view = StepView {
            text: "",
            sentences_done: progress.sentences_done,
            sentences: progress.sentences,
            done: work.is_done(),
        };
        Ok(view.to_js())
    }

    /// The translations, one a text, or one a sentence of a part, once a step said `done`. The job
    /// is used up.
    ///
    /// # Errors
    /// When the job is not done.
    #[wasm_bindgen(unchecked_return_type = "unknown[]")]
    pub fn finish(self) -> Result<JsValue, Failure> {
        if !self.work.is_done() {
            return Err(Failure::NotDone);
        }
        let job = match self.work {
            Work::Part(job) => return Ok(to_js(&job.finish())),
            Work::Whole(job) => job,
        };
        let truncated = job.truncated();
        let views: Vec<TranslatedView> = job
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
