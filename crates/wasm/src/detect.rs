//! Which language a text is in, in the shape of the browsers' LanguageDetector.

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LikelyView {
    detected_language: &'static str,
    confidence: f32,
}

/// The languages a text may be in: `[{ detectedLanguage, confidence }, …]`, the most likely first
/// and `und` last.
#[must_use]
#[wasm_bindgen(
    js_name = detectLanguages,
    unchecked_return_type = "{ detectedLanguage: string; confidence: number }[]"
)]
pub fn detect_languages(text: &str) -> JsValue {
    let likely: Vec<LikelyView> = csanmt::detect_languages(text)
        .into_iter()
        .map(|likely| LikelyView {
            detected_language: likely.tag,
            confidence: likely.confidence,
        })
        .collect();
    // Strings and numbers only, which serialise without fail.
    serde_wasm_bindgen::to_value(&likely).unwrap_or(JsValue::UNDEFINED)
}
