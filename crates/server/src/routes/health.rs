//! `GET /health` → `{"status": "ok", "model": "…", "version": "…"}`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::json;
use crate::AppState;

/// The listener opens after the model is loaded, so whoever can ask gets "ok".
pub(crate) async fn health(State(state): State<AppState>) -> Response {
    let body = serde_json::json!({
        "status": "ok",
        "model": state.model(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    json(StatusCode::OK, &body)
}
