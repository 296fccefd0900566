//! A loaded model.

use std::sync::Arc;

use csanmt::{AlignedBytes, Translator};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::options::parse_options;
use crate::units::parse_units;
use crate::{Failure, Job, LongUnit, ModelBuffer, Request, UnitsJob};

/// A model, ready to translate.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    translator: Translator,
    file: Arc<AlignedBytes>,
}

/// The model file, for the translator and for who wants to copy it.
struct File(Arc<AlignedBytes>);

impl AsRef<[u8]> for File {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

#[wasm_bindgen]
impl Engine {
    /// Takes over the filled buffer and checks the model in it; the weights are used in place.
    ///
    /// # Errors
    /// When the buffer is not full or does not hold a csanmt model.
    #[wasm_bindgen(constructor)]
    pub fn new(buffer: ModelBuffer) -> Result<Self, Failure> {
        let file = Arc::new(buffer.into_bytes()?);
        let translator = Translator::from_bytes(File(Arc::clone(&file)))?;
        Ok(Self { translator, file })
    }

    /// Begins the translation of a request: of its sentences `from..to`, or of the whole text when
    /// both are left out. In HTML and Markdown it is always the whole.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn start(
        &self,
        request: &Request,
        from: Option<usize>,
        to: Option<usize>,
    ) -> Result<Job, Failure> {
        Job::start(&self.translator, request, from, to)
    }

    /// Begins the translation of the texts of a file, see `readDocument`.
    ///
    /// # Errors
    /// When an option is unknown or out of range, or the texts are none.
    #[wasm_bindgen(js_name = startUnits)]
    pub fn start_units(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown[]")] units: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Options")] options: JsValue,
    ) -> Result<UnitsJob, Failure> {
        let options = parse_options(options)?;
        let job = self
            .translator
            .tagged_job(parse_units(units)?, &options.options)?;
        Ok(UnitsJob::whole(job))
    }

    /// Begins the translation of the sentences `from..to` of a long text of a file.
    ///
    /// # Errors
    /// When an option is out of range.
    #[wasm_bindgen(js_name = startPart)]
    pub fn start_part(&self, unit: &LongUnit, from: usize, to: usize) -> Result<UnitsJob, Failure> {
        let LongUnit { sentences, options } = unit;
        let job = self
            .translator
            .tagged_part_job(sentences, from..to, options)?;
        Ok(UnitsJob::part(job))
    }

    /// The size of the model file in bytes.
    #[must_use]
    #[wasm_bindgen(getter, js_name = modelBytes)]
    pub fn model_bytes(&self) -> usize {
        self.file.len()
    }

    /// A copy of a piece of the model file, shorter at its end.
    #[must_use]
    #[wasm_bindgen(js_name = modelPiece)]
    pub fn model_piece(&self, offset: usize, len: usize) -> Uint8Array {
        let file: &[u8] = (*self.file).as_ref();
        let start = offset.min(file.len());
        let end = start.saturating_add(len).min(file.len());
        Uint8Array::from(&file[start..end])
    }
}
