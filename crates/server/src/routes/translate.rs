//! `POST /translate` `{"text": "…"}` → `{"translation": "…"}`.

use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use csanmt::Options;
use serde::{Deserialize, Serialize};

use super::json;
use crate::json_body::read_json;
use crate::{ApiError, AppState};

/// Other fields are passed over: clients of other servers send many.
#[derive(Deserialize)]
struct TranslateRequest {
    text: String,
    /// Beam width, 1 to 8; the model's own when absent.
    beam: Option<u64>,
}

#[derive(Serialize)]
struct TranslateResponse {
    translation: String,
}

pub(crate) async fn translate(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let begin = Instant::now();
    let limits = state.settings();
    let request: TranslateRequest = read_json(request, limits.body_bytes, limits.deadline).await?;
    let options = request.options()?;
    if is_blank(&request.text) {
        return Err(ApiError::EmptyInput);
    }

    let left = limits.deadline.saturating_sub(begin.elapsed());
    let ticket = state.pool().submit(request.text, options)?;
    let seconds = limits.deadline.as_secs();
    let translation = tokio::time::timeout(left, ticket.result())
        .await
        .map_err(|_| ApiError::Deadline { seconds })??;
    let translation = translation.text;
    Ok(json(StatusCode::OK, &TranslateResponse { translation }))
}

impl TranslateRequest {
    fn options(&self) -> Result<Options, ApiError> {
        let Some(beam) = self.beam else {
            return Ok(Options::default());
        };
        match usize::try_from(beam) {
            Ok(width @ 1..=Options::MAX_BEAM) => Ok(Options::default().with_beam(width)),
            _ => Err(ApiError::Value {
                reason: format!(
                    "beam is {beam}, expected a number from 1 to {}",
                    Options::MAX_BEAM
                ),
            }),
        }
    }
}

/// White space of any script, and control characters.
fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|char| char.is_whitespace() || char.is_control())
}
