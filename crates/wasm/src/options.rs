//! The options object.

use csanmt::{Format, Options, Terms};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;

/// The same shape for TypeScript.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export interface Options {
    beam?: number;
    format?: "text" | "html" | "markdown";
    alternatives?: number;
    alignment?: boolean;
    glossary?: readonly (readonly [term: string, translation: string])[];
    keep?: readonly string[];
    wrappedLines?: boolean;
}
"#;

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct OptionsView {
    beam: Option<usize>,
    format: FormatView,
    alternatives: usize,
    alignment: bool,
    glossary: Vec<(String, String)>,
    keep: Vec<String>,
    wrapped_lines: bool,
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

/// What a request asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) options: Options,
    pub(crate) alternatives: bool,
    pub(crate) alignment: bool,
}

/// Most sentences that are decoded together: few, so that the first ones are complete soon, and
/// enough to share most of the work of reading the weights.
const BATCH_SENTENCES: usize = 4;

/// Reads the options object; `undefined` and `null` mean the defaults.
pub(crate) fn parse_options(value: JsValue) -> Result<Asked, Failure> {
    let view = if value.is_undefined() || value.is_null() {
        OptionsView::default()
    } else {
        serde_wasm_bindgen::from_value(value)
            .map_err(|error| Failure::Options(error.to_string()))?
    };
    if view.alternatives > Options::MAX_BEAM {
        let (found, most) = (view.alternatives, Options::MAX_BEAM);
        return Err(Failure::Options(format!(
            "alternatives is {found}, expected a number from 0 to {most}"
        )));
    }
    let mut options = Options::default().with_batch(BATCH_SENTENCES);
    options.beam = view.beam;
    options.n_best = view.alternatives;
    options.alignment = view.alignment;
    options.wrapped_lines = view.wrapped_lines;
    options.format = match view.format {
        FormatView::Text => Format::Text,
        FormatView::Html => Format::Html,
        FormatView::Markdown => Format::Markdown,
    };
    let terms = parse_terms(&view)?;
    if !terms.is_empty() {
        options = options.with_terms(terms);
    }
    Ok(Asked {
        options,
        alternatives: view.alternatives > 0,
        alignment: view.alignment,
    })
}

/// Terms that stay, and those of the glossary, which count where both have one.
fn parse_terms(view: &OptionsView) -> Result<Terms, Failure> {
    let mut terms = Terms::default();
    for (number, term) in view.keep.iter().enumerate() {
        terms
            .insert(term, term)
            .map_err(|problem| Failure::Options(format!("keep[{number}]: {problem}")))?;
    }
    for (number, (term, translation)) in view.glossary.iter().enumerate() {
        terms
            .insert(term, translation)
            .map_err(|problem| Failure::Options(format!("glossary[{number}]: {problem}")))?;
    }
    Ok(terms)
}
