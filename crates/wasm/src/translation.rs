//! What crosses the boundary: steps and translations out, as plain objects.

use std::ops::Range;

use csanmt::{Sentence, Translation};
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::utf16::Utf16Cursor;

/// The same shapes for TypeScript.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
export interface Step {
    text: string;
    sentencesDone: number;
    sentences: number;
    done: boolean;
}
export interface Translation {
    start: number;
    source: string;
    text: string;
    sentences: Sentence[];
}
export interface Sentence {
    source: [number, number];
    target: [number, number];
    truncated: boolean;
    confidence: number;
    alternatives?: { text: string; score: number }[];
    alignment?: { source: [number, number]; target: [number, number] }[];
}
"#;

/// Which parts of a sentence somebody asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shown {
    pub(crate) alternatives: bool,
    pub(crate) alignment: bool,
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
    start: usize,
    source: &'a str,
    text: &'a str,
    sentences: Vec<SentenceView<'a>>,
}

type Span = [usize; 2];

#[derive(Serialize, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
struct SentenceView<'a> {
    source: Span,
    target: Span,
    truncated: bool,
    confidence: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternatives: Option<Vec<AlternativeView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alignment: Option<Vec<AlignmentView>>,
}

#[derive(Serialize, Debug, PartialEq)]
struct AlternativeView<'a> {
    text: &'a str,
    score: f32,
}

#[derive(Serialize, Debug, PartialEq)]
struct AlignmentView {
    source: Span,
    target: Span,
}

impl<'a> TranslationView<'a> {
    /// `start` is where the source begins in the whole text.
    pub(crate) fn new(
        source: &'a str,
        start: usize,
        translation: &'a Translation,
        shown: Shown,
    ) -> Self {
        let mut in_source = Utf16Cursor::new(source);
        let mut in_target = Utf16Cursor::new(&translation.text);
        let sentences = translation.sentences.iter().map(|sentence| SentenceView {
            source: span(&mut in_source, &sentence.source, 0),
            target: span(&mut in_target, &sentence.target, 0),
            truncated: sentence.truncated,
            confidence: sentence.confidence,
            alternatives: shown.alternatives.then(|| alternatives(sentence)),
            alignment: shown.alignment.then(|| {
                let bases = (
                    in_source.offset_of(sentence.source.start),
                    in_target.offset_of(sentence.target.start),
                );
                let texts = (
                    source.get(sentence.source.clone()).unwrap_or_default(),
                    translation
                        .text
                        .get(sentence.target.clone())
                        .unwrap_or_default(),
                );
                alignment(sentence, texts, bases)
            }),
        });
        Self {
            sentences: sentences.collect(),
            start,
            source,
            text: &translation.text,
        }
    }

    pub(crate) fn to_js(&self) -> JsValue {
        to_js(self)
    }
}

/// Strings, numbers, booleans and arrays only, which serialise without fail.
pub(crate) fn to_js(value: &(impl Serialize + ?Sized)) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}

/// Bytes to UTF-16 code units, `base` added.
fn span(cursor: &mut Utf16Cursor<'_>, range: &Range<usize>, base: usize) -> Span {
    [range.start, range.end].map(|byte| base + cursor.offset_of(byte))
}

fn alternatives(sentence: &Sentence) -> Vec<AlternativeView<'_>> {
    let hypotheses = sentence.hypotheses.iter();
    hypotheses
        .map(|hypothesis| AlternativeView {
            text: &hypothesis.text,
            score: hypothesis.score,
        })
        .collect()
}

/// Words go to and fro in a sentence: its own cursors keep the walks short.
fn alignment(
    sentence: &Sentence,
    texts: (&str, &str),
    bases: (usize, usize),
) -> Vec<AlignmentView> {
    let mut cursors = (Utf16Cursor::new(texts.0), Utf16Cursor::new(texts.1));
    let pairs = sentence.alignment.iter();
    pairs
        .map(|pair| AlignmentView {
            source: span(&mut cursors.0, &pair.source, bases.0),
            target: span(&mut cursors.1, &pair.target, bases.1),
        })
        .collect()
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
        let view = TranslationView::new(source, 0, &translation, Shown::default());
        assert_eq!(view.sentences[0].source, [0, 5]);
        assert_eq!(view.sentences[0].target, [0, 13]);
        assert_eq!(view.sentences[1].source, [6, 9]);
        assert_eq!(view.sentences[1].target, [14, 17]);
    }
}
