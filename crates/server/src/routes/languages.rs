//! `GET /languages`, LibreTranslate's.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::ErrorBody;
use crate::answer::ok;
use crate::{ApiError, AppState};

/// A language and what it can be translated into.
#[derive(Serialize, ToSchema)]
pub(crate) struct LibreLanguage {
    #[schema(example = "zh-Hans")]
    code: String,
    #[schema(example = "Chinese")]
    name: String,
    targets: Vec<String>,
}

/// The languages of the model
#[utoipa::path(
    get,
    path = "/languages",
    tag = "languages",
    responses(
        (status = 200, description = "All of them", body = Vec<LibreLanguage>),
        (status = "5XX", description = "Try again later", body = ErrorBody),
    )
)]
pub(crate) async fn languages(State(state): State<AppState>) -> Result<Response, ApiError> {
    let model = state.model()?;
    let all = model.pair.languages();
    let language = |one: &crate::language::Language| {
        // Every language can be echoed; all but the target can be translated.
        let mut targets = vec![model.pair.target.code().to_owned()];
        if one.code() != model.pair.target.code() {
            targets.push(one.code().to_owned());
        }
        LibreLanguage {
            code: one.code().to_owned(),
            name: one.name().to_owned(),
            targets,
        }
    };
    let list: Vec<_> = all.iter().map(language).collect();
    Ok(ok(&list))
}
