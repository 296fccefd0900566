//! DeepLX's interface: `/deeplx`, `/v1/translate`, and `/translate` with its fields.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{options, with_alternatives};
use crate::answer::ok;
use crate::body::Arrived;
use crate::desk::Task;
use crate::{ApiError, AppState};

/// Other translations that DeepLX gives.
const ALTERNATIVES: u64 = 3;

/// DeepLX's request.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DeepLXRequest {
    #[schema(value_type = String)]
    text: Option<String>,
    #[schema(example = "ZH")]
    source_lang: Option<String>,
    #[schema(example = "EN")]
    target_lang: Option<String>,
    /// `html` or `xml`: tags are kept.
    tag_handling: Option<String>,
}

/// DeepLX's answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeepLXAnswer {
    alternatives: Vec<String>,
    /// 200.
    code: u16,
    /// The translation.
    data: String,
    id: u64,
    method: String,
    source_lang: String,
    target_lang: String,
}

/// DeepLX's error.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeepLXError {
    /// The status.
    code: u16,
    message: String,
}

/// DeepLX
#[utoipa::path(
    post,
    path = "/deeplx",
    tag = "extensions",
    request_body = DeepLXRequest,
    responses(
        (status = 200, description = "The translation", body = DeepLXAnswer),
        (status = "4XX", description = "What is wrong with the request", body = DeepLXError),
        (status = "5XX", description = "Try again later", body = DeepLXError),
    )
)]
pub(crate) async fn deeplx(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    answer(&state, Arrived::read(&state, request).await?).await
}

/// DeepLX for paying users
#[utoipa::path(
    post,
    path = "/v1/translate",
    tag = "extensions",
    request_body = DeepLXRequest,
    responses(
        (status = 200, description = "The translation", body = DeepLXAnswer),
        (status = "4XX", description = "What is wrong with the request", body = DeepLXError),
        (status = "5XX", description = "Try again later", body = DeepLXError),
    )
)]
pub(crate) async fn v1(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    answer(&state, Arrived::read(&state, request).await?).await
}

pub(super) async fn answer(state: &AppState, arrived: Arrived) -> Result<Response, ApiError> {
    let request: DeepLXRequest = arrived
        .fields
        .parse(r#"{"text", "source_lang", "target_lang"}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    let text = request.text.ok_or(ApiError::Missing { name: "text" })?;
    let format = super::deepl::format(request.tag_handling.as_deref())?;
    let (source, target) = (
        request.source_lang.as_deref(),
        request.target_lang.as_deref(),
    );
    let direction = desk.direction(source, target)?;
    let source = desk.language(&direction, &text).language;
    // DeepLX numbers its requests; nobody looks at the number.
    let id = 8_000_000_000 + state.metrics().characters();
    let items = desk
        .translate(Task {
            texts: vec![text],
            direction,
            options: with_alternatives(options(), ALTERNATIVES).with_format(format),
        })
        .await?;
    let item = items.into_iter().next().unwrap_or_default();
    Ok(ok(&DeepLXAnswer {
        alternatives: item.alternatives,
        code: 200,
        data: item.text,
        id,
        method: "Free".to_owned(),
        source_lang: source.deepl(),
        target_lang: request
            .target_lang
            .filter(|target| !target.trim().is_empty())
            .unwrap_or_else(|| desk.model().pair.target.deepl()),
    }))
}
