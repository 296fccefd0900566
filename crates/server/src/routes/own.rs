//! Our own shape: `{"text": "…"}` → `{"translation": "…"}`; a list of texts gives a list.

use std::collections::BTreeMap;
use std::fmt::Display;

use axum::response::Response;
use csanmt::{Format, Options, Terms};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{options, stream, with_alternatives};
use crate::answer::ok;
use crate::body::{Arrived, Flag, Number, Text};
use crate::desk::{Item, Task};
use crate::{ApiError, AppState};

/// What this interface takes, for messages.
pub(super) const EXPECTED: &str = r#"{"text": "…"}"#;

/// A text to translate. Other fields are passed over.
#[derive(Deserialize, ToSchema)]
pub(crate) struct OwnRequest {
    /// What to translate; a list gives a list of the same length and order.
    text: Text,
    /// Beam width, 1 to 8; the model's own when absent.
    #[schema(value_type = Option<u8>, minimum = 1, maximum = 8)]
    beam: Option<serde_json::Value>,
    /// How many other translations to give, as far as the beam has them.
    #[schema(value_type = Option<u64>)]
    alternatives: Option<Number>,
    /// The text is HTML, as with `"format": "html"`.
    #[schema(value_type = bool, required = false)]
    html: Option<Flag>,
    /// `text`, `html` or `markdown`.
    #[schema(example = "text")]
    format: Option<String>,
    /// What certain terms are in the translation: an object of terms and translations, or lines with
    /// a term, a TAB and its translation.
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    glossary: Option<Glossary>,
    /// Terms that stay as they are.
    #[schema(value_type = Option<Vec<String>>)]
    keep: Option<Text>,
    /// What the translation of a single text begins with; its last word may be half written.
    #[schema(example = "Today we")]
    prefix: Option<String>,
    /// Answer with server-sent events, as the sentences become known.
    #[schema(value_type = bool, required = false)]
    stream: Option<Flag>,
    /// The language of the text, detected when absent.
    #[schema(example = "zh")]
    source: Option<String>,
    /// The language to translate into.
    #[schema(example = "en")]
    target: Option<String>,
    /// The token, where no header has it.
    api_key: Option<String>,
}

/// A glossary, in one of its forms.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "an object of terms and translations, or lines of them"
)]
enum Glossary {
    Lines(String),
    Pairs(BTreeMap<String, String>),
}

/// A translation.
#[derive(Serialize, ToSchema)]
pub(crate) struct OwnAnswer {
    translation: Text,
    /// Other translations of a text, or of each text of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<serde_json::Value>>)]
    alternatives: Option<Alternatives>,
    /// A sentence reached the length limit before its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Alternatives {
    One(Vec<String>),
    Many(Vec<Vec<String>>),
}

impl OwnRequest {
    fn options(&self) -> Result<Options, ApiError> {
        let alternatives = self.alternatives.map_or(0, |number| number.0);
        let mut options = with_alternatives(options(), alternatives).with_format(self.format()?);
        if let Some(terms) = self.terms()? {
            options = options.with_terms(terms);
        }
        if let Some(prefix) = self.prefix.as_deref().filter(|prefix| !prefix.is_empty()) {
            if matches!(self.text, Text::Many(_)) {
                let reason = "prefix is for a single text".to_owned();
                return Err(ApiError::Value { reason });
            }
            options = options.with_prefix(prefix);
        }
        let Some(beam) = &self.beam else {
            return Ok(options);
        };
        let width = beam.as_u64().and_then(|width| usize::try_from(width).ok());
        if let Some(width @ 1..=Options::MAX_BEAM) = width {
            return Ok(options.with_beam(width));
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

    fn format(&self) -> Result<Format, ApiError> {
        match self.format.as_deref() {
            Some("markdown" | "md") => Ok(Format::Markdown),
            Some(name) if !name.is_empty() => super::libre::format(Some(name)),
            _ if self.html.is_some_and(|html| html.0) => Ok(Format::Html),
            _ => Ok(Format::Text),
        }
    }

    /// The glossary counts where both have a term.
    fn terms(&self) -> Result<Option<Terms>, ApiError> {
        let mut terms = Terms::default();
        let refuse = |name: &str, error: &dyn Display| ApiError::Value {
            reason: format!("{name}: {error}"),
        };
        let kept: &[String] = match &self.keep {
            None => &[],
            Some(Text::One(term)) => std::slice::from_ref(term),
            Some(Text::Many(list)) => list,
        };
        for term in kept {
            let inserted = terms.insert(term, term);
            inserted.map_err(|error| refuse("keep", &error))?;
        }
        match &self.glossary {
            None => {}
            Some(Glossary::Lines(lines)) => {
                let found = Terms::glossary(lines);
                terms.extend(&found.map_err(|error| refuse("glossary", &error))?);
            }
            Some(Glossary::Pairs(pairs)) => {
                for (term, translation) in pairs {
                    let inserted = terms.insert(term, translation);
                    inserted.map_err(|error| refuse("glossary", &error))?;
                }
            }
        }
        Ok((!terms.is_empty()).then_some(terms))
    }
}

pub(super) async fn translate(state: &AppState, arrived: Arrived) -> Result<Response, ApiError> {
    let request: OwnRequest = arrived.fields.parse(EXPECTED)?;
    let desk = state.admit(arrived.caller, request.api_key.as_deref())?;
    let options = request.options()?;
    let direction = desk.direction(request.source.as_deref(), request.target.as_deref())?;
    let single = match &request.text {
        Text::One(text) if csanmt::is_blank(text) => return Err(ApiError::EmptyInput),
        Text::One(_) => true,
        Text::Many(_) => false,
    };
    let task = Task {
        texts: request.text.into_vec(),
        direction,
        options,
    };
    let with_alternatives = request.alternatives.is_some();
    let answer = move |items: Vec<Item>| answer(items, single, with_alternatives);
    if request.stream.is_some_and(|stream| stream.0) {
        let growing = desk.stream(task).await?;
        return Ok(stream::sentences(growing, answer));
    }
    Ok(ok(&answer(desk.translate(task).await?)))
}

fn answer(items: Vec<Item>, single: bool, with_alternatives: bool) -> OwnAnswer {
    let truncated = items.iter().any(|item| item.truncated);
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for item in items {
        // Nothing to translate gives nothing.
        texts.push(if item.blank { String::new() } else { item.text });
        others.push(item.alternatives);
    }
    let alternatives = with_alternatives.then(|| match single {
        true => Alternatives::One(others.pop().unwrap_or_default()),
        false => Alternatives::Many(others),
    });
    OwnAnswer {
        translation: match single {
            true => Text::One(texts.pop().unwrap_or_default()),
            false => Text::Many(texts),
        },
        alternatives,
        truncated,
    }
}
