//! Tokens, limits, streams, caches, health and what is measured.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::num::NonZero;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use csanmt_server::{AppState, Settings, Site, app};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use support::{Fake, form, get, metrics, post, post_to, request, send, settings, state, until};
use tower::ServiceExt as _;

fn with_tokens() -> Router {
    let settings = Settings {
        tokens: vec!["s3cret".into(), "other".into()],
        ..settings(1)
    };
    app(state(&Fake::default(), settings))
}

#[tokio::test]
async fn j7_a_token_opens_the_server_wherever_it_stands() {
    let router = with_tokens();
    let body = json!({"text": "好"});
    for (name, value) in [
        ("authorization", "Bearer s3cret"),
        ("authorization", "DeepL-Auth-Key s3cret"),
        ("authorization", "s3cret"),
        ("x-api-key", "other"),
    ] {
        let mut request = post_to("/translate", &body);
        request.headers_mut().insert(name, value.parse().unwrap());
        assert_eq!(
            send(&router, request).await.status,
            StatusCode::OK,
            "{value}"
        );
    }
    let in_query = send(&router, post_to("/translate?token=s3cret", &body)).await;
    assert_eq!(in_query.status, StatusCode::OK);
    for body in [
        json!({"text": "好", "api_key": "s3cret"}),
        json!({"q": "好", "source": "zh", "target": "en", "api_key": "s3cret"}),
    ] {
        assert_eq!(
            send(&router, post_to("/translate", &body)).await.status,
            StatusCode::OK
        );
    }
    let q = "q=%E5%A5%BD&source=zh&target=en&api_key=s3cret";
    assert_eq!(
        send(&router, form("/translate", q)).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn j7_without_a_token_only_health_and_the_page_are_open() {
    let router = with_tokens();
    for path in [
        "/health",
        "/live",
        "/version",
        "/openapi.json",
        "/docs",
        "/",
        "/languages",
    ] {
        assert_eq!(
            send(&router, get(path)).await.status,
            StatusCode::OK,
            "{path}"
        );
    }
    for path in ["/metrics", "/v1/models", "/google/translate_a/single?q=x"] {
        let answer = send(&router, get(path)).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(
        send(&router, get("/v2/usage")).await.status,
        StatusCode::FORBIDDEN
    );
    for (path, body, status) in [
        ("/translate", json!({"text": "好"}), 401),
        ("/translate", json!({"text": "好", "api_key": "wrong"}), 401),
        (
            "/translate",
            json!({"q": "好", "source": "zh", "target": "en"}),
            400,
        ),
        (
            "/translate",
            json!({"q": "好", "source": "zh", "target": "en", "api_key": "no"}),
            403,
        ),
        ("/detect", json!({"q": "好", "api_key": "no"}), 403),
        (
            "/v2/translate",
            json!({"text": ["好"], "target_lang": "EN"}),
            403,
        ),
        ("/deeplx", json!({"text": "好", "target_lang": "EN"}), 401),
        ("/imme", json!({"text_list": ["好"]}), 401),
        ("/kiss", json!({"text": "好"}), 401),
        ("/hcfy", json!({"text": "好"}), 401),
        ("/translate/batch", json!({"texts": ["好"]}), 401),
        ("/language/translate/v2", json!({"q": "好"}), 401),
        ("/v1/chat/completions", json!({"messages": []}), 401),
    ] {
        let answer = send(&router, post_to(path, &body)).await;
        assert_eq!(answer.status.as_u16(), status, "{path} {body}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("[好]"));
    }
    let key = send(
        &router,
        post_to(
            "/translate",
            &json!({"q": "好", "source": "zh", "target": "en"}),
        ),
    );
    assert_eq!(
        key.await.error(),
        "Please contact the server operator to get an API key"
    );
}

#[tokio::test]
async fn j8_a_client_that_asks_too_often_is_told_when_to_come_back() {
    let settings = Settings {
        requests_per_minute: NonZero::new(2),
        ..settings(1)
    };
    let router = app(state(&Fake::default(), settings));
    let body = json!({"q": "好", "source": "zh", "target": "en"});
    for _ in 0..2 {
        assert_eq!(
            send(&router, post_to("/translate", &body)).await.status,
            StatusCode::OK
        );
    }
    let answer = send(&router, post_to("/translate", &body)).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=31).contains(&seconds), "{seconds}");
    assert!(
        answer
            .error()
            .starts_with("Slowdown: 2 requests per 1 minute")
    );
    // In every interface, in its own shape.
    let deepl = json!({"text": ["好"], "target_lang": "EN"});
    let answer = send(&router, post_to("/v2/translate", &deepl)).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(
        answer.json()["message"]
            .as_str()
            .unwrap()
            .starts_with("Slowdown")
    );
    // What costs nothing is not limited.
    assert_eq!(
        send(&router, get("/languages")).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn j8_characters_and_texts_are_limited() {
    let settings = Settings {
        characters_per_minute: NonZero::new(10),
        characters: NonZero::new(8),
        texts: 2,
        ..settings(1)
    };
    let router = app(state(&Fake::default(), settings));
    let ask = |texts: Value| post_to("/translate", &json!({ "text": texts }));
    assert_eq!(
        send(&router, ask(json!(["一二三四", "五六"]))).await.status,
        StatusCode::OK
    );
    let answer = send(&router, ask(json!("一二三四五六"))).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(answer.headers.contains_key("retry-after"));
    for too_much in [json!("一二三四五六七八九"), json!(["一", "二", "三"])] {
        let answer = send(&router, ask(too_much)).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    }
}

#[tokio::test]
async fn j5_every_interface_answers_preflights_of_extensions() {
    let router = with_tokens();
    for path in [
        "/translate",
        "/imme",
        "/v2/translate",
        "/v1/chat/completions",
        "/metrics",
    ] {
        let preflight = Request::options(path)
            .header("origin", "chrome-extension://abcdef")
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,content-type",
            )
            .header("access-control-request-private-network", "true")
            .body(Body::empty())
            .unwrap();
        let answer = send(&router, preflight).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(
            answer.header("access-control-allow-private-network"),
            "true"
        );
        assert!(
            answer
                .header("access-control-allow-headers")
                .contains("authorization")
        );
    }
    // Errors are readable, too.
    let mut request = post_to("/imme", &json!({}));
    request
        .headers_mut()
        .insert("origin", "moz-extension://x".parse().unwrap());
    let answer = send(&router, request).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
}

/// The events of a stream so far: what `read` gives until it would have to wait.
async fn next_event(body: &mut Body) -> Option<String> {
    let frame = tokio::time::timeout(Duration::from_secs(10), body.frame()).await;
    let frame = frame.expect("an event")?.unwrap();
    Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
}

#[tokio::test]
async fn j9_the_first_sentence_comes_before_the_last_is_done() {
    let fake = Fake::default();
    let router = app(state(&fake, settings(1)));
    let body = json!({"text": "long 1", "stream": true});
    let asked = tokio::spawn(router.oneshot(post_to("/translate", &body)));
    until("running", || fake.running() == 1).await;
    fake.grant();
    let response = asked.await.unwrap().unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let first = next_event(&mut body).await.unwrap();
    assert_eq!(first, "data: {\"delta\":\"[lo\",\"index\":0}\n\n");
    assert_eq!(fake.finished(), 0);
    fake.release();
    let mut rest = String::new();
    while let Some(event) = next_event(&mut body).await {
        rest.push_str(&event);
    }
    let deltas: String = (first + &rest)
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter_map(|data| {
            serde_json::from_str::<Value>(data).unwrap()["delta"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(deltas, "[long 1]");
    let done = "event: done\ndata: {\"translation\":\"[long 1]\"}\n\n";
    assert!(rest.ends_with(done), "{rest}");
}

#[tokio::test]
async fn j9_chat_completions_stream_as_openai_does() {
    let fake = Fake::default();
    fake.release();
    let router = app(state(&fake, settings(1)));
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "long 2"}]});
    let answer = send(&router, post_to("/v1/chat/completions", &body)).await;
    let text = String::from_utf8(answer.body).unwrap();
    let events: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!(events.last(), Some(&"data: [DONE]"));
    let mut content = String::new();
    let mut reason = Value::Null;
    for event in &events[..events.len() - 1] {
        let chunk: Value = serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(chunk["object"], "chat.completion.chunk");
        let choice = &chunk["choices"][0];
        content.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
        reason = choice["finish_reason"].clone();
    }
    assert_eq!((&*content, reason), ("[long 2]", json!("stop")));
}

#[tokio::test]
async fn j9_what_is_refused_is_refused_with_a_status_also_when_streaming() {
    let router = app(state(&Fake::default(), settings(1)));
    for (text, status) in [("panic", 500), (" ", 400)] {
        let body = json!({"text": text, "stream": true});
        let answer = send(&router, post_to("/translate", &body)).await;
        assert_eq!(answer.status.as_u16(), status);
    }
}

#[tokio::test]
async fn j8_a_stream_that_is_dropped_stops_its_work() {
    let fake = Fake::default();
    let router = app(state(&fake, settings(1)));
    let body = json!({"text": "long 1", "stream": true});
    let asked = tokio::spawn(router.oneshot(post_to("/translate", &body)));
    until("running", || fake.running() == 1).await;
    fake.grant();
    let response = asked.await.unwrap().unwrap();
    drop(response);
    until("cancelled", || fake.cancelled() == 1 || fake.running() == 0).await;
    assert_eq!(fake.finished(), 0);
}

#[tokio::test]
async fn j10_health_is_false_until_the_model_is_loaded() {
    let state = AppState::new(Site::None, settings(1)).unwrap();
    let router = app(state.clone());
    for path in ["/health", "/__heartbeat__", "/languages"] {
        let answer = send(&router, get(path)).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert_eq!(answer.header("retry-after"), "1");
        assert!(answer.error().contains("being loaded"));
    }
    let answer = send(&router, post(r#"{"text": "好"}"#)).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(send(&router, get("/live")).await.status, StatusCode::OK);
    let metrics = metrics(&router).await;
    assert!(metrics.contains("csanmt_model_loaded 0\n"), "{metrics}");

    state.set_model(Fake::default(), "fake", "1");
    assert_eq!(send(&router, get("/health")).await.json()["status"], "ok");
    let answer = send(&router, post(r#"{"text": "好"}"#)).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn j10_metrics_count_what_was_done_without_any_text() {
    let router = app(state(&Fake::default(), settings(1)));
    for _ in 0..2 {
        assert_eq!(
            send(&router, post(r#"{"text": "学校"}"#)).await.status,
            StatusCode::OK
        );
    }
    assert_eq!(
        send(&router, get("/学校")).await.status,
        StatusCode::NOT_FOUND
    );
    let metrics = metrics(&router).await;
    for line in [
        "csanmt_requests_total{route=\"/translate\",status=\"200\"} 2",
        "csanmt_requests_total{route=\"page\",status=\"404\"} 1",
        "csanmt_request_duration_seconds_count{route=\"/translate\"} 2",
        "csanmt_cache_misses_total 1",
        "csanmt_cache_hits_total{layer=\"memory\"} 1",
        "csanmt_sentences_total 1",
        "csanmt_characters_total 2",
        "csanmt_tokens_total 2",
        "csanmt_queue_requests 0",
        "csanmt_model_loaded 1",
        "csanmt_quality{statistic=\"length_ratio\"} ",
        "csanmt_quality_sentences 1",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    let memory = metrics
        .lines()
        .find(|line| line.starts_with("process_resident_memory_bytes "));
    let bytes: u64 = memory
        .unwrap()
        .split(' ')
        .next_back()
        .unwrap()
        .parse()
        .unwrap();
    assert!(cfg!(not(target_os = "linux")) || bytes > 1 << 20, "{bytes}");
    assert!(metrics.ends_with("# EOF\n"));
    assert!(
        !metrics.contains("学校") && !metrics.contains("%E5"),
        "{metrics}"
    );
}

#[tokio::test]
async fn j12_what_was_translated_once_is_not_translated_again() {
    let fake = Fake::default();
    let state = state(&fake, settings(1));
    let router = app(state.clone());
    let ask = async |body: Value| send(&router, post_to("/translate", &body)).await.json();
    for _ in 0..2 {
        assert_eq!(ask(json!({"text": "好"})).await["translation"], "[好]");
    }
    assert_eq!(fake.finished(), 1);
    // In another interface, and in a list.
    ask(json!({"q": "好", "source": "zh", "target": "en"})).await;
    let list = ask(json!({"text": ["坏", "好"]})).await;
    assert_eq!(list["translation"], json!(["[坏]", "[好]"]));
    assert_eq!(fake.finished(), 2);
    // Other options, another model.
    assert_eq!(
        ask(json!({"text": "好", "beam": 2})).await["translation"],
        "[好] with beam 2"
    );
    assert_eq!(fake.finished(), 3);
    state.set_model(fake.clone(), "fake", "2");
    ask(json!({"text": "好"})).await;
    assert_eq!(fake.finished(), 4);
    // What was cut short or failed is tried again.
    for finished in [5, 6] {
        assert_eq!(ask(json!({"text": "cut"})).await["truncated"], true);
        assert_eq!(fake.finished(), finished);
    }
    for _ in 0..2 {
        let answer = send(&router, post(r#"{"text": "panic"}"#)).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    }
}

#[tokio::test]
async fn a_new_model_does_not_disturb_requests_under_way() {
    let (old, new) = (Fake::default(), Fake::default());
    let state = state(&old, settings(1));
    let router = app(state.clone());
    let under_way = {
        let router = router.clone();
        tokio::spawn(async move { send(&router, post(r#"{"text": "work"}"#)).await })
    };
    until("running", || old.running() == 1).await;
    state.set_model(new.clone(), "new", "2");
    assert_eq!(send(&router, get("/health")).await.json()["model"], "new");
    old.release();
    assert_eq!(under_way.await.unwrap().status, StatusCode::OK);
    assert_eq!((old.finished(), new.finished()), (1, 0));
    send(&router, post(r#"{"text": "好"}"#)).await;
    assert_eq!((old.finished(), new.finished()), (1, 1));
    assert!(
        metrics(&router)
            .await
            .contains("csanmt_reloads_total{outcome=\"done\"} 1")
    );
}

#[tokio::test]
async fn a_wrong_baseline_is_explained_and_a_missing_one_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baseline.json");
    let with = |file: &std::path::Path| Settings {
        baseline: Some(file.to_owned()),
        ..settings(1)
    };
    std::fs::write(&file, "{}").unwrap();
    let error = AppState::new(Site::None, with(&file))
        .unwrap_err()
        .to_string();
    assert!(error.contains("no quality baseline"), "{error}");
    std::fs::remove_file(&file).unwrap();

    let router = app(state(&Fake::default(), with(&file)));
    let texts: Vec<String> = (0..1000).map(|number| format!("第{number}")).collect();
    let answer = send(&router, post_to("/translate", &json!({"text": texts}))).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(file.exists());
    let metrics = metrics(&router).await;
    assert!(
        metrics.contains("csanmt_quality_drift{statistic=\"length_ratio\"}"),
        "{metrics}"
    );
    assert!(
        metrics.contains("csanmt_quality_baseline{statistic=\"confidence\"}"),
        "{metrics}"
    );
}

#[tokio::test]
async fn head_requests_have_no_body() {
    let router = app(state(&Fake::default(), settings(1)));
    let answer = send(&router, request(axum::http::Method::HEAD, "/languages")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.body.is_empty());
}
