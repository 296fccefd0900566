//! Files inside the program: types, entity tags and ranges as a file server gives them.

use axum::body::Body;
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE,
    RANGE,
};
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;

use super::range::{Requested, requested};

/// A set of files by their path.
pub trait Assets: Send + Sync + 'static {
    /// The file at `path`, which is relative and has forward slashes.
    fn asset(&self, path: &str) -> Option<Asset>;
}

/// One file.
#[derive(Debug, Clone)]
pub struct Asset {
    /// The content.
    pub content: Bytes,
    /// Something that changes with the content, such as its hash in hexadecimal.
    pub hash: String,
}

pub(super) fn respond(assets: &dyn Assets, request: &Request<Body>) -> Response {
    // Paths are looked up among names, never opened, so `..` finds nothing. No name of the page
    // needs percent-encoding.
    let path = match request.uri().path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let Some(asset) = assets.asset(path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let tag = format!("\"{}\"", asset.hash);
    let header = |name: HeaderName| request.headers().get(name)?.to_str().ok();
    let mut response = Response::new(Body::empty());
    let length = asset.content.len();
    if header(IF_NONE_MATCH).is_some_and(|tags| matches_tag(tags, &tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        // A range of an older version would not fit what the client already has.
        let same = header(IF_RANGE).is_none_or(|known| known == tag);
        let wanted = match header(RANGE) {
            Some(range) if same => requested(range, length),
            _ => Requested::Whole,
        };
        let (status, range, part) = match wanted {
            Requested::Whole => (StatusCode::OK, None, asset.content),
            Requested::Part(part) => (
                StatusCode::PARTIAL_CONTENT,
                Some(format!("bytes {}-{}/{length}", part.start, part.end - 1)),
                asset.content.slice(part),
            ),
            Requested::Unsatisfiable => (
                StatusCode::RANGE_NOT_SATISFIABLE,
                Some(format!("bytes */{length}")),
                Bytes::new(),
            ),
        };
        *response.status_mut() = status;
        insert(&mut response, CONTENT_LENGTH, &part.len().to_string());
        if let Some(range) = range {
            insert(&mut response, CONTENT_RANGE, &range);
        }
        if request.method() != Method::HEAD {
            *response.body_mut() = Body::from(part);
        }
    }
    insert(&mut response, CONTENT_TYPE, content_type(path));
    insert(&mut response, ACCEPT_RANGES, "bytes");
    insert(&mut response, ETAG, &tag);
    response
}

fn matches_tag(tags: &str, tag: &str) -> bool {
    tags.split(',')
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == "*" || known == tag)
}

fn content_type(path: &str) -> &'static str {
    mime_guess::from_path(path)
        .first_raw()
        .unwrap_or("application/octet-stream")
}

fn insert(response: &mut Response, name: HeaderName, value: &str) {
    // Numbers, hashes and types are visible ASCII; a hash that is not is left out.
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
