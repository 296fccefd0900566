//! The handlers, one file a route.

mod fields;
pub(crate) mod health;
pub(crate) mod page;
pub(crate) mod translate;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;

/// A JSON answer of the API, never to be stored by caches.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    // Strings, numbers and lists of them always have a JSON form.
    let body = serde_json::to_vec(value).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
