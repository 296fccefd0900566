//! JSON to typed values, with errors that tell a user of curl what to do.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

use crate::ApiError;

/// The text of a body, without a byte order mark.
pub(super) fn text(body: &[u8]) -> Result<&str, ApiError> {
    let text = std::str::from_utf8(body).map_err(|error| ApiError::Encoding {
        position: error.valid_up_to(),
    })?;
    // Windows tools write one; a JSON parser may pass it over.
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Reads an object. `expected` says what the interface takes.
pub(super) fn parse<T: DeserializeOwned>(
    text: &str,
    expected: &'static str,
) -> Result<T, ApiError> {
    let outcome = if text.trim_start().starts_with('{') {
        serde_json::from_str(text)
    } else {
        // Derived types read arrays too, field by field; nobody means that.
        serde_json::from_str::<IgnoredAny>(text).and_then(|_| {
            let reason = "the body is not an object";
            Err(serde::de::Error::custom(reason))
        })
    };
    outcome.map_err(|error| {
        let reason = reason(&error);
        match error.classify() {
            Category::Data => ApiError::Shape { expected, reason },
            Category::Io | Category::Syntax | Category::Eof => ApiError::Syntax { reason },
        }
    })
}

/// What the parser met, in words for whoever wrote the body.
fn reason(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    // The second is what a pair without its second half gives.
    let of_a_half = ["lone leading surrogate", "unexpected end of hex escape"];
    if !of_a_half.iter().any(|start| reason.starts_with(start)) {
        return reason;
    }
    format!(
        "unpaired surrogate at line {} column {}: \\ud800 to \\udfff stand for a character only \
         in pairs, as in \\ud83d\\ude00",
        error.line(),
        error.column()
    )
}
