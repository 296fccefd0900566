//! `GET /health`, and the paths under which other servers have it.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::ErrorBody;
use crate::answer::{json, ok};
use crate::{ApiError, AppState};

/// A server that translates.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    #[schema(example = "ok")]
    status: String,
    model: String,
    version: String,
}

/// Whether the server is ready
///
/// 503 until the model is loaded.
#[utoipa::path(
    get,
    path = "/health",
    tag = "operations",
    responses(
        (status = 200, description = "Ready", body = Health),
        (status = 503, description = "Not yet", body = ErrorBody),
    )
)]
pub(crate) async fn health(State(state): State<AppState>) -> Result<Response, ApiError> {
    let model = state.model()?;
    Ok(ok(&Health {
        status: "ok".to_owned(),
        model: model.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }))
}

/// Whether the process is alive, loaded or not
#[utoipa::path(
    get,
    path = "/live",
    tag = "operations",
    responses((status = 200, description = "It is", body = Object))
)]
pub(crate) async fn live() -> Response {
    ok(&serde_json::json!({"status": "alive"}))
}

/// The version of the server
#[utoipa::path(
    get,
    path = "/version",
    tag = "operations",
    responses((status = 200, description = "The version", body = Object))
)]
pub(crate) async fn version() -> Response {
    let version = env!("CARGO_PKG_VERSION");
    json(StatusCode::OK, &serde_json::json!({"version": version}))
}

/// Mozilla's name for health
#[utoipa::path(
    get,
    path = "/__heartbeat__",
    tag = "operations",
    responses(
        (status = 200, description = "Ready", body = Health),
        (status = 503, description = "Not yet", body = ErrorBody),
    )
)]
pub(crate) async fn heartbeat(state: State<AppState>) -> Result<Response, ApiError> {
    health(state).await
}

/// Mozilla's name for liveness
#[utoipa::path(
    get,
    path = "/__lbheartbeat__",
    tag = "operations",
    responses((status = 200, description = "Alive", body = Object))
)]
pub(crate) async fn load_balancer() -> Response {
    live().await
}
