//! The fields of a request to translate.

use std::fmt;

use csanmt::Options;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use crate::ApiError;

/// Other fields are passed over: clients of other servers send many.
#[derive(Deserialize)]
pub(crate) struct TranslateRequest {
    pub(crate) text: Text,
    /// Beam width, 1 to 8; the model's own when absent. Any JSON here, for a message that fits.
    beam: Option<serde_json::Value>,
}

/// What to translate.
pub(crate) enum Text {
    One(String),
    Many(Vec<String>),
}

impl TranslateRequest {
    pub(crate) fn options(&self) -> Result<Options, ApiError> {
        let Some(beam) = &self.beam else {
            return Ok(Options::default());
        };
        let width = beam.as_u64().and_then(|width| usize::try_from(width).ok());
        if let Some(width @ 1..=Options::MAX_BEAM) = width {
            return Ok(Options::default().with_beam(width));
        }
        let found = match beam {
            serde_json::Value::Number(number) => format!(", found {number}"),
            _ => String::new(),
        };
        Err(ApiError::Value {
            reason: format!(
                "beam must be a whole number from 1 to {}{found}",
                Options::MAX_BEAM
            ),
        })
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or a list of strings")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text::One(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Text, E> {
        Ok(Text::One(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element()? {
            texts.push(text);
        }
        Ok(Text::Many(texts))
    }
}
