//! Immersive Translate's custom interface: `POST /imme`.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::mtran::MTranError;
use super::options;
use crate::answer::ok;
use crate::body::Arrived;
use crate::desk::Task;
use crate::{ApiError, AppState};

/// Immersive Translate's request. The source language is always detected: the extension sends
/// wrong ones.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ImmeRequest {
    #[allow(dead_code, reason = "only described")]
    #[schema(value_type = Option<String>, example = "auto")]
    source_lang: Option<IgnoredAny>,
    #[schema(example = "en")]
    target_lang: Option<String>,
    text_list: Vec<String>,
}

/// As many translations as texts, in their order.
#[derive(Serialize, ToSchema)]
pub(crate) struct ImmeAnswer {
    translations: Vec<ImmeTranslation>,
}

#[derive(Serialize, ToSchema)]
struct ImmeTranslation {
    detected_source_lang: String,
    text: String,
}

/// Immersive Translate
#[utoipa::path(
    post,
    path = "/imme",
    tag = "extensions",
    request_body = ImmeRequest,
    responses(
        (status = 200, description = "One translation a text", body = ImmeAnswer),
        (status = "4XX", description = "What is wrong with the request", body = MTranError),
        (status = "5XX", description = "Try again later", body = MTranError),
    )
)]
pub(crate) async fn imme(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: ImmeRequest = arrived.fields.parse(r#"{"target_lang", "text_list"}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    let direction = desk.direction(None, request.target_lang.as_deref())?;
    let language = |text: &String| desk.language(&direction, text).language.google().to_owned();
    let languages: Vec<String> = request.text_list.iter().map(language).collect();
    let items = desk
        .translate(Task {
            texts: request.text_list,
            direction,
            options: options(),
        })
        .await?;
    let translations = items
        .into_iter()
        .zip(languages)
        .map(|(item, detected_source_lang)| ImmeTranslation {
            detected_source_lang,
            text: item.text,
        })
        .collect();
    Ok(ok(&ImmeAnswer { translations }))
}
