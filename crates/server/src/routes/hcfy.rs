//! The interface of 划词翻译: `POST /hcfy`, with Chinese names of languages.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::mtran::MTranError;
use super::options;
use crate::answer::ok;
use crate::body::Arrived;
use crate::desk::Task;
use crate::language::{Direction, Language};
use crate::{ApiError, AppState};

/// The request of 划词翻译.
#[derive(Deserialize, ToSchema)]
pub(crate) struct HcfyRequest {
    text: String,
    /// Two languages: what is in the first is translated into the second, all else into the first.
    #[serde(default)]
    #[schema(example = json!(["中文(简体)", "英语"]))]
    destination: Vec<String>,
    /// Detected when absent.
    source: Option<String>,
}

/// Its answer: one result a paragraph.
#[derive(Serialize, ToSchema)]
pub(crate) struct HcfyAnswer {
    text: String,
    from: String,
    to: String,
    result: Vec<String>,
}

/// 划词翻译
#[utoipa::path(
    post,
    path = "/hcfy",
    tag = "extensions",
    request_body = HcfyRequest,
    responses(
        (status = 200, description = "One result a paragraph", body = HcfyAnswer),
        (status = "4XX", description = "What is wrong with the request", body = MTranError),
        (status = "5XX", description = "Try again later", body = MTranError),
    )
)]
pub(crate) async fn hcfy(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: HcfyRequest = arrived.fields.parse(r#"{"text", "destination"}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    // Without a target the model's is meant.
    let given = desk
        .direction(request.source.as_deref(), None)
        .unwrap_or(Direction::Translate { source: None });
    let from = desk.language(&given, &request.text).language;
    let first = request.destination.first();
    let is_first = first
        .and_then(|name| Language::parse(name))
        .is_some_and(|one| one == from);
    let target = match is_first {
        true => request.destination.get(1).or(first),
        false => first,
    };
    let direction = desk.direction(request.source.as_deref(), target.map(String::as_str))?;
    let to = match (&direction, target) {
        (Direction::Echo { .. }, Some(name)) => name.clone(),
        _ => desk.model().pair.target.chinese_name().to_owned(),
    };
    let paragraphs = request.text.split('\n').map(str::to_owned).collect();
    let items = desk
        .translate(Task {
            texts: paragraphs,
            direction,
            options: options(),
        })
        .await?;
    Ok(ok(&HcfyAnswer {
        from: from.chinese_name().to_owned(),
        to,
        result: items.into_iter().map(|item| item.text).collect(),
        text: request.text,
    }))
}
