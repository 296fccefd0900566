//! One text under way.

use std::ops::ControlFlow;
use std::rc::Rc;

use csanmt::{Options, Translation, Translator};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;
use crate::translation::{StepView, TranslationView};

/// A translation that advances a bounded amount of work at a time.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Job {
    translator: Rc<Translator>,
    source: String,
    options: Options,
    translation: Option<Translation>,
}

impl Job {
    pub(crate) fn new(translator: Rc<Translator>, source: String, options: Options) -> Self {
        Self {
            translator,
            source,
            options,
            translation: None,
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
    pub fn step(&mut self) -> Result<JsValue, Failure> {
        let translation =
            self.translator
                .translate_with(&self.source, &self.options, &mut |_, _| {
                    ControlFlow::Continue(())
                })?;
        let count = translation.sentences.len();
        let view = StepView {
            text: &translation.text,
            sentences_done: count,
            sentences: count,
            done: true,
        };
        let view = view.to_js();
        self.translation = Some(translation);
        Ok(view)
    }

    /// The whole translation, once a step said `done`: `{ text, sentences }`, each sentence with
    /// its `source` and `target` as `[start, end]` in UTF-16 code units and whether it was
    /// `truncated`. Before that, `undefined`.
    pub fn finish(self) -> JsValue {
        match &self.translation {
            Some(translation) => TranslationView::new(&self.source, translation).to_js(),
            None => JsValue::UNDEFINED,
        }
    }
}
