//! One line a request, without anything the user wrote: neither body nor query nor free path.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;

pub(crate) async fn log(request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let ms = begin.elapsed().as_millis();
    match route {
        Some(route) => tracing::info!(%method, route = route.as_str(), status, ms),
        None => tracing::debug!(%method, route = "page", status, ms),
    }
    response
}
