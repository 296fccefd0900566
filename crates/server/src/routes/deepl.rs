//! DeepL's interface: `/v2/translate`, `/v2/languages`, `/v2/usage`; `/deepl` as MTranServer has it.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use csanmt::Format;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::options;
use crate::answer::ok;
use crate::body::{Arrived, Flag, Text};
use crate::desk::Task;
use crate::{ApiError, AppState};

/// Far more than anybody uses: this server has no quota of its own.
const CHARACTER_LIMIT: u64 = 1_000_000_000_000;

/// DeepL's request. Options that only style the translation (formality, context, splitting) are
/// passed over.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DeepLRequest {
    /// A text or a list of texts.
    #[schema(value_type = Text)]
    text: Option<Text>,
    #[schema(example = "ZH")]
    source_lang: Option<String>,
    #[schema(value_type = String, example = "EN-US")]
    target_lang: Option<String>,
    /// `html` or `xml`: tags are kept.
    tag_handling: Option<String>,
    /// Not supported: this server has no glossaries.
    glossary_id: Option<String>,
    #[schema(value_type = bool, required = false)]
    show_billed_characters: Option<Flag>,
    /// The token, as older clients send it.
    auth_key: Option<String>,
}

/// One translation a text, in their order.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeepLAnswer {
    translations: Vec<DeepLTranslation>,
}

#[derive(Serialize, ToSchema)]
struct DeepLTranslation {
    #[schema(example = "ZH")]
    detected_source_language: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    billed_characters: Option<usize>,
}

/// DeepL's error.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeepLError {
    message: String,
}

/// Translate texts, as DeepL does
#[utoipa::path(
    post,
    path = "/v2/translate",
    tag = "deepl",
    request_body(content(
        (DeepLRequest = "application/json"),
        (DeepLRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "One translation a text", body = DeepLAnswer),
        (status = "4XX", description = "What is wrong with the request", body = DeepLError),
        (status = "5XX", description = "Try again later", body = DeepLError),
    )
)]
pub(crate) async fn translate(
    state: State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    answer(state, request).await
}

/// The same for extensions
#[utoipa::path(
    post,
    path = "/deepl",
    tag = "extensions",
    request_body = DeepLRequest,
    responses(
        (status = 200, description = "One translation a text", body = DeepLAnswer),
        (status = "4XX", description = "What is wrong with the request", body = DeepLError),
        (status = "5XX", description = "Try again later", body = DeepLError),
    )
)]
pub(crate) async fn short(
    state: State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    answer(state, request).await
}

/// What `tag_handling` asks for, here and in DeepLX's requests.
pub(super) fn format(tag_handling: Option<&str>) -> Result<Format, ApiError> {
    match tag_handling {
        None | Some("") => Ok(Format::Text),
        Some("html" | "xml") => Ok(Format::Html),
        Some(_) => {
            let reason = "tag_handling must be html or xml".to_owned();
            Err(ApiError::Value { reason })
        }
    }
}

async fn answer(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: DeepLRequest = arrived.fields.parse(r#"{"text": ["…"], "target_lang"}"#)?;
    let desk = state.admit(arrived.caller, request.auth_key.as_deref())?;
    let missing = |name| ApiError::Missing { name };
    let text = request.text.ok_or_else(|| missing("text"))?;
    let target = request.target_lang.ok_or_else(|| missing("target_lang"))?;
    if request.glossary_id.is_some_and(|id| !id.is_empty()) {
        let what = "glossary_id".to_owned();
        return Err(ApiError::Unsupported { what });
    }
    let format = format(request.tag_handling.as_deref())?;
    let direction = desk.direction(request.source_lang.as_deref(), Some(&target))?;
    let texts = text.into_vec();
    let is_billed = request.show_billed_characters.is_some_and(|flag| flag.0);
    let describe = |text: &String| DeepLTranslation {
        detected_source_language: desk.language(&direction, text).language.deepl(),
        text: String::new(),
        billed_characters: is_billed.then(|| text.chars().count()),
    };
    let mut translations: Vec<_> = texts.iter().map(describe).collect();
    let items = desk
        .translate(Task {
            texts,
            direction,
            options: options().with_format(format),
        })
        .await?;
    for (translation, item) in translations.iter_mut().zip(items) {
        translation.text = item.text;
    }
    Ok(ok(&DeepLAnswer { translations }))
}

/// A language as DeepL describes it.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeepLLanguage {
    #[schema(example = "ZH")]
    language: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    supports_formality: Option<bool>,
}

#[derive(Deserialize)]
struct LanguagesRequest {
    r#type: Option<String>,
}

/// Source or target languages
#[utoipa::path(
    get,
    path = "/v2/languages",
    tag = "deepl",
    params(("type" = Option<String>, Query, description = "`source` or `target`")),
    responses(
        (status = 200, description = "Languages", body = Vec<DeepLLanguage>),
        (status = "4XX", description = "What is wrong with the request", body = DeepLError),
        (status = "5XX", description = "Try again later", body = DeepLError),
    )
)]
pub(crate) async fn languages(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: LanguagesRequest = arrived.fields.parse("?type=source or ?type=target")?;
    let desk = state.admit(arrived.caller, None)?;
    let pair = &desk.model().pair;
    let list = match request.r#type.as_deref() {
        None | Some("" | "source") => vec![DeepLLanguage {
            language: pair.source.deepl(),
            name: pair.source.name().to_owned(),
            supports_formality: None,
        }],
        Some("target") => targets(&pair.target),
        Some(_) => {
            let reason = "type must be source or target".to_owned();
            return Err(ApiError::Value { reason });
        }
    };
    Ok(ok(&list))
}

/// DeepL has two Englishes; ours is both.
fn targets(target: &crate::language::Language) -> Vec<DeepLLanguage> {
    let language = |code: &str, name: &str| DeepLLanguage {
        language: code.to_owned(),
        name: name.to_owned(),
        supports_formality: Some(false),
    };
    match &*target.deepl() {
        "EN" => vec![
            language("EN-US", "English (American)"),
            language("EN-GB", "English (British)"),
        ],
        code => vec![language(code, target.name())],
    }
}

/// What was translated, and the limit, which DeepL's clients show.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeepLUsage {
    character_count: u64,
    character_limit: u64,
}

/// Characters translated since the start
#[utoipa::path(
    get,
    path = "/v2/usage",
    tag = "deepl",
    responses(
        (status = 200, description = "Characters", body = DeepLUsage),
        (status = "4XX", description = "What is wrong with the request", body = DeepLError),
        (status = "5XX", description = "Try again later", body = DeepLError),
    )
)]
pub(crate) async fn usage(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    state.check_token(&arrived.caller, None)?;
    Ok(ok(&DeepLUsage {
        character_count: state.metrics().characters().min(CHARACTER_LIMIT),
        character_limit: CHARACTER_LIMIT,
    }))
}
