//! `GET /frontend/settings`, which LibreTranslate's clients ask for limits.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::ErrorBody;
use crate::answer::ok;
use crate::{ApiError, AppState};

/// What a page for this server needs to know. The names are LibreTranslate's.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrontendSettings {
    /// Characters in a request, -1: no limit.
    char_limit: i64,
    /// Milliseconds after the last key to wait for another.
    frontend_timeout: u32,
    api_keys: bool,
    key_required: bool,
    suggestions: bool,
    files_translation: bool,
    supported_files_format: Vec<String>,
    language: Languages,
}

#[derive(Serialize, ToSchema)]
struct Languages {
    source: Named,
    target: Named,
}

#[derive(Serialize, ToSchema)]
struct Named {
    code: String,
    name: String,
}

/// Limits and languages
#[utoipa::path(
    get,
    path = "/frontend/settings",
    tag = "languages",
    responses(
        (status = 200, description = "LibreTranslate's settings", body = FrontendSettings),
        (status = "5XX", description = "Try again later", body = ErrorBody),
    )
)]
pub(crate) async fn settings(State(state): State<AppState>) -> Result<Response, ApiError> {
    let model = state.model()?;
    let named = |language: &crate::language::Language| Named {
        code: language.code().to_owned(),
        name: language.name().to_owned(),
    };
    let limit = state.settings().characters;
    let keys = !state.tokens().is_empty();
    Ok(ok(&FrontendSettings {
        char_limit: limit.map_or(-1, |limit| i64::try_from(limit.get()).unwrap_or(i64::MAX)),
        frontend_timeout: 500,
        api_keys: keys,
        key_required: keys,
        suggestions: false,
        files_translation: true,
        supported_files_format: csanmt_documents::Format::all()
            .map(|format| format!(".{}", format.name()))
            .collect(),
        language: Languages {
            source: named(&model.pair.source),
            target: named(&model.pair.target),
        },
    }))
}
