//! The body of a request: bounded, within a time, and read as JSON, a form, or a form with files.

mod fields;
mod json;
mod multipart;
mod values;

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, Method, Request};
use bytes::{Bytes, BytesMut};

pub(crate) use fields::Fields;
pub(crate) use multipart::Upload;
pub(crate) use values::{Flag, Number, Text};

use crate::access::Caller;
use crate::{ApiError, AppState};

/// A request that has arrived: who sent it and what.
pub(crate) struct Arrived {
    pub(crate) caller: Caller,
    pub(crate) fields: Fields,
    /// The file of a form with files.
    pub(crate) upload: Option<Upload>,
}

impl Arrived {
    /// Reads a request to its end.
    pub(crate) async fn read(state: &AppState, request: Request<Body>) -> Result<Self, ApiError> {
        let settings = state.settings();
        Self::read_within(state, request, settings.body_bytes, settings.stall).await
    }

    /// Reads at most `limit` bytes for at most `deadline`.
    pub(crate) async fn read_within(
        state: &AppState,
        request: Request<Body>,
        limit: usize,
        deadline: Duration,
    ) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let caller = Caller::new(&parts, state.settings().trust_proxy);
        let query = parts.uri.query().unwrap_or_default();
        check_encoding(&parts.headers)?;
        // Some clients send a form with GET; others declare a type and send nothing.
        let in_address = matches!(parts.method, Method::GET | Method::HEAD);
        let kind = match Kind::of(&parts.headers) {
            Err(_) if in_address => Kind::Undeclared,
            kind => kind?,
        };
        let seconds = deadline.as_secs();
        let body = tokio::time::timeout(deadline, read_body(body, limit))
            .await
            .map_err(|_| ApiError::SlowBody { seconds })??;
        let (fields, upload) = match kind {
            _ if in_address && body.is_empty() => (Fields::form(query.as_bytes())?, None),
            Kind::Undeclared if body.is_empty() && !query.is_empty() => {
                (Fields::form(query.as_bytes())?, None)
            }
            // What `curl -d` declares, whatever it sends.
            Kind::Form if !starts_an_object(&body) => (Fields::form(&body)?, None),
            Kind::Multipart(boundary) => multipart::read(body, boundary).await?,
            Kind::Json | Kind::Undeclared | Kind::Form => (Fields::json(body)?, None),
        };
        Ok(Self {
            caller,
            fields,
            upload,
        })
    }
}

/// How a body is written.
enum Kind {
    Undeclared,
    Json,
    Form,
    /// With its boundary.
    Multipart(String),
}

impl Kind {
    /// No declared type is accepted as JSON; a declared other type is not, since it usually means
    /// that the sender forgot the header and the body is something else.
    fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let Some(found) = readable(headers, &CONTENT_TYPE) else {
            return Ok(Self::Undeclared);
        };
        let essence = found.split(';').next().unwrap_or_default().trim();
        match &*essence.to_ascii_lowercase() {
            "" => Ok(Self::Undeclared),
            "application/json" => Ok(Self::Json),
            "application/x-www-form-urlencoded" => Ok(Self::Form),
            "multipart/form-data" => match multer::parse_boundary(&found) {
                Ok(boundary) => Ok(Self::Multipart(boundary)),
                Err(error) => Err(multipart::error(&error)),
            },
            other if other.ends_with("+json") => Ok(Self::Json),
            _ => Err(ApiError::ContentType { found }),
        }
    }
}

fn starts_an_object(body: &[u8]) -> bool {
    body.trim_ascii_start().first() == Some(&b'{')
}

fn readable(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn check_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    match readable(headers, &CONTENT_ENCODING) {
        Some(found) if !found.eq_ignore_ascii_case("identity") => {
            Err(ApiError::ContentEncoding { found })
        }
        _ => Ok(()),
    }
}

async fn read_body(body: Body, limit: usize) -> Result<Bytes, ApiError> {
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
