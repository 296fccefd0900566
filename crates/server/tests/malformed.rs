//! Ten thousand requests that are wrong in some way: no panic, no 5xx, the right shape of error, and
//! the server still answers afterwards. The same every time.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use csanmt_server::app;
use serde_json::{Value, json};
use support::{Fake, get, post, send, settings, state};

const REQUESTS: u32 = 10_000;

const PATHS: [&str; 30] = [
    "/translate",
    "/translate",
    "/translate/batch",
    "/translate_file",
    "/detect",
    "/languages",
    "/frontend/settings",
    "/v2/translate",
    "/v2/languages",
    "/v2/usage",
    "/deepl",
    "/deeplx",
    "/v1/translate",
    "/imme",
    "/kiss",
    "/hcfy",
    "/language/translate/v2",
    "/google/language/translate/v2",
    "/google/translate_a/single",
    "/v1/chat/completions",
    "/v1/models",
    "/health",
    "/live",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/download_file/x",
    "/nothing/../here",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/index.html",
];
const FIELDS: [&str; 34] = [
    "text",
    "q",
    "source",
    "target",
    "format",
    "alternatives",
    "api_key",
    "html",
    "stream",
    "beam",
    "glossary",
    "keep",
    "prefix",
    "source_lang",
    "target_lang",
    "tag_handling",
    "glossary_id",
    "text_list",
    "texts",
    "from",
    "to",
    "destination",
    "messages",
    "model",
    "role",
    "content",
    "name",
    "show_billed_characters",
    "auth_key",
    "client",
    "sl",
    "tl",
    "dt",
    "type",
];
const WORDS: [&str; 24] = [
    "你好",
    "",
    " ",
    "zh",
    "en",
    "auto",
    "ZH-HANS",
    "xx",
    "html",
    "text",
    "null",
    "true",
    "-1",
    "1e999",
    "\u{0}",
    "\u{feff}好",
    "\u{d7ff}\u{e000}",
    "<b>好",
    "../../etc/passwd",
    "%s{0}",
    "😀\u{200d}",
    "user",
    "系统",
    "0x7f",
];
const TYPES: [&str; 9] = [
    "application/json",
    "application/json; charset=gb18030",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/xml",
    "",
    "\u{ff}",
];
const METHODS: [Method; 7] = [
    Method::POST,
    Method::POST,
    Method::POST,
    Method::GET,
    Method::PUT,
    Method::DELETE,
    Method::OPTIONS,
];

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn of<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth > 3 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(9)),
            3 => json!(-1.5e300),
            4 => json!(u64::MAX),
            5 | 6 => json!(self.of(&WORDS)),
            7 | 8 => (0..self.below(4)).map(|_| self.value(depth + 1)).collect(),
            _ => self.object(depth + 1),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let fields = 0..self.below(6);
        Value::Object(
            fields
                .map(|_| (self.of(&FIELDS).to_string(), self.value(depth)))
                .collect(),
        )
    }

    fn body(&mut self) -> Vec<u8> {
        let mut body = match self.below(8) {
            0 => Vec::new(),
            1 => (0..self.below(60)).map(|_| u8::try_from(self.below(256)).unwrap()).collect(),
            2 => (0..self.below(5))
                .map(|_| format!("{}={}&", self.of(&FIELDS), self.of(&WORDS)))
                .collect::<String>()
                .into_bytes(),
            3 => format!(
                "--x\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n\r\n{}\r\n--x--\r\n",
                self.of(&FIELDS), self.of(&WORDS), self.of(&WORDS)
            )
            .into_bytes(),
            4 => "[".repeat(self.below(3000)).into_bytes(),
            _ => self.object(0).to_string().into_bytes(),
        };
        // A byte that is another one, or an end too soon.
        if !body.is_empty() && self.below(3) == 0 {
            let at = self.below(body.len());
            body[at] = u8::try_from(self.below(256)).unwrap();
            if self.below(2) == 0 {
                body.truncate(at);
            }
        }
        body
    }

    fn request(&mut self) -> (String, Request<Body>) {
        let (path, method) = (*self.of(&PATHS), self.of(&METHODS).clone());
        let query = match self.below(4) {
            0 => format!("?{}={}", self.of(&FIELDS), "%F0%9F".repeat(self.below(3))),
            _ => String::new(),
        };
        let (kind, body) = (*self.of(&TYPES), self.body());
        let shown = format!(
            "{method} {path}{query} {kind} {}",
            String::from_utf8_lossy(&body)
        );
        let mut request = Request::new(Body::from(body));
        *request.method_mut() = method;
        *request.uri_mut() = format!("{path}{query}").parse().unwrap();
        let headers = request.headers_mut();
        if let Ok(value) = HeaderValue::from_bytes(kind.as_bytes())
            && !kind.is_empty()
        {
            headers.insert("content-type", value);
        }
        let odd: &[&'static str] = &[
            "authorization",
            "origin",
            "content-encoding",
            "accept-language",
            "x-forwarded-for",
        ];
        if self.below(4) == 0 {
            let value: Vec<u8> = (0..self.below(20))
                .map(|_| 32 + u8::try_from(self.below(224)).unwrap())
                .collect();
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let name = odd[self.below(odd.len())];
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        (shown, request)
    }
}

#[tokio::test]
async fn j3_ten_thousand_malformed_requests() {
    let router = app(state(&Fake::default(), settings(1)));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut seen = std::collections::BTreeMap::<u16, usize>::new();
    let description = send(&router, get("/openapi.json")).await.json();
    for _ in 0..REQUESTS {
        let (shown, request) = random.request();
        let is_options = request.method() == Method::OPTIONS;
        let method = request.method().as_str().to_ascii_lowercase();
        let documented = description["paths"][request.uri().path()][method]["responses"].clone();
        let answer = send(&router, request).await;
        *seen.entry(answer.status.as_u16()).or_default() += 1;
        assert!(
            !answer.status.is_server_error(),
            "{shown}: {}",
            answer.status
        );
        if let Some(documented) = documented.as_object() {
            let exact = answer.status.as_str();
            let class = format!("{}XX", &exact[..1]);
            let is_known = documented.contains_key(exact) || documented.contains_key(&class);
            assert!(is_known, "{shown}: {exact} is not documented");
        }
        if answer.status.is_client_error() && !is_options {
            let body: Value = serde_json::from_slice(&answer.body)
                .unwrap_or_else(|_| panic!("{shown}: {} without JSON", answer.status));
            // Every shape of error has a message somewhere.
            let message = ["/error", "/message", "/error/message", "/msg"]
                .iter()
                .find_map(|place| body.pointer(place)?.as_str());
            assert!(
                message.is_some_and(|message| !message.is_empty()),
                "{shown}: {body}"
            );
        }
    }
    assert!(seen.len() > 5 && seen.contains_key(&200), "{seen:?}");
    let answer = send(&router, post(r#"{"text": "好"}"#)).await;
    assert_eq!(answer.status, StatusCode::OK);
}
