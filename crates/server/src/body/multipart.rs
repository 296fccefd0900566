//! Forms with files, read from a body that is already in memory.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use serde_json::Map;

use super::fields::{Fields, insert};
use super::json;
use crate::ApiError;

/// More fields than any client sends.
const MOST_FIELDS: usize = 64;

/// A file that was sent.
pub(crate) struct Upload {
    /// As the client calls it; never a path here.
    pub(crate) name: String,
    pub(crate) content: Bytes,
}

pub(super) async fn read(
    body: Bytes,
    boundary: String,
) -> Result<(Fields, Option<Upload>), ApiError> {
    let body = stream::once(async { Ok::<_, Infallible>(body) });
    let mut form = multer::Multipart::new(body, boundary);
    let (mut fields, mut upload) = (Map::new(), None);
    let mut count = 0;
    while let Some(field) = form.next_field().await.map_err(|one| error(&one))? {
        count += 1;
        if count > MOST_FIELDS {
            return Err(ApiError::Multipart {
                reason: format!("more than {MOST_FIELDS} fields"),
            });
        }
        let name = field.name().unwrap_or_default().to_owned();
        let file = field.file_name().map(str::to_owned);
        let content = field.bytes().await.map_err(|one| error(&one))?;
        match file {
            Some(name) => upload = Some(Upload { name, content }),
            None => insert(&mut fields, name, json::text(&content)?.to_owned()),
        }
    }
    Ok((Fields::Form(fields), upload))
}

pub(super) fn error(error: &multer::Error) -> ApiError {
    ApiError::Multipart {
        reason: error.to_string(),
    }
}
