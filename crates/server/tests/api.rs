//! The API by its contract: every status and the body that goes with it.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Method, Request, StatusCode};
use csanmt_server::{Settings, app};
use http_body_util::Full;
use hyper::body::Frame;
use support::{Fake, get, post, request, router, send, settings, state};

#[tokio::test]
async fn translates() {
    let answer = send(&router(), post(r#"{"text": "你好\n世界"}"#)).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.json(),
        serde_json::json!({"translation": "[你好\n世界]"})
    );
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[tokio::test]
async fn passes_the_beam_on_and_ignores_unknown_fields() {
    let body = r#"{"text": "好", "beam": 8, "source": "zh", "nested": {"a": [1]}}"#;
    let answer = send(&router(), post(body)).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.json()["translation"], "[好] with beam 8");
}

#[tokio::test]
async fn rejects_a_beam_out_of_range() {
    for beam in ["0", "9", "18446744073709551615", "-1", "1.0", "1.5"] {
        let body = format!(r#"{{"text": "好", "beam": {beam}}}"#);
        let answer = send(&router(), post(body)).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{beam}");
        assert_eq!(
            answer.error(),
            format!("beam must be a whole number from 1 to 8, found {beam}")
        );
    }
    for beam in ["\"4\"", "true", "[1]", "{}"] {
        let body = format!(r#"{{"text": "好", "beam": {beam}}}"#);
        let answer = send(&router(), post(body)).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{beam}");
        let expected = "beam must be a whole number from 1 to 8";
        assert_eq!(answer.error(), expected, "{beam}");
    }
}

#[tokio::test]
async fn a_list_gives_a_list_of_the_same_length_and_order() {
    for (body, translation) in [
        (r#"{"text": ["一", "二\n三"]}"#, vec!["[一]", "[二\n三]"]),
        (
            r#"{"text": ["", "一", "\u200b \n", "二", ""]}"#,
            vec!["", "[一]", "", "[二]", ""],
        ),
        (r#"{"text": ["", " "]}"#, vec!["", ""]),
        (r#"{"text": []}"#, vec![]),
    ] {
        let answer = send(&router(), post(body)).await;
        assert_eq!(answer.status, StatusCode::OK, "{body}");
        let expected = serde_json::json!({ "translation": translation });
        assert_eq!(answer.json(), expected);
    }
}

#[tokio::test]
async fn says_when_a_sentence_was_cut_short() {
    for (body, expected) in [
        (
            r#"{"text": "cut 好"}"#,
            serde_json::json!({"translation": "[cut 好]", "truncated": true}),
        ),
        (
            r#"{"text": ["好", "cut"]}"#,
            serde_json::json!({"translation": ["[好]", "[cut]"], "truncated": true}),
        ),
    ] {
        let answer = send(&router(), post(body)).await;
        assert_eq!(answer.json(), expected);
    }
}

#[tokio::test]
async fn accepts_a_byte_order_mark() {
    let answer = send(&router(), post("\u{feff}{\"text\": \"好\"}")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.json()["translation"], "[好]");
}

#[tokio::test]
async fn an_unpaired_surrogate_is_explained() {
    for text in [r"\ud800", r"\ud800好", r"\ud83d\u0041", r"\udc00"] {
        let answer = send(&router(), post(format!(r#"{{"text": "{text}"}}"#))).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{text}");
        let error = answer.error();
        assert!(error.contains("unpaired surrogate at line 1"), "{error}");
    }
    let answer = send(&router(), post(r#"{"text": "\ud83d\ude00"}"#)).await;
    assert_eq!(answer.json()["translation"], "[😀]");
}

#[tokio::test]
async fn rejects_blank_text() {
    for text in [
        "",
        " ",
        r"\n\n",
        r"\t\u3000\u00a0",
        r"\u0000\u001e",
        r"\u200b\u200d\ufeff\u00ad",
        r"\u2800",
    ] {
        let answer = send(&router(), post(format!(r#"{{"text": "{text}"}}"#))).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{text}");
        assert_eq!(answer.error(), "Empty input");
    }
}

#[tokio::test]
async fn rejects_what_is_not_json() {
    let deep = "[".repeat(100_000);
    let deep_field = format!(r#"{{"a": {deep}"#);
    for body in [
        "",
        "{",
        &deep_field,
        "text=你好",
        r#"{"text": "好"} x"#,
        r#"{"text": "\ud800"}"#,
        &deep,
    ] {
        let answer = send(&router(), post(body.to_owned())).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body:.20}");
        assert!(answer.error().starts_with("the body is not valid JSON: "));
    }
}

#[tokio::test]
async fn rejects_missing_fields_and_wrong_types() {
    for body in [
        "{}",
        "[]",
        r#"["好", null]"#,
        "null",
        "3",
        r#""text""#,
        r#"{"text": 3}"#,
        r#"{"text": null}"#,
        r#"{"text": ["好", 3]}"#,
        r#"{"text": ["好", ["好"]]}"#,
        r#"{"text": [null]}"#,
        r#"{"text": {"a": "好"}}"#,
        r#"{"Text": "好"}"#,
        r#"{"text": "好", "text": "好"}"#,
    ] {
        let answer = send(&router(), post(body)).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        let error = answer.error();
        assert!(error.starts_with(r#"expected {"text": "…"}: "#), "{error}");
    }
}

#[tokio::test]
async fn rejects_invalid_utf8() {
    let gb18030 = b"{\"text\": \"\xc4\xe3\xba\xc3\"}".as_slice();
    let answer = send(&router(), post(gb18030)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.error().contains("not valid UTF-8 (byte 10)"));
}

#[tokio::test]
async fn rejects_a_large_body_whether_its_length_is_declared_or_not() {
    let settings = Settings {
        body_bytes: 64,
        ..settings(1)
    };
    let router = app(state(&Fake::default(), settings));
    let body = |filling: usize| format!(r#"{{"text": "{}"}}"#, "a".repeat(filling));
    assert_eq!(body(52).len(), 64);
    assert_eq!(send(&router, post(body(52))).await.status, StatusCode::OK);

    let declared = send(&router, post(body(53))).await;
    assert_eq!(declared.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(declared.error().contains("larger than 64 bytes"));

    let stream = Body::new(UnknownLength(Full::from(body(53))));
    let undeclared = send(&router, post(stream)).await;
    assert_eq!(undeclared.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_body_that_never_ends_is_408() {
    let settings = Settings {
        stall: Duration::from_millis(50),
        ..settings(1)
    };
    let router = app(state(&Fake::default(), settings));
    let answer = send(&router, post(Body::new(Endless))).await;
    assert_eq!(answer.status, StatusCode::REQUEST_TIMEOUT);
    assert!(answer.error().contains("did not arrive"));
}

/// A client that has stopped sending.
struct Endless;

impl HttpBody for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

/// A body that does not say beforehand how long it is, as with chunked transfer.
struct UnknownLength(Full<Bytes>);

impl HttpBody for UnknownLength {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.0).poll_frame(context)
    }
}

#[tokio::test]
async fn accepts_json_types_and_none() {
    for content_type in [
        None,
        Some("application/json"),
        Some("Application/JSON; charset=utf-8"),
        Some("application/vnd.api+json"),
        Some(""),
    ] {
        let mut request = Request::post("/translate");
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let request = request.body(Body::from(r#"{"text": "好"}"#)).unwrap();
        let answer = send(&router(), request).await;
        assert_eq!(answer.status, StatusCode::OK, "{content_type:?}");
    }
}

#[tokio::test]
async fn explains_what_is_wrong_with_the_content_type() {
    for content_type in ["text/plain", "application/xml", "image/png"] {
        let request = Request::post("/translate")
            .header("content-type", content_type)
            .body(Body::from(r#"{"text": "好"}"#))
            .unwrap();
        let answer = send(&router(), request).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
        let error = answer.error();
        assert!(error.contains(content_type), "{error}");
        assert!(
            error.contains("-H 'Content-Type: application/json'"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn json_declared_as_a_form_is_json() {
    // What `curl -d` sends by itself.
    let request = Request::post("/translate")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(r#" {"text": "好"}"#))
        .unwrap();
    let answer = send(&router(), request).await;
    assert_eq!(answer.json()["translation"], "[好]");
}

#[tokio::test]
async fn rejects_a_compressed_body() {
    let mut request = post("x");
    request
        .headers_mut()
        .insert("content-encoding", "gzip".parse().unwrap());
    let answer = send(&router(), request).await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(answer.error().contains("gzip"));
}

#[tokio::test]
async fn health_names_model_and_version() {
    let answer = send(&router(), get("/health")).await;
    assert_eq!(answer.status, StatusCode::OK);
    let expected = serde_json::json!({
        "status": "ok", "model": "fake", "version": env!("CARGO_PKG_VERSION")
    });
    assert_eq!(answer.json(), expected);
    let head = send(&router(), request(Method::HEAD, "/health")).await;
    assert_eq!(head.status, StatusCode::OK);
    assert!(head.body.is_empty());
}

#[tokio::test]
async fn unknown_paths_are_404() {
    for path in [
        "/nothing",
        "/translate/",
        "/health/x",
        "//",
        "/%2e%2e/x",
        "/%00",
        "/%ff",
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let answer = send(&router(), request(method.clone(), path)).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method} {path}");
            assert!(answer.error().contains("POST /translate"));
        }
    }
}

#[tokio::test]
async fn wrong_methods_are_405_and_name_the_right_ones() {
    for (method, path, allowed) in [
        (Method::GET, "/translate", "POST"),
        (Method::PUT, "/translate", "POST"),
        (Method::POST, "/health", "GET, HEAD"),
        (Method::DELETE, "/", "GET, HEAD"),
    ] {
        let answer = send(&router(), request(method.clone(), path)).await;
        assert_eq!(
            answer.status,
            StatusCode::METHOD_NOT_ALLOWED,
            "{method} {path}"
        );
        assert_eq!(
            answer.header("allow").replace(',', ", ").replace("  ", " "),
            allowed
        );
        assert!(answer.error().contains(allowed));
    }
}

#[tokio::test]
async fn a_panic_is_500_and_the_thread_goes_on() {
    let router = router();
    for _ in 0..3 {
        let answer = send(&router, post(r#"{"text": "panic"}"#)).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(answer.error(), "internal error; the server's log says more");
    }
    let answer = send(&router, post(r#"{"text": "好"}"#)).await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test]
async fn any_origin_may_call() {
    let mut request = post(r#"{"text": "好"}"#);
    let origin = "https://reader.example".parse().unwrap();
    request.headers_mut().insert("origin", origin);
    let answer = send(&router(), request).await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");

    // Errors must be readable too.
    let mut request = post("{");
    let origin = "chrome-extension://abcdef".parse().unwrap();
    request.headers_mut().insert("origin", origin);
    let answer = send(&router(), request).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
}

#[tokio::test]
async fn answers_preflights_also_from_public_pages() {
    let preflight = Request::options("/translate")
        .header("origin", "https://reader.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type, x-own")
        .header("access-control-request-private-network", "true")
        .body(Body::empty())
        .unwrap();
    let answer = send(&router(), preflight).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert!(
        answer
            .header("access-control-allow-methods")
            .contains("POST")
    );
    let headers = answer.header("access-control-allow-headers");
    assert_eq!(headers, "content-type, x-own");
    assert_eq!(
        answer.header("access-control-allow-private-network"),
        "true"
    );
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    for request in [get("/"), get("/health"), get("/nothing"), post("{")] {
        let answer = send(&router(), request).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with(
            "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
             style-src 'self'; img-src 'self' data:; connect-src 'self'"
        ));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
    }
}
