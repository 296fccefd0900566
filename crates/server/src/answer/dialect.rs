//! Errors as the clients of each interface expect them.

use axum::http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::json as answer;
use crate::ApiError;

/// An interface by the shape of its errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Ours: `{"error": "…"}`.
    Plain,
    /// `{"error": "…"}` with LibreTranslate's statuses.
    Libre,
    /// MTranServer and the extensions it serves: `{"error", "message"}`.
    MTran,
    /// `{"message": "…"}`.
    DeepL,
    /// `{"code", "message"}`.
    DeepLX,
    /// `{"error": {"code", "message", "status"}}`.
    Google,
    /// `{"error": {"message", "type", "param", "code"}}`.
    OpenAi,
}

impl Dialect {
    /// The interface that a path belongs to. `/translate` belongs to several and tells them apart
    /// itself.
    pub(crate) fn of(path: &str) -> Self {
        match path {
            "/translate/batch" | "/imme" | "/kiss" | "/hcfy" => Self::MTran,
            "/deepl" => Self::DeepL,
            "/deeplx" | "/v1/translate" => Self::DeepLX,
            "/detect" | "/languages" | "/translate_file" => Self::Libre,
            path if path.starts_with("/v2/") => Self::DeepL,
            path if path.starts_with("/v1/") => Self::OpenAi,
            path if path.starts_with("/google/") || path.starts_with("/language/") => Self::Google,
            _ => Self::Plain,
        }
    }

    pub(crate) fn render(self, error: &ApiError) -> Response {
        let status = self.status(error);
        let mut response = answer(status, &self.body(status, &error.to_string()));
        let headers = response.headers_mut();
        if let Some(seconds) = error.retry_after() {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        // The router knows the methods; a handler that does not leaves them to it.
        if let ApiError::Method { allowed } = error
            && !allowed.is_empty()
            && let Ok(allowed) = HeaderValue::from_str(allowed)
        {
            headers.insert(ALLOW, allowed);
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }

    fn status(self, error: &ApiError) -> StatusCode {
        let plain = error.status();
        match (self, error) {
            (Self::Plain, _) => plain,
            (
                Self::Libre,
                ApiError::Unauthorized { presented: false } | ApiError::TooMuch { .. },
            )
            | (_, ApiError::Shape { .. } | ApiError::Value { .. }) => StatusCode::BAD_REQUEST,
            (Self::Libre | Self::DeepL, ApiError::Unauthorized { .. }) => StatusCode::FORBIDDEN,
            _ => plain,
        }
    }

    fn body(self, status: StatusCode, message: &str) -> Value {
        let reason = status.canonical_reason().unwrap_or_default();
        let code = status.as_u16();
        match self {
            Self::Plain | Self::Libre => json!({"error": message}),
            Self::MTran => json!({"error": reason, "message": message}),
            Self::DeepL => json!({"message": message}),
            Self::DeepLX => json!({"code": code, "message": message}),
            Self::Google => {
                let status = reason.to_uppercase().replace(' ', "_");
                json!({"error": {"code": code, "message": message, "status": status}})
            }
            Self::OpenAi => {
                let kind = match code {
                    401 | 403 => "authentication_error",
                    429 => "rate_limit_error",
                    500.. => "server_error",
                    _ => "invalid_request_error",
                };
                json!({"error": {
                    "message": message, "type": kind, "param": null, "code": null,
                }})
            }
        }
    }
}
