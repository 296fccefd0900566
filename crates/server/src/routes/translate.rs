//! `POST /translate`, which four kinds of clients call. Their fields tell which is which.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::Deserialize;
use serde::de::IgnoredAny;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

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
        (status = "4XX", description = "What is wrong with the request", body = ErrorBody),
        (status = "5XX", description = "Try again later", body = ErrorBody),
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

/// The requests of `/translate`, for the description.
pub(crate) struct AnyRequest;

/// Its answers.
pub(crate) struct AnyAnswer;

fn any_of(names: &[&str]) -> RefOr<Schema> {
    let references = names.iter().map(|name| Ref::from_schema_name(*name));
    let builder = references.fold(AnyOfBuilder::new(), AnyOfBuilder::item);
    RefOr::T(Schema::AnyOf(builder.build()))
}

impl PartialSchema for AnyRequest {
    fn schema() -> RefOr<Schema> {
        any_of(&[
            "OwnRequest",
            "LibreRequest",
            "DeepLXRequest",
            "MTranRequest",
        ])
    }
}

impl ToSchema for AnyRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add::<own::OwnRequest>(schemas);
        add::<libre::LibreRequest>(schemas);
        add::<deeplx::DeepLXRequest>(schemas);
        add::<mtran::MTranRequest>(schemas);
    }
}

impl PartialSchema for AnyAnswer {
    fn schema() -> RefOr<Schema> {
        any_of(&["OwnAnswer", "LibreAnswer", "DeepLXAnswer", "MTranAnswer"])
    }
}

impl ToSchema for AnyAnswer {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add::<own::OwnAnswer>(schemas);
        add::<libre::LibreAnswer>(schemas);
        add::<deeplx::DeepLXAnswer>(schemas);
        add::<mtran::MTranAnswer>(schemas);
    }
}

fn add<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    T::schemas(schemas);
    schemas.push((T::name().into_owned(), T::schema()));
}
