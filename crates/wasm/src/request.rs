//! A text with what is asked for it.

use csanmt::{Format, Sentences};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;
use crate::options::{Asked, parse_options};
use crate::utf16::Utf16Cursor;

/// A text to translate, whole or in parts.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Request {
    pub(crate) text: String,
    pub(crate) asked: Asked,
    /// Of plain text.
    pub(crate) sentences: Option<Sentences>,
}

#[wasm_bindgen]
impl Request {
    /// Cuts a text into sentences. `options` is `undefined` or an object with any of `beam` (1 to
    /// 8), `format` (`"text"`, `"html"` or `"markdown"`), `alternatives` (0 to 8), `alignment`,
    /// `glossary` (pairs), `keep` (terms) and `wrappedLines`.
    ///
    /// # Errors
    /// When an option is unknown, of the wrong type or out of range.
    #[wasm_bindgen(constructor)]
    pub fn new(
        text: String,
        #[wasm_bindgen(unchecked_optional_param_type = "Options")] options: JsValue,
    ) -> Result<Self, Failure> {
        let asked = parse_options(options)?;
        let plain = asked.options.format == Format::Text;
        let sentences = plain.then(|| Sentences::of(&text, asked.options.wrapped_lines));
        Ok(Self {
            text,
            asked,
            sentences,
        })
    }

    /// How many sentences the text has; 0 when it cannot be translated in parts.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn sentences(&self) -> usize {
        self.sentences.as_ref().map_or(0, Sentences::count)
    }
}

impl Request {
    /// The text of some sentences, and where it begins in UTF-16 code units.
    pub(crate) fn part(&self, from: usize, to: usize) -> (String, usize) {
        let Some(sentences) = &self.sentences else {
            return (self.text.clone(), 0);
        };
        let (part, start) = sentences.part(from..to);
        (part, Utf16Cursor::new(&self.text).offset_of(start))
    }
}
