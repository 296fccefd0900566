//! Where the page's files come from.

mod embedded;
mod range;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::{IntoResponse as _, Response};
use tower_http::services::ServeDir;

pub use embedded::{Asset, Assets};

/// The page.
#[non_exhaustive]
pub enum Site {
    /// None: `/` says how to get one.
    None,
    /// The files of a folder, as `cargo xtask site` lays it out.
    Directory(PathBuf),
    /// Files inside the program.
    Embedded(Box<dyn Assets>),
}

/// Without style or script: the policy of [`crate::headers`] allows no inline ones.
const NO_PAGE: &str = "<!DOCTYPE html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<title>csanmt</title>
<h1>csanmt</h1>
<p>The API is up; this server has no page.
<p>To get the page, run <code>cargo xtask serve</code> in the source tree, or build it with
<code>cargo xtask site</code> and start <code>csanmt serve --site target/site</code>.
<p>The API: <code>curl -H 'Content-Type: application/json' -d '{\"text\": \"你好\"}' …/translate</code>
</html>
";

impl Site {
    /// Answers a GET or HEAD request; 404 when there is no such file.
    pub(crate) async fn respond(&self, request: Request<Body>) -> Response {
        let mut response = match self {
            Self::None if request.uri().path() == "/" => {
                let html = HeaderValue::from_static("text/html; charset=utf-8");
                ([(CONTENT_TYPE, html)], NO_PAGE).into_response()
            }
            Self::None => StatusCode::NOT_FOUND.into_response(),
            Self::Directory(folder) => from_directory(folder, request).await,
            Self::Embedded(assets) => embedded::respond(assets.as_ref(), &request),
        };
        // Stored, but asked for every time: a new version shows at once, an old one costs no bytes.
        response
            .headers_mut()
            .insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }
}

async fn from_directory(folder: &Path, request: Request<Body>) -> Response {
    // A redirect to `//name/` would lead to another host.
    let mut files = ServeDir::new(folder).redirect_to_trailing_slash(false);
    match files.try_call(request).await {
        Ok(response) => response.map(Body::new),
        Err(error) if is_about_the_name(error.kind()) => StatusCode::NOT_FOUND.into_response(),
        Err(error) => {
            tracing::error!(%error, "cannot read a file of the page");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Whoever asks for a name that cannot exist gets what a name that does not exist gets.
fn is_about_the_name(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
    )
}

impl std::fmt::Debug for Site {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => formatter.write_str("None"),
            Self::Directory(folder) => formatter.debug_tuple("Directory").field(folder).finish(),
            Self::Embedded(_) => formatter.write_str("Embedded"),
        }
    }
}
