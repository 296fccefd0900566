//! A request body to a typed value, with errors that tell a user of curl what to do.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, Request};
use bytes::{Bytes, BytesMut};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

use crate::ApiError;

/// Reads at most `limit` bytes for at most `deadline` and parses them as JSON.
pub(crate) async fn read_json<T: DeserializeOwned>(
    request: Request<Body>,
    limit: usize,
    deadline: Duration,
) -> Result<T, ApiError> {
    check_headers(request.headers())?;
    let reading = read_body(request.into_body(), limit);
    let seconds = deadline.as_secs();
    let body = tokio::time::timeout(deadline, reading)
        .await
        .map_err(|_| ApiError::SlowBody { seconds })??;
    parse(&body)
}

/// No declared type is accepted as JSON; a declared other type is not, since it usually means
/// that the sender forgot the header and the body is something else.
fn check_headers(headers: &HeaderMap) -> Result<(), ApiError> {
    let readable = |name| {
        headers
            .get(name)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    if let Some(found) = readable(CONTENT_TYPE) {
        let essence = found.split(';').next().unwrap_or_default().trim();
        let essence = essence.to_ascii_lowercase();
        if !essence.is_empty() && essence != "application/json" && !essence.ends_with("+json") {
            return Err(ApiError::ContentType { found });
        }
    }
    match readable(CONTENT_ENCODING) {
        Some(found) if !found.eq_ignore_ascii_case("identity") => {
            Err(ApiError::ContentEncoding { found })
        }
        _ => Ok(()),
    }
}

async fn read_body(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    use axum::body::HttpBody as _;

    let too_large = ApiError::TooLarge { limit };
    // A declared length is believed when it is too large, not when it asks for memory.
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large);
    }
    let mut body = std::pin::pin!(body);
    let mut bytes = BytesMut::new();
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await
    {
        let Ok(data) = frame.map_err(|_| ApiError::Body)?.into_data() else {
            continue;
        };
        if data.len() > limit - bytes.len() {
            return Err(too_large);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.freeze())
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(body).map_err(|error| ApiError::Encoding {
        position: error.valid_up_to(),
    })?;
    // Windows tools write one; a JSON parser may pass it over.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let outcome = if text.trim_start().starts_with('{') {
        serde_json::from_str(text)
    } else {
        // Derived types read arrays too, field by field; nobody means that.
        serde_json::from_str::<IgnoredAny>(text).and_then(|_| {
            let reason = "the body is not an object";
            Err(serde::de::Error::custom(reason))
        })
    };
    outcome.map_err(|error| {
        let reason = reason(&error);
        match error.classify() {
            Category::Data => ApiError::Shape { reason },
            Category::Io | Category::Syntax | Category::Eof => ApiError::Syntax { reason },
        }
    })
}

/// What the parser met, in words for whoever wrote the body.
fn reason(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    // The second is what a pair without its second half gives.
    let of_a_half = ["lone leading surrogate", "unexpected end of hex escape"];
    if !of_a_half.iter().any(|start| reason.starts_with(start)) {
        return reason;
    }
    format!(
        "unpaired surrogate at line {} column {}: \\ud800 to \\udfff stand for a character only \
         in pairs, as in \\ud83d\\ude00",
        error.line(),
        error.column()
    )
}
