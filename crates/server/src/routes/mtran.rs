//! MTranServer's `/translate` (which is LinguaSpark's, too) and `/translate/batch`.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use csanmt::Format;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::options;
use crate::answer::ok;
use crate::body::{Arrived, Flag};
use crate::desk::Task;
use crate::{ApiError, AppState};

/// MTranServer's request.
#[derive(Deserialize, ToSchema)]
pub(crate) struct MTranRequest {
    #[schema(example = "zh-Hans")]
    from: Option<String>,
    #[schema(example = "en")]
    to: Option<String>,
    #[schema(value_type = String)]
    text: Option<String>,
    #[schema(value_type = bool, required = false)]
    html: Option<Flag>,
}

/// MTranServer's answer, with what LinguaSpark's clients read.
#[derive(Serialize, ToSchema)]
pub(crate) struct MTranAnswer {
    result: String,
    text: String,
    from: String,
    to: String,
}

/// MTranServer's request for several texts.
#[derive(Deserialize, ToSchema)]
pub(crate) struct BatchRequest {
    #[schema(example = "zh-Hans")]
    from: Option<String>,
    #[schema(example = "en")]
    to: Option<String>,
    texts: Vec<String>,
    #[schema(value_type = bool, required = false)]
    html: Option<Flag>,
}

/// As many results as texts, in their order.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchAnswer {
    results: Vec<String>,
}

/// An error of MTranServer and the extensions' interfaces.
#[derive(Serialize, ToSchema)]
pub(crate) struct MTranError {
    /// The status in words.
    error: String,
    message: String,
}

fn format(html: Option<Flag>) -> Format {
    match html {
        Some(Flag(true)) => Format::Html,
        _ => Format::Text,
    }
}

pub(super) async fn answer(state: &AppState, arrived: Arrived) -> Result<Response, ApiError> {
    let request: MTranRequest = arrived.fields.parse(r#"{"from", "to", "text"}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    let text = request.text.ok_or(ApiError::Missing { name: "text" })?;
    let direction = desk.direction(request.from.as_deref(), request.to.as_deref())?;
    let from = desk.language(&direction, &text).language;
    let items = desk
        .translate(Task {
            texts: vec![text],
            direction,
            options: options().with_format(format(request.html)),
        })
        .await?;
    let text = items.into_iter().next().unwrap_or_default().text;
    Ok(ok(&MTranAnswer {
        result: text.clone(),
        text,
        from: from.code().to_owned(),
        to: desk.model().pair.target.code().to_owned(),
    }))
}

/// Translate several texts, as MTranServer does
#[utoipa::path(
    post,
    path = "/translate/batch",
    tag = "extensions",
    request_body = BatchRequest,
    responses(
        (status = 200, description = "One result a text", body = BatchAnswer),
        (status = "4XX", description = "What is wrong with the request", body = MTranError),
        (status = "5XX", description = "Try again later", body = MTranError),
    )
)]
pub(crate) async fn batch(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: BatchRequest = arrived.fields.parse(r#"{"from", "to", "texts"}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    let items = desk
        .translate(Task {
            direction: desk.direction(request.from.as_deref(), request.to.as_deref())?,
            texts: request.texts,
            options: options().with_format(format(request.html)),
        })
        .await?;
    Ok(ok(&BatchAnswer {
        results: items.into_iter().map(|item| item.text).collect(),
    }))
}
