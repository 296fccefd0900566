//! Headers that every answer carries.

use axum::http::HeaderValue;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::Response;

/// The page loads nothing from elsewhere; its only permission beyond that is to compile
/// WebAssembly. A worker takes the policy from its own script's answer, so all files carry it.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
     worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

const HEADERS: [(HeaderName, &str); 3] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
];

pub(crate) async fn secure(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}
