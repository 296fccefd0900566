//! Server-sent events: sentences as they become known.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use serde_json::json;

use crate::ApiError;
use crate::answer::typed;
use crate::desk::{Bit, Growing, Item};

/// What turns growing translations into events.
pub(super) trait Script: Send + 'static {
    /// New text of the translation with the number `index`.
    fn more(&mut self, index: usize, text: &str) -> Vec<Event>;
    /// The end.
    fn done(&mut self, items: Vec<Item>) -> Vec<Event>;
    /// An error after the answer has begun.
    fn failed(&mut self, error: &ApiError) -> Vec<Event>;
}

/// One event.
pub(super) struct Event {
    name: Option<&'static str>,
    data: String,
}

impl Event {
    pub(super) fn new(name: Option<&'static str>, data: &impl Serialize) -> Self {
        Self {
            name,
            // Strings, numbers and lists of them always have a JSON form.
            data: serde_json::to_string(data).unwrap_or_default(),
        }
    }

    /// An event without JSON.
    pub(super) fn word(data: &str) -> Self {
        Self {
            name: None,
            data: data.to_owned(),
        }
    }

    /// JSON has no line breaks, so one line is enough.
    fn write(&self, to: &mut String) {
        if let Some(name) = self.name {
            to.push_str(&format!("event: {name}\n"));
        }
        to.push_str(&format!("data: {}\n\n", self.data));
    }
}

/// The answer in our own interface: events `{"index", "delta"}`, whose deltas joined give the
/// translation, then `done` with what there would be without streaming, or `error`.
pub(super) fn sentences<T: Serialize>(
    growing: Growing,
    answer: impl FnOnce(Vec<Item>) -> T + Send + 'static,
) -> Response {
    struct Own<F>(Option<F>);

    impl<T: Serialize, F: FnOnce(Vec<Item>) -> T + Send + 'static> Script for Own<F> {
        fn more(&mut self, index: usize, text: &str) -> Vec<Event> {
            vec![Event::new(None, &json!({"index": index, "delta": text}))]
        }

        fn done(&mut self, items: Vec<Item>) -> Vec<Event> {
            let answer = self.0.take().map(|answer| answer(items));
            answer
                .map(|answer| Event::new(Some("done"), &answer))
                .into_iter()
                .collect()
        }

        fn failed(&mut self, error: &ApiError) -> Vec<Event> {
            let error = json!({"error": error.to_string()});
            vec![Event::new(Some("error"), &error)]
        }
    }
    respond(growing, Own(Some(answer)))
}

/// Writes the events as they happen. When the client goes away the stream is dropped, and the
/// translation with it.
pub(super) fn respond(growing: Growing, script: impl Script) -> Response {
    let begin = State {
        growing,
        script,
        sent: Vec::new(),
    };
    let events = stream::unfold(begin, |mut state| async move {
        let text = state.next().await?;
        Some((Ok::<_, Infallible>(text), state))
    });
    let kind = HeaderValue::from_static("text/event-stream");
    let mut response = typed(StatusCode::OK, kind, Body::from_stream(events));
    // nginx would keep the events back.
    response.headers_mut().insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    response
}

struct State<S> {
    growing: Growing,
    script: S,
    /// What was sent of each text.
    sent: Vec<String>,
}

impl<S: Script> State<S> {
    /// The next events as text; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        let mut text = String::new();
        while text.is_empty() {
            let events = match self.growing.next().await? {
                Ok(Bit::SoFar(texts)) => self.more(&texts),
                Ok(Bit::Done(items)) => {
                    let texts: Vec<String> = items.iter().map(|item| item.text.clone()).collect();
                    let mut events = self.more(&texts);
                    events.extend(self.script.done(items));
                    events
                }
                Err(error) => self.script.failed(&error),
            };
            for event in events {
                event.write(&mut text);
            }
        }
        Some(text)
    }

    fn more(&mut self, texts: &[String]) -> Vec<Event> {
        self.sent.resize(texts.len(), String::new());
        let mut events = Vec::new();
        for (index, (text, sent)) in texts.iter().zip(&mut self.sent).enumerate() {
            // What was sent cannot be taken back; what it became is in the last event.
            if let Some(new) = text.strip_prefix(&**sent)
                && !new.is_empty()
            {
                events.extend(self.script.more(index, new));
                sent.push_str(new);
            }
        }
        events
    }
}
