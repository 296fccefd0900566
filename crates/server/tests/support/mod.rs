//! A translator without a model, and a client without a socket.
#![allow(dead_code, reason = "each test file uses a part")]

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use csanmt::{Error, Options, Translation};
use csanmt_server::{AppState, Settings, Site, Translate, app};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

/// Answers `[text]`; `panic` panics, `work` works until [`Fake::release`] or cancellation.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    pub(crate) state: Arc<Counters>,
}

#[derive(Default)]
pub(crate) struct Counters {
    released: AtomicBool,
    running: AtomicUsize,
    cancelled: AtomicUsize,
    finished: AtomicUsize,
}

impl Fake {
    pub(crate) fn release(&self) {
        self.state.released.store(true, Ordering::SeqCst);
    }

    pub(crate) fn running(&self) -> usize {
        self.state.running.load(Ordering::SeqCst)
    }

    pub(crate) fn cancelled(&self) -> usize {
        self.state.cancelled.load(Ordering::SeqCst)
    }

    pub(crate) fn finished(&self) -> usize {
        self.state.finished.load(Ordering::SeqCst)
    }
}

impl Translate for Fake {
    fn translate(
        &self,
        text: &str,
        options: &Options,
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Translation, Error> {
        assert!(text != "panic", "as asked");
        self.state.running.fetch_add(1, Ordering::SeqCst);
        let mut outcome = ControlFlow::Continue(());
        while text.starts_with("work")
            && outcome.is_continue()
            && !self.state.released.load(Ordering::SeqCst)
        {
            std::thread::sleep(Duration::from_millis(2));
            outcome = observe();
        }
        self.state.running.fetch_sub(1, Ordering::SeqCst);
        if outcome.is_break() {
            self.state.cancelled.fetch_add(1, Ordering::SeqCst);
            return Err(Error::Cancelled);
        }
        self.state.finished.fetch_add(1, Ordering::SeqCst);
        let text = match options.beam {
            Some(beam) => format!("[{text}] with beam {beam}"),
            None => format!("[{text}]"),
        };
        Ok(Translation {
            text,
            sentences: Vec::new(),
        })
    }
}

pub(crate) fn settings(threads: usize) -> Settings {
    Settings {
        threads: NonZero::new(threads).unwrap(),
        ..Settings::default()
    }
}

pub(crate) fn state(fake: &Fake, settings: Settings) -> AppState {
    AppState::new(fake.clone(), "fake", Site::None, settings)
}

pub(crate) fn router() -> Router {
    app(state(&Fake::default(), settings(1)))
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.headers["content-type"], "application/json");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The message of `{"error": "…"}`, which must be all there is.
    pub(crate) fn error(&self) -> String {
        let json = self.json();
        let object = json.as_object().unwrap();
        assert_eq!(object.len(), 1, "{object:?}");
        object["error"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .unwrap_or_else(|| panic!("no header {name}"))
            .to_str()
            .unwrap()
    }
}

pub(crate) async fn send(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Answer {
        status: parts.status,
        headers: parts.headers,
        body: body.collect().await.unwrap().to_bytes().to_vec(),
    }
}

pub(crate) fn post(body: impl Into<Body>) -> Request<Body> {
    Request::post("/translate")
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

pub(crate) fn request(method: Method, path: &str) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(path)
        .body(Body::empty())
        .unwrap()
}

pub(crate) fn get(path: &str) -> Request<Body> {
    request(Method::GET, path)
}

/// Waits until `condition` holds; panics when it does not within ten seconds.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(10), "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
