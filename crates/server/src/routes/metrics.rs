//! `GET /metrics` for Prometheus.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::Response;

use super::ErrorBody;
use crate::answer::typed;
use crate::body::Arrived;
use crate::{ApiError, AppState};

const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counters and levels
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operations",
    responses(
        (status = 200, description = "OpenMetrics text", body = String,
         content_type = "application/openmetrics-text"),
        (status = "4XX", description = "A token is needed", body = ErrorBody),
    )
)]
pub(crate) async fn metrics(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    state.check_token(&arrived.caller, None)?;
    let text = state.metrics_text();
    Ok(typed(StatusCode::OK, HeaderValue::from_static(KIND), text))
}
