//! What crosses the boundary: options in, steps and translations out, as plain objects.

use std::ops::Range;

use csanmt::{Format, Options, Translation};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;
use crate::utf16::Utf16Cursor;

/// The same shapes for TypeScript.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export interface Options {
    beam?: number;
    format?: "text" | "html" | "markdown";
}
export interface Step {
    text: string;
    sentencesDone: number;
    sentences: number;
    done: boolean;
}
export interface Translation {
    text: string;
    sentences: { source: [number, number]; target: [number, number]; truncated: boolean }[];
}
"#;

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct OptionsView {
    beam: Option<usize>,
    format: FormatView,
}

/// What a text is written in.
#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum FormatView {
    #[default]
    Text,
    Html,
    Markdown,
}

/// Most sentences in one step. A step cannot be interrupted: four keep it near a tenth of a
/// second, and already share most of the work of reading the weights.
const STEP_SENTENCES: usize = 4;

/// Reads the options object; `undefined` and `null` mean the defaults.
pub(crate) fn parse_options(value: JsValue) -> Result<Options, Failure> {
    let mut options = Options::default().with_batch(STEP_SENTENCES);
    if value.is_undefined() || value.is_null() {
        return Ok(options);
    }
    let view: OptionsView = serde_wasm_bindgen::from_value(value)
        .map_err(|error| Failure::Options(error.to_string()))?;
    options.beam = view.beam;
    options.format = match view.format {
        FormatView::Text => Format::Text,
        FormatView::Html => Format::Html,
        FormatView::Markdown => Format::Markdown,
    };
    Ok(options)
}

/// How far a job is after a step.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepView<'a> {
    pub(crate) text: &'a str,
    pub(crate) sentences_done: usize,
    pub(crate) sentences: usize,
    pub(crate) done: bool,
}

impl StepView<'_> {
    pub(crate) fn to_js(&self) -> JsValue {
        to_js(self)
    }
}

/// A finished translation with offsets in UTF-16 code units, the unit of JavaScript strings.
#[derive(Serialize, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TranslationView<'a> {
    text: &'a str,
    sentences: Vec<SentenceView>,
}

#[derive(Serialize, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
struct SentenceView {
    source: [usize; 2],
    target: [usize; 2],
    truncated: bool,
}

impl<'a> TranslationView<'a> {
    pub(crate) fn new(source: &str, translation: &'a Translation) -> Self {
        let mut in_source = Utf16Cursor::new(source);
        let mut in_target = Utf16Cursor::new(&translation.text);
        let span = |cursor: &mut Utf16Cursor<'_>, range: &Range<usize>| {
            [cursor.offset_of(range.start), cursor.offset_of(range.end)]
        };
        let sentences = translation
            .sentences
            .iter()
            .map(|sentence| SentenceView {
                source: span(&mut in_source, &sentence.source),
                target: span(&mut in_target, &sentence.target),
                truncated: sentence.truncated,
            })
            .collect();
        Self {
            text: &translation.text,
            sentences,
        }
    }

    pub(crate) fn to_js(&self) -> JsValue {
        to_js(self)
    }
}

/// Strings, numbers, booleans and arrays only, which serialise without fail.
fn to_js(value: &impl Serialize) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(source: Range<usize>, target: Range<usize>) -> csanmt::Sentence {
        csanmt::Sentence {
            source,
            target,
            truncated: false,
            hypotheses: Vec::new(),
            ..Default::default()
        }
    }

    #[test]
    fn offsets_count_utf16_units_on_both_sides() {
        let source = "𠮷野家。\n好的。";
        let first = "𠮷野家。".len();
        let translation = Translation {
            text: "Yoshinoya 🍚.\nOK.".into(),
            sentences: vec![
                sentence(0..first, 0.."Yoshinoya 🍚.".len()),
                sentence(
                    first + 1..source.len(),
                    "Yoshinoya 🍚.\n".len().."Yoshinoya 🍚.\nOK.".len(),
                ),
            ],
        };
        let view = TranslationView::new(source, &translation);
        assert_eq!(view.sentences[0].source, [0, 5]);
        assert_eq!(view.sentences[0].target, [0, 13]);
        assert_eq!(view.sentences[1].source, [6, 9]);
        assert_eq!(view.sentences[1].target, [14, 17]);
    }
}
