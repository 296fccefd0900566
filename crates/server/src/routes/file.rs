//! `POST /translate_file` and `GET /download_file/NAME`, LibreTranslate's.

use std::io::Cursor;
use std::ops::ControlFlow;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, HOST};
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use csanmt_documents::{Column, Document, DocumentError, Format, Limits};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use utoipa::ToSchema;

use super::ErrorBody;
use crate::answer::{ok, typed};
use crate::body::{Arrived, Upload};
use crate::desk::Desk;
use crate::language::Direction;
use crate::{ApiError, AppState};

/// The fields beside the file.
#[derive(Deserialize)]
struct FileRequest {
    source: Option<String>,
    target: Option<String>,
    /// Of a table: which columns to translate, by number or name, with commas.
    columns: Option<String>,
    api_key: Option<String>,
}

/// A form with a file.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only described")]
pub(crate) struct FileForm {
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    file: String,
    #[schema(example = "zh")]
    source: String,
    #[schema(example = "en")]
    target: String,
    /// Of a table: which columns to translate, by number or name, with commas.
    columns: Option<String>,
    api_key: Option<String>,
}

/// Where the translated file is.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileAnswer {
    #[serde(rename = "translatedFileUrl")]
    translated_file_url: String,
}

/// Translate a file
#[utoipa::path(
    post,
    path = "/translate_file",
    tag = "files",
    request_body(content = FileForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The address of the translated file", body = FileAnswer),
        (status = "4XX", description = "What is wrong with the request", body = ErrorBody),
        (status = "5XX", description = "Try again later", body = ErrorBody),
    )
)]
pub(crate) async fn translate(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let base = base(&request);
    let settings = state.settings();
    let (limit, stall) = (settings.file_bytes, settings.stall);
    let arrived = Arrived::read_within(&state, request, limit, stall).await?;
    let fields: FileRequest = arrived
        .fields
        .parse("a form with file, source and target")?;
    let desk = state.admit(arrived.caller, fields.api_key.as_deref())?;
    let missing = |name| ApiError::Missing { name };
    let upload = arrived.upload.ok_or_else(|| missing("file"))?;
    let source = fields.source.ok_or_else(|| missing("source"))?;
    let target = fields.target.ok_or_else(|| missing("target"))?;
    let direction = desk.direction(Some(&source), Some(&target))?;
    let (content, ending) = match direction {
        Direction::Echo { .. } => (upload.content, "txt"),
        Direction::Translate { .. } => {
            let columns = columns(fields.columns.as_deref());
            translate_document(&state, desk, upload, columns).await?
        }
    };
    let kind = mime_guess::from_ext(ending).first_raw();
    let kind = kind.unwrap_or("application/octet-stream");
    let name = state.files().keep(content, kind, ending);
    Ok(ok(&FileAnswer {
        translated_file_url: format!("{base}/download_file/{name}"),
    }))
}

/// Columns of a table, by number or by name.
fn columns(list: Option<&str>) -> Vec<Column> {
    let names = list.unwrap_or_default().split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(|name| match name.parse() {
            Ok(number) => Column::Number(number),
            Err(_) => Column::Name(name.to_owned()),
        })
        .collect()
}

/// The translated file and the usual ending of its name. Reading and writing files is done on a
/// thread of its own, translating in the pool.
async fn translate_document(
    state: &AppState,
    desk: Desk,
    upload: Upload,
    columns: Vec<Column>,
) -> Result<(Bytes, &'static str), ApiError> {
    let _place = state.files().place().ok_or(ApiError::Overloaded)?;
    let limit = state.settings().file_bytes as u64;
    // Dropped, and thereby told, when the client goes away.
    let (_here, given_up) = watch::channel(false);
    let work = move || {
        let format = Format::detect(&upload.name, &upload.content).map_err(refuse)?;
        let limits = Limits::default()
            .with_file(limit)
            .with_unpacked(limit.saturating_mul(4), limit.saturating_mul(8));
        let settings = csanmt_documents::Settings::default()
            .with_columns(columns)
            .with_limits(limits);
        let document = Document::open(format, &upload.content, &settings).map_err(refuse)?;
        let units = document.units().map_err(refuse)?;
        let characters = units.iter().map(|unit| unit.text().chars().count()).sum();
        drop(units);
        let counter = desk.counter(characters, given_up)?;
        let mut output = Cursor::new(Vec::new());
        document
            .translate(&counter, &mut output, &mut |_| ControlFlow::Continue(()))
            .map_err(|error| counter.error().unwrap_or_else(|| refuse(error)))?;
        Ok((Bytes::from(output.into_inner()), format.name()))
    };
    let done = tokio::task::spawn_blocking(work).await;
    // It panicked.
    done.unwrap_or(Err(ApiError::Internal))
}

fn refuse(error: DocumentError) -> ApiError {
    match error {
        DocumentError::Unsupported { found, advice } => ApiError::Unsupported {
            what: format!("{found} ({advice})"),
        },
        DocumentError::Cancelled => ApiError::ShuttingDown,
        DocumentError::Translation(error) => {
            tracing::error!(%error, "the translator failed");
            ApiError::Internal
        }
        // Names and numbers of the client's own file.
        error => ApiError::File {
            reason: error.to_string(),
        },
    }
}

/// Fetch a translated file
#[utoipa::path(
    get,
    path = "/download_file/{name}",
    tag = "files",
    params(("name" = String, Path, description = "As /translate_file gave it")),
    responses(
        (status = 200, description = "The file", content_type = "application/octet-stream"),
        (status = "4XX", description = "It is not here", body = ErrorBody),
    )
)]
pub(crate) async fn download(
    State(state): State<AppState>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let files = state.files();
    let kept = files.get(&name).ok_or_else(|| ApiError::NoFile {
        minutes: files.minutes(),
    })?;
    let kind = HeaderValue::from_static(kept.content_type);
    let mut response = typed(StatusCode::OK, kind, kept.content.clone());
    // The name is one of ours: digits, letters and a dot.
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

/// The address that the client used, so that the answer leads back to it.
fn base(request: &Request<Body>) -> String {
    let header = |name| request.headers().get(name)?.to_str().ok();
    let host = header(HOST.as_str()).unwrap_or("localhost");
    let scheme = match header("x-forwarded-proto") {
        Some("https") => "https",
        _ => "http",
    };
    format!("{scheme}://{host}")
}
