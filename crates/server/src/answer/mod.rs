//! What goes back to clients: JSON, and errors in the shape of the interface that was called.

mod dialect;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;

pub(crate) use dialect::Dialect;

/// A JSON answer of the API, never to be stored by caches.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    // Strings, numbers and lists of them always have a JSON form.
    let body = serde_json::to_vec(value).unwrap_or_default();
    typed(status, HeaderValue::from_static("application/json"), body)
}

/// An answer that worked.
pub(crate) fn ok(value: &impl Serialize) -> Response {
    json(StatusCode::OK, value)
}

/// An answer of the API with its content type, never to be stored by caches.
pub(crate) fn typed(status: StatusCode, kind: HeaderValue, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
