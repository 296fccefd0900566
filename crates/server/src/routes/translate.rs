//! `POST /translate` `{"text": "…"}` → `{"translation": "…"}`; a list of texts gives a list.

use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use csanmt::{Options, Translation, is_blank};
use serde::Serialize;

use super::fields::{Text, TranslateRequest};
use super::json;
use crate::json_body::read_json;
use crate::{ApiError, AppState};

#[derive(Serialize)]
struct TranslateResponse<T> {
    translation: T,
    /// A sentence reached the length limit before its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

pub(crate) async fn translate(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let limits = state.settings();
    let request: TranslateRequest = read_json(request, limits.body_bytes, limits.stall).await?;
    let options = request.options()?;
    match request.text {
        Text::One(text) if is_blank(&text) => Err(ApiError::EmptyInput),
        Text::One(text) => {
            let translations = compute(&state, vec![text], options).await?;
            let truncated = is_truncated(&translations);
            let mut texts = translations.into_iter().map(|one| one.text);
            Ok(answer(texts.next().unwrap_or_default(), truncated))
        }
        Text::Many(texts) => {
            let blank: Vec<bool> = texts.iter().map(|text| is_blank(text)).collect();
            let texts: Vec<String> = texts.into_iter().filter(|text| !is_blank(text)).collect();
            let translations = match texts[..] {
                [] => Vec::new(),
                _ => compute(&state, texts, options).await?,
            };
            let truncated = is_truncated(&translations);
            let mut texts = translations.into_iter().map(|one| one.text);
            let mut next = |blank| match blank {
                true => String::new(),
                false => texts.next().unwrap_or_default(),
            };
            let list: Vec<String> = blank.into_iter().map(&mut next).collect();
            Ok(answer(list, truncated))
        }
    }
}

/// One translation a text.
async fn compute(
    state: &AppState,
    texts: Vec<String>,
    options: Options,
) -> Result<Vec<Translation>, ApiError> {
    let limits = state.settings();
    let ticket = state.pool().submit(texts, options)?;
    ticket.result(limits.stall, limits.deadline).await
}

fn is_truncated(translations: &[Translation]) -> bool {
    let mut sentences = translations.iter().flat_map(|one| &one.sentences);
    sentences.any(|sentence| sentence.truncated)
}

fn answer(translation: impl Serialize, truncated: bool) -> Response {
    let body = TranslateResponse {
        translation,
        truncated,
    };
    json(StatusCode::OK, &body)
}
