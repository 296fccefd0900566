//! Files in, translated files out. Reading and writing know nothing of the model, so that the texts
//! in between can be translated by several workers.

use std::cell::RefCell;
use std::io::Cursor;
use std::ops::ControlFlow;

use csanmt::markup::{TaggedSentences, TaggedText};
use csanmt_documents::{Column, Document, Format, Limits, Settings, TranslateUnits, Translated};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Failure;
use crate::translation::to_js;
use crate::units::TranslatedView;

/// The same shapes for TypeScript.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export interface DocumentOptions {
    name?: string;
    format?: string;
    columns?: readonly (string | number)[];
}
export interface DocumentContent {
    format: string;
    units: { text: string }[];
    sentences: number[];
}
"#;

/// Largest file, and largest part of an archive, in bytes.
const FILE_LIMIT: u64 = 256 << 20;
const PART_LIMIT: u64 = 128 << 20;
const ARCHIVE_LIMIT: u64 = 512 << 20;

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct DocumentOptionsView {
    name: String,
    format: Option<String>,
    columns: Vec<ColumnView>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ColumnView {
    Number(usize),
    Name(String),
}

#[derive(Serialize)]
struct DocumentView {
    format: &'static str,
    units: Vec<TaggedText>,
    /// How many sentences each has.
    sentences: Vec<usize>,
}

/// The texts of a file that are not blank: `{ format, units, sentences }`, the last how many
/// sentences each has. `options` has the `name` of the file, its `format` when name and content do
/// not tell, and the `columns` of a table.
///
/// # Errors
/// When the file is of no known kind, broken or too large.
#[wasm_bindgen(js_name = readDocument, unchecked_return_type = "DocumentContent")]
pub fn read_document(
    bytes: &[u8],
    #[wasm_bindgen(unchecked_param_type = "DocumentOptions")] options: JsValue,
) -> Result<JsValue, Failure> {
    let (format, document) = open(bytes, options)?;
    let mut units = document.units()?;
    units.retain(|unit| !csanmt::is_blank(unit.text()));
    let count = |unit: &TaggedText| TaggedSentences::of(unit.clone()).count();
    let view = DocumentView {
        format: format.name(),
        sentences: units.iter().map(count).collect(),
        units,
    };
    Ok(to_js(&view))
}

/// The file with the translations of its texts, in the order of `readDocument`.
///
/// # Errors
/// As `readDocument`; and when the translations are not those of this file.
#[wasm_bindgen(js_name = writeDocument)]
pub fn write_document(
    bytes: &[u8],
    #[wasm_bindgen(unchecked_param_type = "DocumentOptions")] options: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown[]")] translations: JsValue,
) -> Result<Vec<u8>, Failure> {
    let (_, document) = open(bytes, options)?;
    let translations: Vec<TranslatedView> = serde_wasm_bindgen::from_value(translations)
        .map_err(|error| Failure::Options(error.to_string()))?;
    let translations = Ready(RefCell::new(translations.into_iter()));
    let mut output = Cursor::new(Vec::with_capacity(bytes.len()));
    document.translate(&translations, &mut output, &mut |_| {
        ControlFlow::Continue(())
    })?;
    match translations.0.into_inner().len() {
        0 => Ok(output.into_inner()),
        left => Err(Failure::Options(format!(
            "{left} translations are left over"
        ))),
    }
}

fn open(bytes: &[u8], options: JsValue) -> Result<(Format, Document<'_>), Failure> {
    let view: DocumentOptionsView = serde_wasm_bindgen::from_value(options)
        .map_err(|error| Failure::Options(error.to_string()))?;
    let format = match &view.format {
        Some(name) => name
            .parse()
            .map_err(|error| Failure::Options(format!("format: {error}")))?,
        None => Format::detect(&view.name, bytes)?,
    };
    let columns = view.columns.into_iter().map(|column| match column {
        ColumnView::Number(number) => Column::Number(number),
        ColumnView::Name(name) => Column::Name(name),
    });
    let limits = Limits::default()
        .with_file(FILE_LIMIT)
        .with_unpacked(PART_LIMIT, ARCHIVE_LIMIT);
    let settings = Settings::default()
        .with_columns(columns.collect())
        .with_limits(limits);
    Ok((format, Document::open(format, bytes, &settings)?))
}

/// Translations that are there already, in the order of the texts.
struct Ready(RefCell<std::vec::IntoIter<TranslatedView>>);

impl TranslateUnits for Ready {
    /// Nobody is told how far the writing is.
    fn sentences(&self, _: &TaggedText) -> usize {
        0
    }

    fn translate(
        &self,
        units: &[TaggedText],
        _: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, csanmt::Error> {
        let mut ready = self.0.borrow_mut();
        let translated: Vec<Translated> = ready
            .by_ref()
            .take(units.len())
            .map(Translated::from)
            .collect();
        if translated.len() < units.len() {
            return Err(csanmt::Error::Option {
                name: "translations",
                value: "too few".to_owned(),
                expected: "one a text of the file",
            });
        }
        Ok(translated)
    }
}
