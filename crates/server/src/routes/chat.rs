//! OpenAI's chat completions, for clients that speak nothing else: the last message of the user is
//! translated.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::options;
use super::stream::{self, Event, Script};
use crate::answer::ok;
use crate::body::{Arrived, Flag};
use crate::desk::{Item, Task};
use crate::{ApiError, AppState};

/// A conversation. Everything but the user's last message is passed over.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChatRequest {
    messages: Vec<Message>,
    /// Answer with server-sent events, as the sentences become known.
    #[schema(value_type = bool, required = false)]
    stream: Option<Flag>,
}

#[derive(Deserialize, ToSchema)]
struct Message {
    /// `user` counts.
    role: String,
    content: Option<Content>,
}

/// A text, or parts of which those with a text count.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize, Serialize, ToSchema)]
struct Part {
    text: Option<String>,
}

impl Content {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
                texts.join("\n")
            }
        }
    }
}

/// OpenAI's answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChatAnswer {
    id: String,
    object: String,
    created: u64,
    model: String,
    choices: Vec<Choice>,
    usage: Usage,
}

#[derive(Serialize, ToSchema)]
struct Choice {
    index: u32,
    message: Answered,
    finish_reason: String,
}

#[derive(Serialize, ToSchema)]
struct Answered {
    role: String,
    content: String,
}

/// Counted in characters: clients only show it.
#[derive(Serialize, ToSchema)]
struct Usage {
    prompt_tokens: usize,
    completion_tokens: usize,
    total_tokens: usize,
}

/// OpenAI's error.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChatError {
    error: ChatReason,
}

#[derive(Serialize, ToSchema)]
struct ChatReason {
    message: String,
    r#type: String,
    param: Option<String>,
    code: Option<String>,
}

/// Translate the user's last message
#[utoipa::path(
    post,
    path = "/v1/chat/completions",
    tag = "openai",
    request_body = ChatRequest,
    responses(
        (status = 200, description = "The translation as the assistant's message", content(
            (ChatAnswer = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = "4XX", description = "What is wrong with the request", body = ChatError),
        (status = "5XX", description = "Try again later", body = ChatError),
    )
)]
pub(crate) async fn completions(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let request: ChatRequest = arrived
        .fields
        .parse(r#"{"messages": [{"role", "content"}]}"#)?;
    let desk = state.admit(arrived.caller, None)?;
    let users = request.messages.into_iter().rev();
    let text = users
        .filter(|message| message.role == "user")
        .find_map(|message| message.content)
        .map(Content::into_text)
        .ok_or(ApiError::Missing { name: "messages" })?;
    let head = Head {
        id: format!("chatcmpl-{:x}", now().as_nanos()),
        created: now().as_secs(),
        model: desk.model().name.clone(),
    };
    let read = text.chars().count();
    let task = Task {
        texts: vec![text],
        direction: desk.direction(None, None)?,
        options: options(),
    };
    if request.stream.is_some_and(|stream| stream.0) {
        return Ok(stream::respond(desk.stream(task).await?, head));
    }
    let item = desk.translate(task).await?.into_iter().next();
    let item = item.unwrap_or_default();
    let written = item.text.chars().count();
    Ok(ok(&ChatAnswer {
        id: head.id,
        object: "chat.completion".to_owned(),
        created: head.created,
        model: head.model,
        choices: vec![Choice {
            index: 0,
            finish_reason: finish_reason(&item).to_owned(),
            message: Answered {
                role: "assistant".to_owned(),
                content: item.text,
            },
        }],
        usage: Usage {
            prompt_tokens: read,
            completion_tokens: written,
            total_tokens: read + written,
        },
    }))
}

fn now() -> std::time::Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn finish_reason(item: &Item) -> &'static str {
    if item.truncated { "length" } else { "stop" }
}

/// What every event of an answer has.
struct Head {
    id: String,
    created: u64,
    model: String,
}

impl Head {
    fn chunk(&self, delta: &Value, finish_reason: Option<&str>) -> Event {
        Event::new(
            None,
            &json!({
                "id": self.id,
                "object": "chat.completion.chunk",
                "created": self.created,
                "model": self.model,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
            }),
        )
    }
}

impl Script for Head {
    fn more(&mut self, _: usize, text: &str) -> Vec<Event> {
        vec![self.chunk(&json!({"role": "assistant", "content": text}), None)]
    }

    fn done(&mut self, items: Vec<Item>) -> Vec<Event> {
        let reason = items.first().map_or("stop", finish_reason);
        vec![self.chunk(&json!({}), Some(reason)), Event::word("[DONE]")]
    }

    fn failed(&mut self, error: &ApiError) -> Vec<Event> {
        let reason = json!({"error": {"message": error.to_string(), "type": "server_error"}});
        vec![Event::new(None, &reason), Event::word("[DONE]")]
    }
}

/// The models of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Models {
    object: String,
    data: Vec<NamedModel>,
}

#[derive(Serialize, ToSchema)]
struct NamedModel {
    id: String,
    object: String,
    owned_by: String,
}

/// The model that translates
#[utoipa::path(
    get,
    path = "/v1/models",
    tag = "openai",
    responses(
        (status = 200, description = "One model", body = Models),
        (status = "4XX", description = "What is wrong with the request", body = ChatError),
        (status = "5XX", description = "Try again later", body = ChatError),
    )
)]
pub(crate) async fn models(
    State(state): State<AppState>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let arrived = Arrived::read(&state, request).await?;
    let desk = state.admit(arrived.caller, None)?;
    Ok(ok(&Models {
        object: "list".to_owned(),
        data: vec![NamedModel {
            id: desk.model().name.clone(),
            object: "model".to_owned(),
            owned_by: "csanmt".to_owned(),
        }],
    }))
}
