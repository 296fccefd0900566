//! `POST /translate_file` and `GET /download_file/NAME`, LibreTranslate's.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, HOST};
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ErrorBody, options};
use crate::answer::{ok, typed};
use crate::body::Arrived;
use crate::desk::{Format, Task};
use crate::{ApiError, AppState};

/// Files that are translated, by the endings of their names.
pub(super) const ENDINGS: [&str; 1] = ["txt"];

/// The fields beside the file.
#[derive(Deserialize)]
struct FileRequest {
    source: Option<String>,
    target: Option<String>,
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
    let ending = ending(&upload.name)?;
    let text = std::str::from_utf8(&upload.content).map_err(|error| ApiError::Encoding {
        position: error.valid_up_to(),
    })?;
    let items = desk
        .translate(Task {
            texts: vec![text.to_owned()],
            direction,
            options: options(),
            format: Format::Text,
        })
        .await?;
    let translated = items.into_iter().next().unwrap_or_default().text;
    let kind = "text/plain; charset=utf-8";
    let name = state.files().keep(Bytes::from(translated), kind, ending);
    Ok(ok(&FileAnswer {
        translated_file_url: format!("{base}/download_file/{name}"),
    }))
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

fn ending(name: &str) -> Result<&'static str, ApiError> {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = ENDINGS
        .iter()
        .find(|known| ending.eq_ignore_ascii_case(known));
    known.copied().ok_or_else(|| {
        let shown: String = ending.chars().take(20).collect();
        ApiError::Unsupported {
            what: format!("a file that ends in .{shown}"),
        }
    })
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
