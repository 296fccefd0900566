//! Bodies of requests.

use std::num::NonZero;
use std::ops::ControlFlow;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use csanmt::markup::TaggedText;
use csanmt::{Error, Options, Translation};
use csanmt_fuzz::fuzz;
use csanmt_server::{AppState, Pace, Settings, Site, Translate, Work, app};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tower::ServiceExt as _;

/// Gives every text back.
struct Echo;

struct EchoWork(Vec<String>);

impl Translate for Echo {
    fn start(&self, texts: Vec<String>, _: &Options, _: Pace) -> Result<Box<dyn Work>, Error> {
        Ok(Box::new(EchoWork(texts)))
    }

    fn start_tagged(&self, units: Vec<TaggedText>, _: &Options) -> Result<Box<dyn Work>, Error> {
        let texts = units.iter().map(|unit| unit.text().to_owned());
        Ok(Box::new(EchoWork(texts.collect())))
    }
}

impl Work for EchoWork {
    fn advance(&mut self, _: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), Error> {
        Ok(())
    }

    fn is_done(&self) -> bool {
        true
    }

    fn finish(self: Box<Self>) -> Vec<Translation> {
        let translation = |text: String| Translation {
            text,
            ..Translation::default()
        };
        self.0.into_iter().map(translation).collect()
    }
}

/// What has to be in a body. Other fields are passed over, whatever they hold: a number that is too
/// large for a float is JSON too.
#[derive(serde::Deserialize)]
struct Asked {
    text: Value,
}

#[test]
fn json_bodies() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let settings = Settings {
        threads: NonZero::<usize>::MIN,
        ..Settings::default()
    };
    let state = AppState::new(Site::None, settings).expect("a thread");
    state.set_model(Echo, "echo", "echo");
    let router = app(state);
    let seeds = [
        "{\"text\": \"你好\", \"beam\": 4}".as_bytes(),
        "{\"text\": [\"一\", \"\\u4e8c\"]}".as_bytes(),
    ];
    let words = [
        "{", "}", "[", "]", "\"", ":", ",", "\\u", "\\ud800", "null", "true", "1e999", "-1",
        "\"text\"", "\"beam\"", "\u{feff}", "\0",
    ];
    fuzz("json_bodies", &seeds, &words, |bytes| {
        let request = Request::post("/translate")
            .header("content-type", "application/json")
            .body(Body::from(bytes.to_vec()))
            .expect("a request");
        let (status, body) = runtime.block_on(async {
            let response = router.clone().oneshot(request).await.expect("infallible");
            let status = response.status();
            (
                status,
                response
                    .into_body()
                    .collect()
                    .await
                    .expect("a body")
                    .to_bytes(),
            )
        });
        let answer: Value = serde_json::from_slice(&body).expect("JSON");
        if status == StatusCode::OK {
            let asked: Asked =
                serde_json::from_slice(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes))
                    .expect("JSON was asked");
            assert_eq!(
                answer["translation"].is_array(),
                asked.text.is_array(),
                "{answer}"
            );
        } else {
            assert!(status.is_client_error(), "{status}: {answer}");
            assert!(answer["error"].is_string(), "{answer}");
        }
    });
}
