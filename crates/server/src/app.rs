//! The router: paths, limits and what wraps them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::{ACCEPT_RANGES, CONTENT_LENGTH, ETAG, RETRY_AFTER};
use axum::http::{HeaderName, Method};
use axum::middleware::{from_fn, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use crate::pool::Pool;
use crate::routes::{health, page, translate};
use crate::{ApiError, Settings, Site, Translate, access_log, headers};

/// What all requests share. Clones are handles to the same pool; when the last one goes, its
/// threads stop.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

struct Shared {
    pool: Pool,
    site: Site,
    model: String,
    settings: Settings,
}

impl AppState {
    /// Starts the threads, or as many as the system grants. `model` is the name that `/health`
    /// reports.
    ///
    /// # Errors
    /// When the system grants no thread at all.
    pub fn new(
        service: impl Translate,
        model: impl Into<String>,
        site: Site,
        settings: Settings,
    ) -> io::Result<Self> {
        Ok(Self(Arc::new(Shared {
            pool: Pool::new(service, &settings)?,
            site,
            model: model.into(),
            settings,
        })))
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    pub(crate) fn site(&self) -> &Site {
        &self.0.site
    }

    pub(crate) fn model(&self) -> &str {
        &self.0.model
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }
}

impl std::fmt::Debug for AppState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("AppState")
            .field("model", &self.0.model)
            .field("site", &self.0.site)
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}

/// The whole service.
pub fn app(state: AppState) -> Router {
    let wrong_method = |allowed| move || async move { ApiError::Method { allowed } };
    Router::new()
        .route(
            "/translate",
            post(translate::translate).fallback(wrong_method("POST")),
        )
        .route(
            "/health",
            get(health::health).fallback(wrong_method("GET, HEAD")),
        )
        .fallback(page::page)
        .with_state(state)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(cors())
        .layer(map_response(headers::secure))
        .layer(from_fn(access_log::log))
}

/// Any page and any extension may call: there are no cookies and no secrets here. Browsers ask
/// separately before a public page reaches a server in a private network; that is allowed too.
fn cors() -> CorsLayer {
    let exposed: [HeaderName; 4] = [ACCEPT_RANGES, CONTENT_LENGTH, ETAG, RETRY_AFTER];
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed)
        .allow_private_network(true)
        .max_age(Duration::from_secs(86_400))
}

/// The panic's own message may quote the text, so it goes to neither the client nor the log.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    ApiError::Internal.into_response()
}
