//! Kiss Translator's custom interface: `POST /kiss`.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::any_of::any_of;
use super::mtran::MTranError;
use super::options;
use crate::answer::ok;
use crate::body::Arrived;
use crate::desk::Task;
use crate::{ApiError, AppState};

/// Kiss Translator's request: one text, or several.
#[derive(Deserialize, ToSchema)]
pub(crate) struct KissRequest {
    #[schema(example = "auto")]
    from: Option<String>,
    #[schema(example = "en")]
    to: Option<String>,
    text: Option<String>,
    texts: Option<Vec<String>>,
}

/// The answer to one text.
#[derive(Serialize, ToSchema)]
pub(crate) struct KissTranslation {
    text: String,
    /// The language of the source.
    src: String,
}

/// The answer to several.
#[derive(Serialize, ToSchema)]
pub(crate) struct KissAnswer {
    translations: Vec<KissTranslation>,
}

any_of! {
    /// The answers.
    KissAnswers: KissTranslation, KissAnswer
}

/// Kiss Translator
#[utoipa::path(
    post,
    path = "/kiss",
    tag = "extensions",
    request_body = KissRequest,
    responses(
        (status = 200, description = "One translation, or a list for `texts`", body = KissAnswers),
        (status = "4XX", description = "What is wrong with the request", body = MTranError),
        (status = "5XX", description = "Try again later", body = MTranError),
    )
)]
pub(crate) async fn kiss(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: KissRequest = arrived.fields.parse(r#"{"from", "to", "text"}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    let direction = desk.direction(request.from.as_deref(), request.to.as_deref())?;
    let (texts, single) = match (request.text, request.texts) {
        (_, Some(texts)) => (texts, false),
        (Some(text), None) => (vec![text], true),
        (None, None) => return Err(ApiError::Missing { name: "text" }),
    };
    let language = |text: &String| desk.language(&direction, text).language.code().to_owned();
    let languages: Vec<String> = texts.iter().map(language).collect();
    let items = desk
        .translate(Task {
            texts,
            direction,
            options: options(),
        })
        .await?;
    let mut translations: Vec<_> = items
        .into_iter()
        .zip(languages)
        .map(|(item, src)| KissTranslation {
            text: item.text,
            src,
        })
        .collect();
    Ok(match translations.pop() {
        Some(only) if single => ok(&only),
        last => {
            translations.extend(last);
            ok(&KissAnswer { translations })
        }
    })
}
