//! The router: paths, limits and what wraps them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::{ACCEPT_RANGES, ALLOW, CONTENT_LENGTH, ETAG, RETRY_AFTER};
use axum::http::{HeaderName, Method};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowHeaders, Any, CorsLayer};
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::Dialect;
use crate::routes::{
    chat, deepl, deeplx, detect, docs, file, frontend, google, hcfy, health, imme, kiss, languages,
    metrics, mtran, page, translate,
};
use crate::{ApiError, AppState, access_log, headers};

/// The whole service.
pub fn app(state: AppState) -> Router {
    let (router, description) = OpenApiRouter::with_openapi(docs::Description::openapi())
        .routes(routes!(translate::translate))
        .routes(routes!(detect::detect))
        .routes(routes!(languages::languages))
        .routes(routes!(frontend::settings))
        .routes(routes!(file::translate))
        .routes(routes!(file::download))
        .routes(routes!(deepl::translate))
        .routes(routes!(deepl::short))
        .routes(routes!(deepl::languages))
        .routes(routes!(deepl::usage))
        .routes(routes!(deeplx::deeplx))
        .routes(routes!(deeplx::v1))
        .routes(routes!(google::v2))
        .routes(routes!(google::official))
        .routes(routes!(google::single))
        .routes(routes!(chat::completions))
        .routes(routes!(chat::models))
        .routes(routes!(mtran::batch))
        .routes(routes!(imme::imme))
        .routes(routes!(kiss::kiss))
        .routes(routes!(hcfy::hcfy))
        .routes(routes!(health::health))
        .routes(routes!(health::live))
        .routes(routes!(health::version))
        .routes(routes!(health::heartbeat))
        .routes(routes!(health::load_balancer))
        .routes(routes!(metrics::metrics))
        .split_for_parts();
    // Names, texts and lists always have a JSON form.
    let description = serde_json::to_value(description).unwrap_or_default();
    let routes = router
        .route("/openapi.json", get(docs::openapi))
        .route("/docs", get(docs::docs))
        .method_not_allowed_fallback(wrong_method)
        .fallback(page::page)
        .with_state(state.clone())
        .layer(Extension(docs::Api(Arc::new(description))))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(access_log::note_route));
    // Around all of it, since routes add the `Allow` header outside of their own layers.
    Router::new()
        .fallback_service(routes)
        .layer(from_fn(shape_error))
        .layer(cors())
        .layer(map_response(headers::secure))
        .layer(from_fn_with_state(state, access_log::log))
}

/// Gives an error the shape that clients of the path expect.
async fn shape_error(request: Request, next: Next) -> Response {
    let dialect = Dialect::of(request.uri().path());
    let mut response = next.run(request).await;
    let Some(mut error) = response.extensions_mut().remove::<ApiError>() else {
        return response;
    };
    if let ApiError::Method { allowed } = &mut error
        && let Some(methods) = response.headers().get(ALLOW)
        && let Ok(methods) = methods.to_str()
    {
        let methods: Vec<&str> = methods.split(',').map(str::trim).collect();
        *allowed = methods.join(", ");
    }
    let mut shaped = dialect.render(&error);
    *shaped.extensions_mut() = std::mem::take(response.extensions_mut());
    shaped
}

async fn wrong_method() -> ApiError {
    ApiError::Method {
        allowed: String::new(),
    }
}

/// Any page and any extension may call: there are no cookies, and a token is sent only by who has
/// it. Browsers ask separately before a public page reaches a server in a private network; that is
/// allowed too.
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
