//! Everything that is not the API: the files of the page.

use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Request, StatusCode};
use axum::response::{IntoResponse as _, Response};

use crate::{ApiError, AppState};

/// A file of the page, or the JSON error that a client with a wrong address can read.
pub(crate) async fn page(State(state): State<AppState>, request: Request<Body>) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let error = match request.uri().path() {
            "/" => ApiError::Method {
                allowed: "GET, HEAD".to_owned(),
            },
            _ => ApiError::NotFound,
        };
        return error.into_response();
    }
    let response = state.site().respond(request).await;
    match response.status() {
        StatusCode::NOT_FOUND => ApiError::NotFound.into_response(),
        status if status.is_server_error() => ApiError::Internal.into_response(),
        _ => response,
    }
}
