//! The fields of a request, however they were sent.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::json;
use crate::ApiError;

/// Fields that become a typed value by [`Fields::parse`]. Fields the type does not have are passed
/// over: clients of other servers send many.
pub(crate) enum Fields {
    /// A JSON text.
    Json(Bytes),
    /// Names and texts; a name that comes several times has a list.
    Form(Map<String, Value>),
}

impl Fields {
    pub(super) fn json(body: Bytes) -> Result<Self, ApiError> {
        json::text(&body)?;
        Ok(Self::Json(body))
    }

    /// Reads `name=value&…`.
    pub(super) fn form(body: &[u8]) -> Result<Self, ApiError> {
        let text = json::text(body)?;
        let mut fields = Map::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            insert(&mut fields, name.into_owned(), value.into_owned());
        }
        Ok(Self::Form(fields))
    }

    /// The fields as a `T`; `expected` says what the interface takes.
    pub(crate) fn parse<T: DeserializeOwned>(&self, expected: &'static str) -> Result<T, ApiError> {
        match self {
            Self::Json(body) => json::parse(json::text(body)?, expected),
            Self::Form(fields) => {
                let fields = Value::Object(fields.clone());
                serde_json::from_value(fields).map_err(|error| ApiError::Shape {
                    expected,
                    reason: error.to_string(),
                })
            }
        }
    }

    /// They came as a form or in the address.
    pub(crate) fn is_form(&self) -> bool {
        matches!(self, Self::Form(_))
    }
}

/// Adds a field; `name[]` is a list, as PHP has it.
pub(super) fn insert(fields: &mut Map<String, Value>, name: String, value: String) {
    let (name, list) = match name.strip_suffix("[]") {
        Some(name) => (name.to_owned(), true),
        None => (name, false),
    };
    let value = Value::String(value);
    match fields.get_mut(&name) {
        None if list => {
            fields.insert(name, Value::Array(vec![value]));
        }
        None => {
            fields.insert(name, value);
        }
        Some(Value::Array(values)) => values.push(value),
        Some(single) => {
            let first = single.take();
            *single = Value::Array(vec![first, value]);
        }
    }
}
