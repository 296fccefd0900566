//! Google's two interfaces: the documented one, and the one that its page uses.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::options;
use crate::answer::ok;
use crate::body::{Arrived, Text};
use crate::desk::Task;
use crate::language::Direction;
use crate::{ApiError, AppState};

/// Google's request.
#[derive(Deserialize, ToSchema)]
pub(crate) struct GoogleRequest {
    /// A text or a list of texts.
    #[schema(value_type = Text)]
    q: Option<Text>,
    #[schema(example = "zh-CN")]
    source: Option<String>,
    #[schema(example = "en")]
    target: Option<String>,
    /// `text` or `html`. Google's own default is `html`; here it is `text`.
    #[schema(example = "text")]
    format: Option<String>,
}

/// Google's answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct GoogleAnswer {
    data: GoogleData,
}

#[derive(Serialize, ToSchema)]
struct GoogleData {
    translations: Vec<GoogleTranslation>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GoogleTranslation {
    translated_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detected_source_language: Option<String>,
}

/// Google's error.
#[derive(Serialize, ToSchema)]
pub(crate) struct GoogleError {
    error: GoogleReason,
}

#[derive(Serialize, ToSchema)]
struct GoogleReason {
    code: u16,
    message: String,
    status: String,
}

/// Google Cloud Translation, version 2
#[utoipa::path(
    post,
    path = "/google/language/translate/v2",
    tag = "google",
    request_body(content(
        (GoogleRequest = "application/json"),
        (GoogleRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "One translation a text", body = GoogleAnswer),
        (status = "4XX", description = "What is wrong with the request", body = GoogleError),
        (status = "5XX", description = "Try again later", body = GoogleError),
    )
)]
pub(crate) async fn v2(
    state: State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    answer(state, request).await
}

/// The same under Google's own path
#[utoipa::path(
    post,
    path = "/language/translate/v2",
    tag = "google",
    request_body(content(
        (GoogleRequest = "application/json"),
        (GoogleRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "One translation a text", body = GoogleAnswer),
        (status = "4XX", description = "What is wrong with the request", body = GoogleError),
        (status = "5XX", description = "Try again later", body = GoogleError),
    )
)]
pub(crate) async fn official(
    state: State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    answer(state, request).await
}

async fn answer(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: GoogleRequest = arrived.fields.parse(r#"{"q", "target"}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    let text = request.q.ok_or(ApiError::Missing { name: "q" })?;
    let format = super::libre::format(request.format.as_deref())?;
    let direction = desk.direction(request.source.as_deref(), request.target.as_deref())?;
    let is_auto = direction == Direction::Translate { source: None };
    let texts = text.into_vec();
    let language = |text: &String| desk.language(&direction, text).language.google().to_owned();
    let languages: Vec<_> = texts
        .iter()
        .map(|text| is_auto.then(|| language(text)))
        .collect();
    let items = desk
        .translate(Task {
            texts,
            direction,
            options: options().with_format(format),
        })
        .await?;
    let translations = items
        .into_iter()
        .zip(languages)
        .map(|(item, detected_source_language)| GoogleTranslation {
            translated_text: item.text,
            detected_source_language,
        })
        .collect();
    Ok(ok(&GoogleAnswer {
        data: GoogleData { translations },
    }))
}

/// The query of the page's interface.
#[derive(Deserialize)]
struct SingleRequest {
    q: Option<String>,
    sl: Option<String>,
    tl: Option<String>,
    /// With 1 the answer has names.
    dj: Option<String>,
}

/// Google's page
///
/// The answer is a list in lists, as Google's: the first has one entry, whose first two fields are
/// translation and source; the third of the outer list is the language of the source.
#[utoipa::path(
    get,
    path = "/google/translate_a/single",
    tag = "google",
    params(
        ("q" = String, Query, description = "The text"),
        ("sl" = Option<String>, Query, description = "Its language, or `auto`"),
        ("tl" = Option<String>, Query, description = "The language to translate into"),
        ("dj" = Option<String>, Query, description = "`1`: an object instead of lists"),
    ),
    responses(
        (status = 200, description = "The translation", body = serde_json::Value),
        (status = "4XX", description = "What is wrong with the request", body = GoogleError),
        (status = "5XX", description = "Try again later", body = GoogleError),
    )
)]
pub(crate) async fn single(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: SingleRequest = arrived.fields.parse("?q=…&sl=auto&tl=en")?;
    let desk = state.admit(arrived.caller, None)?;
    let text = request.q.ok_or(ApiError::Missing { name: "q" })?;
    let direction = desk.direction(request.sl.as_deref(), request.tl.as_deref())?;
    let detected = desk.language(&direction, &text);
    let items = desk
        .translate(Task {
            texts: vec![text.clone()],
            direction,
            options: options(),
        })
        .await?;
    let translated = items.into_iter().next().unwrap_or_default().text;
    let source = detected.language.google();
    if request.dj.as_deref() == Some("1") {
        return Ok(ok(&json!({
            "sentences": [{"trans": translated, "orig": text}],
            "src": source,
            "confidence": detected.confidence,
        })));
    }
    Ok(ok(&json!([
        [[translated, text, Value::Null, Value::Null, 1]],
        Value::Null,
        source,
        Value::Null,
        Value::Null,
        Value::Null,
        detected.confidence,
    ])))
}
