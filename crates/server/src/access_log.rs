//! One line and one count a request, without anything the user wrote: neither body nor query nor
//! free path.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::AppState;

pub(crate) async fn log(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let method = request.method().clone();
    let response = next.run(request).await;
    let route = response.extensions().get::<MatchedPath>();
    let status = response.status().as_u16();
    let duration = begin.elapsed();
    let ms = duration.as_millis();
    let route = match route {
        Some(route) => route.as_str(),
        None => "page",
    };
    state.metrics().request(route, status, duration);
    match route {
        // Asked for all the time by machines.
        "page" | "/health" | "/live" | "/metrics" => {
            tracing::debug!(%method, route, status, ms);
        }
        route => tracing::info!(%method, route, status, ms),
    }
    response
}

/// Tells [`log`] which route a request has taken.
pub(crate) async fn note_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}
