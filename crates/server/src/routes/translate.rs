//! `POST /translate`, which four kinds of clients call. Their fields tell which is which.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::any_of::any_of;
use super::own::EXPECTED;
use super::{ErrorBody, deeplx, libre, mtran, own};
use crate::answer::Dialect;
use crate::body::Arrived;
use crate::{ApiError, AppState};

/// Which fields there are. `null` counts as absent.
#[derive(Deserialize)]
struct Present {
    text: Option<IgnoredAny>,
    q: Option<IgnoredAny>,
    source: Option<IgnoredAny>,
    target: Option<IgnoredAny>,
    source_lang: Option<IgnoredAny>,
    target_lang: Option<IgnoredAny>,
    from: Option<IgnoredAny>,
    to: Option<IgnoredAny>,
}

/// Translate a text or a list of texts
///
/// `{"text"}` is this server's own interface, `{"q", "source", "target"}` LibreTranslate's (JSON or
/// form), `{"text", "source_lang", "target_lang"}` DeepLX's, `{"text", "from", "to"}` MTranServer's
/// and LinguaSpark's. With `"stream": true` the answer of our own interface is a stream of
/// server-sent events.
#[utoipa::path(
    post,
    path = "/translate",
    tag = "translate",
    request_body(content(
        (AnyRequest = "application/json"),
        (libre::LibreRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "The translation, in the shape of the request", content(
            (AnyAnswer = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = "4XX", description = "What is wrong with the request", body = AnyError),
        (status = "5XX", description = "Try again later", body = AnyError),
    )
)]
pub(crate) async fn translate(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let present: Present = arrived.fields.parse(EXPECTED)?;
    let languages = present.source.is_some() && present.target.is_some();
    if present.q.is_some() || (present.text.is_none() && (languages || arrived.fields.is_form())) {
        let outcome = libre::translate(&state, arrived).await;
        return Ok(outcome.unwrap_or_else(|error| Dialect::Libre.render(&error)));
    }
    if present.source_lang.is_some() || present.target_lang.is_some() {
        let outcome = deeplx::answer(&state, arrived).await;
        return Ok(outcome.unwrap_or_else(|error| Dialect::DeepLX.render(&error)));
    }
    if present.from.is_some() || present.to.is_some() {
        let outcome = mtran::answer(&state, arrived).await;
        return Ok(outcome.unwrap_or_else(|error| Dialect::MTran.render(&error)));
    }
    own::translate(&state, arrived).await
}

any_of! {
    /// The requests of `/translate`.
    AnyRequest: own::OwnRequest, libre::LibreRequest, deeplx::DeepLXRequest, mtran::MTranRequest
}
any_of! {
    /// Its answers.
    AnyAnswer: own::OwnAnswer, libre::LibreAnswer, deeplx::DeepLXAnswer, mtran::MTranAnswer
}
any_of! {
    /// Its errors.
    AnyError: ErrorBody, deeplx::DeepLXError, mtran::MTranError
}
