//! Everything a request can get instead of its answer.

use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::routes::json;

/// The errors of the API. Each is a status and the body `{"error": "…"}`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// 400: nothing but white space to translate. Clients compare this text.
    #[error("Empty input")]
    EmptyInput,
    /// 400: the body is not UTF-8.
    #[error("the body is not valid UTF-8 (byte {position}); send it as UTF-8")]
    Encoding {
        /// The first byte that is not.
        position: usize,
    },
    /// 400: the body is not JSON.
    #[error("the body is not valid JSON: {reason}")]
    Syntax {
        /// What the parser met.
        reason: String,
    },
    /// 400: the connection broke while the body was read.
    #[error("the body could not be read to its end")]
    Body,
    /// 404
    #[error("no such path; the API is POST /translate and GET /health")]
    NotFound,
    /// 405
    #[error("method not allowed here, expected {allowed}")]
    Method {
        /// The methods of the path, as the `Allow` header has them.
        allowed: &'static str,
    },
    /// 408: the body came too slowly.
    #[error("the body did not arrive within {seconds} s")]
    SlowBody {
        /// The limit.
        seconds: u64,
    },
    /// 413
    #[error("the body is larger than {limit} bytes; send the text in parts")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// 415: the body is declared as something else than JSON.
    #[error("the content type is {found}, expected JSON: add -H 'Content-Type: application/json'")]
    ContentType {
        /// What was declared.
        found: String,
    },
    /// 415: the body is compressed.
    #[error("the content encoding is {found}; send the body uncompressed")]
    ContentEncoding {
        /// What was declared.
        found: String,
    },
    /// 422: JSON, but not the fields that are expected.
    #[error("expected {{\"text\": \"…\"}}: {reason}")]
    Shape {
        /// What is missing or of the wrong type.
        reason: String,
    },
    /// 422: a field has a value that is not accepted.
    #[error("{reason}")]
    Value {
        /// Which field, what was found and what is accepted.
        reason: String,
    },
    /// 500: the translator failed or panicked. The log says more.
    #[error("internal error; the server's log says more")]
    Internal,
    /// 503: too many requests wait.
    #[error("too many requests are waiting; try again in a moment")]
    Overloaded,
    /// 503: the server is stopping.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// 504: other requests took all the time.
    #[error(
        "nothing of the text was translated within {seconds} s: the server is busy, try again later"
    )]
    Stalled {
        /// The limit.
        seconds: u64,
    },
    /// 504: the translation took too long.
    #[error("the translation took longer than {seconds} s; send the text in parts")]
    Deadline {
        /// The limit.
        seconds: u64,
    },
}

impl ApiError {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::EmptyInput | Self::Encoding { .. } | Self::Syntax { .. } | Self::Body => {
                StatusCode::BAD_REQUEST
            }
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::SlowBody { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ContentType { .. } | Self::ContentEncoding { .. } => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::Shape { .. } | Self::Value { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Overloaded | Self::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
            Self::Stalled { .. } | Self::Deadline { .. } => StatusCode::GATEWAY_TIMEOUT,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.to_string() });
        let mut response = json(self.status(), &body);
        let headers = response.headers_mut();
        match self {
            Self::Overloaded | Self::ShuttingDown => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            Self::Method { allowed } => {
                headers.insert(ALLOW, HeaderValue::from_static(allowed));
            }
            _ => {}
        }
        response
    }
}
