//! LibreTranslate's `POST /translate`, as JSON, form or form with files.

use axum::response::Response;
use csanmt::Format;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{options, with_alternatives};
use crate::answer::ok;
use crate::body::{Arrived, Number, Text};
use crate::desk::Task;
use crate::language::Direction;
use crate::{ApiError, AppState};

/// What this interface takes, for messages.
pub(super) const EXPECTED: &str = r#"{"q": "…", "source": "zh", "target": "en"}"#;

/// LibreTranslate's request.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LibreRequest {
    /// A text or a list of texts.
    #[schema(value_type = Text)]
    q: Option<Text>,
    /// A language code, or `auto`.
    #[schema(value_type = String, example = "auto")]
    source: Option<String>,
    #[schema(value_type = String, example = "en")]
    target: Option<String>,
    /// `text` or `html`.
    #[schema(example = "text")]
    format: Option<String>,
    /// How many other translations to give.
    #[schema(value_type = Option<u64>)]
    alternatives: Option<Number>,
    api_key: Option<String>,
}

/// LibreTranslate's answer; lists where the request had a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct LibreAnswer {
    #[serde(rename = "translatedText")]
    translated_text: Text,
    #[serde(rename = "detectedLanguage", skip_serializing_if = "Option::is_none")]
    detected_language: Option<OneOrMany<LibreDetected>>,
    /// Other translations of a text, or of each text of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<serde_json::Value>>)]
    alternatives: Option<OneOrMany<Vec<String>>>,
}

/// A guess at a language.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct LibreDetected {
    /// 0 to 100.
    pub(crate) confidence: f64,
    pub(crate) language: String,
}

#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn new(mut values: Vec<T>, single: bool) -> Self {
        match values.pop() {
            Some(value) if single => Self::One(value),
            last => {
                values.extend(last);
                Self::Many(values)
            }
        }
    }
}

/// `text`, `html` or nothing.
pub(super) fn format(name: Option<&str>) -> Result<Format, ApiError> {
    match name.map(str::to_ascii_lowercase).as_deref() {
        None | Some("" | "text" | "plain") => Ok(Format::Text),
        Some("html") => Ok(Format::Html),
        Some(other) => Err(ApiError::Unsupported {
            what: format!("{} format", other.chars().take(40).collect::<String>()),
        }),
    }
}

pub(super) async fn translate(state: &AppState, arrived: Arrived) -> Result<Response, ApiError> {
    let request: LibreRequest = arrived.fields.parse(EXPECTED)?;
    let desk = state.admit(arrived.caller, request.api_key.as_deref())?;
    let missing = |name| ApiError::Missing { name };
    let text = request.q.ok_or_else(|| missing("q"))?;
    let source = request.source.ok_or_else(|| missing("source"))?;
    let target = request.target.ok_or_else(|| missing("target"))?;
    let single = matches!(text, Text::One(_));
    let alternatives = request.alternatives.map_or(0, |number| number.0);
    let direction = desk.direction(Some(&source), Some(&target))?;
    let task = Task {
        texts: text.into_vec(),
        direction: direction.clone(),
        options: with_alternatives(options(), alternatives)
            .with_format(format(request.format.as_deref())?),
    };
    let is_auto = direction == Direction::Translate { source: None };
    let detected = is_auto.then(|| {
        let guess = |text: &String| LibreDetected::from(&desk.language(&direction, text));
        let guesses = task.texts.iter().map(guess).collect();
        OneOrMany::new(guesses, single)
    });
    let items = desk.translate(task).await?;
    let (texts, others) = items
        .into_iter()
        .map(|item| (item.text, item.alternatives))
        .unzip();
    Ok(ok(&LibreAnswer {
        translated_text: match OneOrMany::new(texts, single) {
            OneOrMany::One(text) => Text::One(text),
            OneOrMany::Many(texts) => Text::Many(texts),
        },
        detected_language: detected,
        alternatives: (alternatives > 0).then(|| OneOrMany::new(others, single)),
    }))
}

impl From<&crate::language::Detected> for LibreDetected {
    fn from(detected: &crate::language::Detected) -> Self {
        Self {
            confidence: (detected.confidence * 100.0).round(),
            language: detected.language.code().to_owned(),
        }
    }
}
