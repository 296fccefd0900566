//! A loaded model.

use csanmt::Translator;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::translation::parse_options;
use crate::{Failure, Job, ModelBuffer};

/// A model, ready to translate.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    translator: Translator,
}

#[wasm_bindgen]
impl Engine {
    /// Takes over the filled buffer and checks the model in it; the weights are used in place.
    ///
    /// # Errors
    /// When the buffer is not full or does not hold a csanmt model.
    #[wasm_bindgen(constructor)]
    pub fn new(buffer: ModelBuffer) -> Result<Self, Failure> {
        let translator = Translator::from_bytes(buffer.into_bytes()?)?;
        Ok(Self { translator })
    }

    /// Begins the translation of `text`. `options` is `undefined` or an object with any of
    /// `beam` (1 to 8) and `format` (`"text"`, `"html"` or `"markdown"`).
    ///
    /// # Errors
    /// When an option is unknown, of the wrong type or out of range.
    pub fn start(
        &self,
        text: String,
        #[wasm_bindgen(unchecked_optional_param_type = "Options")] options: JsValue,
    ) -> Result<Job, Failure> {
        let job = self.translator.job(&text, &parse_options(options)?)?;
        Ok(Job::new(job, text))
    }
}
