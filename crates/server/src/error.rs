//! Everything a request can get instead of its answer.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::answer::Dialect;

/// The errors of the API. Each has a status and a message; how they are put into a body is the
/// matter of the interface that was called, and in most of them it is `{"error": "…"}`.
#[derive(Debug, Clone, thiserror::Error)]
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
    /// 400: the body is not a form with files.
    #[error("the body is not valid multipart/form-data: {reason}")]
    Multipart {
        /// What the parser met.
        reason: String,
    },
    /// 400: the connection broke while the body was read.
    #[error("the body could not be read to its end")]
    Body,
    /// 400: a field is missing. Clients of LibreTranslate compare this text.
    #[error("Invalid request: missing {name} parameter")]
    Missing {
        /// The field.
        name: &'static str,
    },
    /// 400: a language that the model does not have. Clients of LibreTranslate compare the
    /// beginning.
    #[error("{code} is not supported; supported: from {source_language} or auto, to {target}")]
    Language {
        /// What was asked for.
        code: String,
        /// What the model reads.
        source_language: String,
        /// What it writes.
        target: String,
    },
    /// 400: something the interface knows and this server does not.
    #[error("{what} is not supported")]
    Unsupported {
        /// The thing.
        what: String,
    },
    /// 400: an uploaded file is broken.
    #[error("{reason}")]
    File {
        /// What is wrong with it.
        reason: String,
    },
    /// 401 or 403: the server wants a token. The wording is LibreTranslate's.
    #[error("{}", if *.presented { "Invalid API key" } else { "Please contact the server operator to get an API key" })]
    Unauthorized {
        /// There was one, but a wrong one.
        presented: bool,
    },
    /// 404
    #[error("no such path; the API is POST /translate and GET /health, /docs lists everything")]
    NotFound,
    /// 404: a translated file that is not, or no longer, here.
    #[error("no such file; translated files are kept for {minutes} minutes")]
    NoFile {
        /// How long files are kept.
        minutes: u64,
    },
    /// 405
    #[error("method not allowed here, expected {allowed}")]
    Method {
        /// The methods of the path, as the `Allow` header has them.
        allowed: String,
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
    /// 413, in LibreTranslate's interface 400: too many characters, or texts, in one request.
    #[error("Invalid request: request ({found}) exceeds {of} limit ({limit})")]
    TooMuch {
        /// What there is too much of: `text` (characters) or `batch` (texts).
        of: &'static str,
        /// How much there is.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// 415: the body is declared as something that is not read here.
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
    /// 422, in other interfaces than ours 400: not the fields that are expected.
    #[error("expected {expected}: {reason}")]
    Shape {
        /// What the interface takes.
        expected: &'static str,
        /// What is missing or of the wrong type.
        reason: String,
    },
    /// 422, in other interfaces than ours 400: a field has a value that is not accepted.
    #[error("{reason}")]
    Value {
        /// Which field, what was found and what is accepted.
        reason: String,
    },
    /// 429: this client asks too often.
    #[error("Slowdown: {limit} {of} per 1 minute; try again in {seconds} s")]
    TooFrequent {
        /// What is counted: `requests` or `characters`.
        of: &'static str,
        /// How many of them.
        limit: u32,
        /// When to come back.
        seconds: u64,
    },
    /// 500: the translator failed or panicked. The log says more.
    #[error("internal error; the server's log says more")]
    Internal,
    /// 503: the model is not there yet.
    #[error("the model is being loaded; try again in a moment")]
    Loading,
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
    /// The HTTP status in our own interface.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::EmptyInput
            | Self::Encoding { .. }
            | Self::Syntax { .. }
            | Self::Multipart { .. }
            | Self::Missing { .. }
            | Self::Language { .. }
            | Self::Unsupported { .. }
            | Self::File { .. }
            | Self::Body => StatusCode::BAD_REQUEST,
            Self::Unauthorized { .. } => StatusCode::UNAUTHORIZED,
            Self::NotFound | Self::NoFile { .. } => StatusCode::NOT_FOUND,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::SlowBody { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge { .. } | Self::TooMuch { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ContentType { .. } | Self::ContentEncoding { .. } => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::Shape { .. } | Self::Value { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooFrequent { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Loading | Self::Overloaded | Self::ShuttingDown => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Stalled { .. } | Self::Deadline { .. } => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// The seconds after which to try again.
    pub(crate) fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Loading | Self::Overloaded | Self::ShuttingDown => Some(1),
            Self::TooFrequent { seconds, .. } => Some(*seconds),
            _ => None,
        }
    }
}

impl IntoResponse for ApiError {
    /// In our own shape; the routes of another interface give it theirs.
    fn into_response(self) -> Response {
        let mut response = Dialect::Plain.render(&self);
        response.extensions_mut().insert(self);
        response
    }
}
