//! A translator without a model, and a client without a socket.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod socket;

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use csanmt::markup::TaggedText;
use csanmt::{Error, Format, Hypothesis, Options, Sentence, Translation};
use csanmt_server::{AppState, Pace, Settings, Site, Translate, Work, app};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

/// Answers `[text]`, in HTML and Markdown `<text>`, with a prefix and terms as these say, cut short when the text starts with `cut`. `panic` panics, `work` works in one
/// step until [`Fake::release`] or cancellation, `long` takes three steps, each of which waits for
/// [`Fake::grant`] or release.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    pub(crate) state: Arc<Counters>,
}

#[derive(Default)]
pub(crate) struct Counters {
    released: AtomicBool,
    granted: AtomicUsize,
    running: AtomicUsize,
    steps: AtomicUsize,
    cancelled: AtomicUsize,
    finished: AtomicUsize,
    widest: AtomicUsize,
}

struct FakeWork {
    state: Arc<Counters>,
    texts: Vec<String>,
    options: Options,
    steps_left: usize,
}

impl Fake {
    pub(crate) fn release(&self) {
        self.state.released.store(true, Ordering::SeqCst);
    }

    /// Lets one step of a long text end.
    pub(crate) fn grant(&self) {
        self.state.granted.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn running(&self) -> usize {
        self.state.running.load(Ordering::SeqCst)
    }

    /// Steps that have ended well.
    pub(crate) fn steps(&self) -> usize {
        self.state.steps.load(Ordering::SeqCst)
    }

    pub(crate) fn cancelled(&self) -> usize {
        self.state.cancelled.load(Ordering::SeqCst)
    }

    /// Most texts that were translated together.
    pub(crate) fn widest(&self) -> usize {
        self.state.widest.load(Ordering::SeqCst)
    }

    pub(crate) fn finished(&self) -> usize {
        self.state.finished.load(Ordering::SeqCst)
    }
}

impl Translate for Fake {
    fn start(
        &self,
        texts: Vec<String>,
        options: &Options,
        _: Pace,
    ) -> Result<Box<dyn Work>, Error> {
        self.state.widest.fetch_max(texts.len(), Ordering::SeqCst);
        let is_long = texts[0].starts_with("long");
        Ok(Box::new(FakeWork {
            state: Arc::clone(&self.state),
            texts,
            options: options.clone(),
            steps_left: if is_long { 3 } else { 1 },
        }))
    }

    fn start_tagged(&self, units: Vec<TaggedText>, _: &Options) -> Result<Box<dyn Work>, Error> {
        Ok(Box::new(FakeTagged(Some(units))))
    }
}

/// Paragraphs without elements; each gets brackets.
struct FakeTagged(Option<Vec<TaggedText>>);

impl Work for FakeTagged {
    fn advance(&mut self, _: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        let bracket = |unit: TaggedText| TaggedText::plain(format!("[{}]", unit.text()));
        self.0 = self
            .0
            .take()
            .map(|units| units.into_iter().map(bracket).collect());
        Ok(())
    }

    fn is_done(&self) -> bool {
        let units = self.0.iter().flatten();
        units.into_iter().all(|unit| unit.text().starts_with('['))
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        Vec::new()
    }

    fn finish_tagged(self: Box<Self>) -> Vec<TaggedText> {
        self.0.unwrap_or_default()
    }
}

impl FakeWork {
    fn translation(&self, text: &str) -> String {
        let Options {
            beam,
            format,
            prefix,
            terms,
            ..
        } = &self.options;
        let mut out = prefix.clone().unwrap_or_default();
        out += &match format {
            Format::Text => format!("[{text}]"),
            Format::Html => format!("<{text}>"),
            _ => format!("*{text}*"),
        };
        if let Some(beam) = beam {
            out += &format!(" with beam {beam}");
        }
        for (term, translation) in terms.iter().flat_map(|terms| terms.entries()) {
            out += &format!(" {term}={translation}");
        }
        out
    }

    fn may_end(&self) -> bool {
        if self.state.released.load(Ordering::SeqCst) {
            return true;
        }
        let first = &self.texts[0];
        let take = |granted: usize| granted.checked_sub(1);
        let (set, get) = (Ordering::SeqCst, Ordering::SeqCst);
        !first.starts_with("work")
            && (!first.starts_with("long")
                || self.state.granted.fetch_update(set, get, take).is_ok())
    }
}

impl Work for FakeWork {
    fn advance(&mut self, observe: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        assert!(!self.texts.iter().any(|text| text == "panic"), "as asked");
        self.state.running.fetch_add(1, Ordering::SeqCst);
        let mut outcome = ControlFlow::Continue(());
        while outcome.is_continue() && !self.may_end() {
            std::thread::sleep(Duration::from_millis(2));
            outcome = observe();
        }
        self.state.running.fetch_sub(1, Ordering::SeqCst);
        if outcome.is_break() {
            self.state.cancelled.fetch_add(1, Ordering::SeqCst);
            return Err(Error::Cancelled);
        }
        self.state.steps.fetch_add(1, Ordering::SeqCst);
        self.steps_left -= 1;
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.steps_left == 0
    }

    fn so_far(&self) -> Vec<String> {
        // A third of each text a step.
        let part = |text: &String| text.chars().take((3 - self.steps_left) * 2).collect();
        let start = |text: String| format!("[{text}");
        self.texts.iter().map(part).map(start).collect()
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        self.state.finished.fetch_add(1, Ordering::SeqCst);
        let translate = |text: &String| Translation {
            text: self.translation(text),
            sentences: vec![Sentence {
                source: 0..text.len(),
                target: 1..text.len() + 1,
                truncated: text.starts_with("cut"),
                hypotheses: (0..self.options.n_best)
                    .map(|rank| hypothesis(text, rank))
                    .collect(),
                ..Default::default()
            }],
        };
        self.texts.iter().map(translate).collect()
    }
}

/// The first is the text itself; others have their rank behind it.
fn hypothesis(text: &str, rank: usize) -> Hypothesis {
    Hypothesis {
        text: match rank {
            0 => text.to_owned(),
            rank => format!("{text}{rank}"),
        },
        ids: vec![1; text.chars().count()],
        score: -1.0,
    }
}

pub(crate) fn settings(threads: usize) -> Settings {
    Settings {
        threads: NonZero::new(threads).unwrap(),
        ..Settings::default()
    }
}

pub(crate) fn state(fake: &Fake, settings: Settings) -> AppState {
    let state = AppState::new(Site::None, settings).unwrap();
    state.set_model(fake.clone(), "fake", "1");
    state
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

/// A request with a JSON body to any path.
pub(crate) fn post_to(path: &str, body: &serde_json::Value) -> Request<Body> {
    Request::post(path)
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

/// A request with a form.
pub(crate) fn form(path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(path)
        .header("content-type", "application/x-www-form-urlencoded")
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

/// What `/metrics` says.
pub(crate) async fn metrics(router: &Router) -> String {
    let answer = send(router, get("/metrics")).await;
    assert!(
        answer
            .header("content-type")
            .starts_with("application/openmetrics-text")
    );
    String::from_utf8(answer.body).unwrap()
}
