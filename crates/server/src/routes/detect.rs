//! `POST /detect`, LibreTranslate's and MTranServer's.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ErrorBody;
use super::any_of::any_of;
use super::libre::LibreDetected;
use crate::answer::ok;
use crate::body::{Arrived, Text};
use crate::{ApiError, AppState};

/// A text whose language is asked for: `q` as LibreTranslate has it, or `text`.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DetectRequest {
    q: Option<Text>,
    text: Option<String>,
    api_key: Option<String>,
}

/// Guesses at the language of a text.
#[derive(Serialize, ToSchema)]
pub(crate) struct Guesses(Vec<LibreDetected>);

/// The same for each text of a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListOfGuesses(Vec<Guesses>);

/// MTranServer's answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct Found {
    language: String,
}

any_of! {
    /// The answers: to a text in `q`, to a list in `q`, to `text`.
    AnyGuess: Guesses, ListOfGuesses, Found
}

/// The language of a text
///
/// `{"q"}` is LibreTranslate's interface, `{"text"}` MTranServer's.
#[utoipa::path(
    post,
    path = "/detect",
    tag = "languages",
    request_body(content(
        (DetectRequest = "application/json"),
        (DetectRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "Guesses, best first", body = AnyGuess),
        (status = "4XX", description = "What is wrong with the request", body = ErrorBody),
        (status = "5XX", description = "Try again later", body = ErrorBody),
    )
)]
pub(crate) async fn detect(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: DetectRequest = arrived.fields.parse(r#"{"q": "…"}"#)?;
    state.check_token(&arrived.caller, request.api_key.as_deref())?;
    let guess = |text: &str| LibreDetected::from(&state.detect(text));
    match (request.q, request.text) {
        (Some(Text::One(text)), _) => Ok(ok(&Guesses(vec![guess(&text)]))),
        (Some(Text::Many(texts)), _) => {
            let guesses = texts.iter().map(|text| Guesses(vec![guess(text)]));
            Ok(ok(&ListOfGuesses(guesses.collect())))
        }
        (None, Some(text)) => {
            let language = guess(&text).language;
            Ok(ok(&Found { language }))
        }
        (None, None) => Err(ApiError::Missing { name: "q" }),
    }
}
