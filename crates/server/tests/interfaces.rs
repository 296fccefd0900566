//! The interfaces by what their clients send and read: one fixture a shape.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use csanmt_server::{Settings, app};
use serde_json::{Value, json};
use support::{Fake, form, get, post_to, router, send, settings, state};

/// The answer to a JSON body, which must be 200.
async fn ask(path: &str, body: Value) -> Value {
    let answer = send(&router(), post_to(path, &body)).await;
    assert_eq!(answer.status, StatusCode::OK, "{path} {body}: {answer:?}");
    answer.json()
}

/// Status and body of an answer.
async fn refused(request: Request<Body>) -> (u16, Value) {
    let answer = send(&router(), request).await;
    (answer.status.as_u16(), answer.json())
}

#[tokio::test]
async fn j1_libretranslate_json() {
    for (body, expected) in [
        (
            json!({"q": "你好", "source": "zh", "target": "en"}),
            json!({"translatedText": "[你好]"}),
        ),
        (
            json!({"q": ["你好", "", "再见"], "source": "zh-Hans", "target": "en", "format": "text"}),
            json!({"translatedText": ["[你好]", "", "[再见]"]}),
        ),
        (
            json!({"q": "我们今天去学校", "source": "auto", "target": "en", "api_key": ""}),
            json!({
                "translatedText": "[我们今天去学校]",
                "detectedLanguage": {"confidence": 94.0, "language": "zh-Hans"},
            }),
        ),
        (
            json!({"q": ["我们今天去学校"], "source": "auto", "target": "en"}),
            json!({
                "translatedText": ["[我们今天去学校]"],
                "detectedLanguage": [{"confidence": 94.0, "language": "zh-Hans"}],
            }),
        ),
        (
            json!({"q": "好", "source": "zh", "target": "en", "alternatives": 2}),
            json!({"translatedText": "[好]", "alternatives": ["[好1]", "[好2]"]}),
        ),
        (
            json!({"q": ["好"], "source": "zh", "target": "en", "alternatives": 1}),
            json!({"translatedText": ["[好]"], "alternatives": [["[好1]"]]}),
        ),
        (
            json!({"q": [], "source": "zh", "target": "en"}),
            json!({"translatedText": []}),
        ),
        (
            json!({"q": "  \n", "source": "zh", "target": "en"}),
            json!({"translatedText": "  \n"}),
        ),
        (
            json!({"q": "Hello", "source": "en", "target": "en"}),
            json!({"translatedText": "Hello"}),
        ),
    ] {
        assert_eq!(ask("/translate", body.clone()).await, expected, "{body}");
    }
}

#[tokio::test]
async fn j1_alternatives_are_capped() {
    let body = json!({"q": "好", "source": "zh", "target": "en", "alternatives": 1_000_000});
    let answer = ask("/translate", body).await;
    assert_eq!(answer["alternatives"].as_array().unwrap().len(), 7);
}

#[tokio::test]
async fn j1_libretranslate_forms() {
    let q = "q=%E4%BD%A0%E5%A5%BD+%2B&source=zh&target=en&format=text&alternatives=1&api_key=";
    let answer = send(&router(), form("/translate", q)).await;
    let expected = json!({"translatedText": "[你好 +]", "alternatives": ["[你好 +1]"]});
    assert_eq!(answer.json(), expected);
    let several = "q=%E4%BD%A0&q=%E5%A5%BD&source=zh&target=en";
    let answer = send(&router(), form("/translate", several)).await;
    assert_eq!(answer.json(), json!({"translatedText": ["[你]", "[好]"]}));
    let parts = "--x\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n你好\r\n\
                 --x\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nzh\r\n\
                 --x\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nen\r\n--x--\r\n";
    let request = Request::post("/translate")
        .header("content-type", "multipart/form-data; boundary=x")
        .body(Body::from(parts))
        .unwrap();
    let answer = send(&router(), request).await;
    assert_eq!(answer.json(), json!({"translatedText": "[你好]"}));
}

#[tokio::test]
async fn j1_libretranslate_errors_have_the_words_that_clients_compare() {
    for (body, error) in [
        (
            json!({"source": "zh", "target": "en"}),
            "Invalid request: missing q parameter",
        ),
        (
            json!({"q": null, "source": "zh", "target": "en"}),
            "Invalid request: missing q parameter",
        ),
        (
            json!({"q": "好", "target": "en"}),
            "Invalid request: missing source parameter",
        ),
        (
            json!({"q": "好", "source": "zh"}),
            "Invalid request: missing target parameter",
        ),
        (
            json!({"q": "好", "source": "xx", "target": "en"}),
            "xx is not supported",
        ),
        (
            json!({"q": "好", "source": "zh", "target": "fr"}),
            "fr is not supported",
        ),
        (
            json!({"q": 3, "source": "zh", "target": "en"}),
            "expected {\"q\"",
        ),
        (
            json!({"q": "好", "source": "zh", "target": "en", "format": "pdf"}),
            "pdf format is not supported",
        ),
    ] {
        let (status, answer) = refused(post_to("/translate", &body)).await;
        assert_eq!(status, 400, "{body}");
        let found = answer["error"].as_str().unwrap();
        assert!(found.starts_with(error), "{found}");
    }
    let (status, answer) = refused(form("/translate", "source=zh&target=en")).await;
    assert_eq!(status, 400);
    assert_eq!(answer["error"], "Invalid request: missing q parameter");

    let limited = Settings {
        characters: std::num::NonZero::new(3),
        texts: 2,
        ..settings(1)
    };
    let router = app(state(&Fake::default(), limited));
    let four = json!({"q": "一二三四", "source": "zh", "target": "en"});
    let answer = send(&router, post_to("/translate", &four)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(
        answer.error(),
        "Invalid request: request (4) exceeds text limit (3)"
    );
    let three = json!({"q": ["一", "二", "三"], "source": "zh", "target": "en"});
    let answer = send(&router, post_to("/translate", &three)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let answer = send(&router, post_to("/translate", &json!({"text": "一二三四"}))).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn j1_languages_detection_and_settings() {
    let languages = send(&router(), get("/languages")).await.json();
    assert_eq!(
        languages,
        json!([
            {"code": "zh-Hans", "name": "Chinese", "targets": ["en", "zh-Hans"]},
            {"code": "zh-Hant", "name": "Chinese (traditional)", "targets": ["en", "zh-Hant"]},
            {"code": "en", "name": "English", "targets": ["en"]},
        ])
    );
    let guess = ask("/detect", json!({"q": "Hello there, all of you"})).await;
    assert_eq!(guess, json!([{"confidence": 97.0, "language": "en"}]));
    let guesses = ask("/detect", json!({"q": ["請問", "これは"]})).await;
    assert_eq!(guesses[0][0]["language"], "zh-Hant");
    assert_eq!(guesses[1][0]["language"], "ja");
    let mtran = ask("/detect", json!({"text": "你好"})).await;
    assert_eq!(mtran, json!({"language": "zh-Hans"}));
    let answer = send(&router(), form("/detect", "q=%E4%BD%A0")).await;
    assert_eq!(answer.json()[0]["language"], "zh-Hans");
    let (status, error) = refused(post_to("/detect", &json!({}))).await;
    assert_eq!(
        (status, &error["error"]),
        (400, &json!("Invalid request: missing q parameter"))
    );

    let settings = send(&router(), get("/frontend/settings")).await.json();
    assert_eq!(settings["charLimit"], -1);
    assert_eq!(settings["keyRequired"], false);
    assert_eq!(settings["language"]["source"]["code"], "zh-Hans");
    assert!(
        settings["supportedFilesFormat"]
            .as_array()
            .unwrap()
            .contains(&json!(".txt"))
    );
}

fn upload(name: &str, content: &str) -> Request<Body> {
    let body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nzh\r\n\
         --x\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nen\r\n\
         --x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n{content}\r\n--x--\r\n"
    );
    Request::post("/translate_file")
        .header("content-type", "multipart/form-data; boundary=x")
        .header("host", "translate.example:5000")
        .body(Body::from(body))
        .unwrap()
}

#[tokio::test]
async fn j1_a_file_is_translated_and_fetched() {
    let router = router();
    let answer = send(&router, upload("../../etc/名.TXT", "你好\n")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let json = answer.json();
    let url = json["translatedFileUrl"].as_str().unwrap();
    let path = url.strip_prefix("http://translate.example:5000").unwrap();
    assert!(path.starts_with("/download_file/") && path.ends_with(".txt"));
    let file = send(&router, get(path)).await;
    assert_eq!(file.status, StatusCode::OK);
    assert_eq!(String::from_utf8(file.body.clone()).unwrap(), "[你好]\n");
    assert!(file.header("content-disposition").starts_with("attachment"));
    for wrong in [
        "/download_file/x.txt",
        "/download_file/..%2f..%2fetc%2fpasswd",
    ] {
        let answer = send(&router, get(wrong)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        assert!(answer.error().contains("10 minutes"));
    }
    // Every kind of file that the documents crate reads.
    let subtitles = "1\n00:00:01,000 --> 00:00:02,000\n你好\n";
    let answer = send(&router, upload("a.srt", subtitles)).await.json();
    let url = answer["translatedFileUrl"].as_str().unwrap();
    let path = url.strip_prefix("http://translate.example:5000").unwrap();
    assert!(path.ends_with(".srt"), "{path}");
    let file = send(&router, get(path)).await;
    let expected = "1\n00:00:01,000 --> 00:00:02,000\n[你好]\n";
    assert_eq!(String::from_utf8(file.body).unwrap(), expected);
    let (status, error) = refused(upload("a.json", "{\"a\": ")).await;
    assert_eq!(status, 400);
    assert!(
        error["error"].as_str().unwrap().contains("line 1"),
        "{error}"
    );
    let (status, error) = refused(upload("x.pdf", "%PDF-1.7\n")).await;
    assert_eq!(status, 400);
    assert!(
        error["error"]
            .as_str()
            .unwrap()
            .contains("is not supported"),
        "{error}"
    );
    let none = Request::post("/translate_file")
        .header("content-type", "multipart/form-data; boundary=x")
        .body(Body::from("--x--\r\n"))
        .unwrap();
    let (status, error) = refused(none).await;
    assert_eq!(
        (status, &error["error"]),
        (400, &json!("Invalid request: missing file parameter"))
    );
}

#[tokio::test]
async fn j3_whatever_comes_is_answered_with_a_json_error() {
    let paths = [
        "/translate",
        "/detect",
        "/translate_file",
        "/translate/batch",
        "/imme",
        "/kiss",
        "/hcfy",
        "/deepl",
        "/v2/translate",
        "/deeplx",
        "/v1/translate",
        "/google/language/translate/v2",
        "/v1/chat/completions",
    ];
    let bodies: [&[u8]; 12] = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b"{\"text\": \"\xc4\xe3\"}",
        b"{\"text\": 3, \"q\": {}, \"texts\": [1], \"messages\": [[]]}",
        b"{\"text\": null, \"texts\": null, \"text_list\": [null], \"messages\": null}",
        b"{\"text\": \"\\ud800\"}",
        b"--x",
        b"a=%ff&b=%zz",
    ];
    let types = [
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "text/plain",
        "",
    ];
    let router = router();
    for path in paths {
        for body in bodies {
            for kind in types {
                let request = Request::post(path)
                    .header("content-type", kind)
                    .body(Body::from(body))
                    .unwrap();
                let answer = send(&router, request).await;
                let status = answer.status;
                assert!(status.is_client_error(), "{path} {kind} {body:?}: {status}");
                let json = answer.json();
                let error = json.get("error").or(json.get("message"));
                assert!(error.is_some(), "{path}: {json}");
            }
        }
        let wrong = Request::delete(path).body(Body::empty()).unwrap();
        let answer = send(&router, wrong).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(answer.header("allow"), "POST");
        assert!(answer.json().is_object());
    }
}

#[tokio::test]
async fn j4_one_bad_text_does_not_fail_the_others() {
    let answer = ask("/translate", json!({"text": ["好", "panic", "", "坏"]})).await;
    assert_eq!(answer["translation"], json!(["[好]", "panic", "", "[坏]"]));
    let body = json!({"source_lang": "en", "target_lang": "en", "text_list": ["好", "panic"]});
    let answer = ask("/imme", body).await;
    assert_eq!(answer["translations"][0]["text"], "[好]");
    assert_eq!(answer["translations"][1]["text"], "panic");
    // Alone it is an error.
    let (status, _) = refused(post_to("/translate", &json!({"text": ["panic"]}))).await;
    assert_eq!(status, 500);
}

#[tokio::test]
async fn j4_lists_keep_length_and_order() {
    let texts: Vec<String> = (0..200)
        .map(|number| {
            if number % 7 == 0 {
                String::new()
            } else {
                format!("第{number}")
            }
        })
        .collect();
    let answer = ask(
        "/translate/batch",
        json!({"from": "zh", "to": "en", "texts": texts}),
    )
    .await;
    let expected = texts.iter().map(|text| match text.is_empty() {
        true => String::new(),
        false => format!("[{text}]"),
    });
    assert_eq!(answer["results"], json!(expected.collect::<Vec<_>>()));
}

#[tokio::test]
async fn j6_mtranserver_and_linguaspark() {
    let answer = ask(
        "/translate",
        json!({"from": "zh-Hans", "to": "en", "text": "你好"}),
    )
    .await;
    let expected = json!({"result": "[你好]", "text": "[你好]", "from": "zh-Hans", "to": "en"});
    assert_eq!(answer, expected);
    let auto = ask(
        "/translate",
        json!({"to": "en", "text": "請問", "html": false}),
    )
    .await;
    assert_eq!(auto["from"], "zh-Hant");
    let (status, error) = refused(post_to("/translate", &json!({"from": "ja", "text": "x"}))).await;
    assert_eq!(status, 400);
    assert_eq!(error["error"], "Bad Request");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("ja is not supported")
    );
    let version = send(&router(), get("/version")).await.json();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    for path in ["/__heartbeat__", "/__lbheartbeat__", "/live"] {
        assert_eq!(send(&router(), get(path)).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn j6_immersive_translate() {
    let body = json!({
        "source_lang": "de", "target_lang": "en", "text_list": ["你好", "", "Hello"],
    });
    let expected = json!({"translations": [
        {"detected_source_lang": "zh-CN", "text": "[你好]"},
        {"detected_source_lang": "en", "text": ""},
        {"detected_source_lang": "en", "text": "[Hello]"},
    ]});
    assert_eq!(ask("/imme", body).await, expected);
}

#[tokio::test]
async fn j6_kiss_translator() {
    let single = ask("/kiss", json!({"from": "auto", "to": "en", "text": "你好"})).await;
    assert_eq!(single, json!({"text": "[你好]", "src": "zh-Hans"}));
    let several = ask(
        "/kiss",
        json!({"from": "zh-CN", "to": "en", "texts": ["你", "好"]}),
    )
    .await;
    let expected = json!({"translations": [
        {"text": "[你]", "src": "zh-Hans"}, {"text": "[好]", "src": "zh-Hans"},
    ]});
    assert_eq!(several, expected);
}

#[tokio::test]
async fn j6_hcfy() {
    let body = json!({
        "name": "csanmt", "text": "你好\n世界", "destination": ["中文(简体)", "英语"],
    });
    let expected = json!({
        "text": "你好\n世界", "from": "中文(简体)", "to": "英语", "result": ["[你好]", "[世界]"],
    });
    assert_eq!(ask("/hcfy", body).await, expected);
    let body =
        json!({"text": "你好", "destination": ["英语", "中文(简体)"], "source": "中文(简体)"});
    assert_eq!(ask("/hcfy", body).await["result"], json!(["[你好]"]));
}

#[tokio::test]
async fn j6_deepl() {
    let body = json!({"text": ["你好", "世界"], "target_lang": "EN-US", "source_lang": "ZH"});
    let expected = json!({"translations": [
        {"detected_source_language": "ZH", "text": "[你好]"},
        {"detected_source_language": "ZH", "text": "[世界]"},
    ]});
    for path in ["/v2/translate", "/deepl"] {
        assert_eq!(ask(path, body.clone()).await, expected);
    }
    let encoded = "text=%E4%BD%A0%E5%A5%BD&text=%E4%B8%96%E7%95%8C&target_lang=EN-GB";
    let answer = send(&router(), form("/v2/translate", encoded)).await;
    assert_eq!(answer.json(), expected);
    let single = json!({"text": "你好", "target_lang": "EN", "show_billed_characters": true});
    let answer = ask("/v2/translate", single).await;
    assert_eq!(answer["translations"][0]["billed_characters"], 2);
    for (body, message) in [
        (json!({"text": ["好"]}), "missing target_lang parameter"),
        (json!({"target_lang": "EN"}), "missing text parameter"),
        (
            json!({"text": ["好"], "target_lang": "DE"}),
            "DE is not supported",
        ),
        (
            json!({"text": ["好"], "target_lang": "EN", "glossary_id": "x"}),
            "glossary_id",
        ),
    ] {
        let (status, error) = refused(post_to("/v2/translate", &body)).await;
        assert_eq!(status, 400);
        assert!(
            error["message"].as_str().unwrap().contains(message),
            "{error}"
        );
    }
    let sources = send(&router(), get("/v2/languages?type=source"))
        .await
        .json();
    assert_eq!(sources, json!([{"language": "ZH", "name": "Chinese"}]));
    let targets = send(&router(), get("/v2/languages?type=target"))
        .await
        .json();
    assert_eq!(targets[0]["language"], "EN-US");
    assert_eq!(targets[0]["supports_formality"], false);
    // DeepL's own client sends a form with GET.
    let mut request = form("/v2/languages", "type=target");
    *request.method_mut() = axum::http::Method::GET;
    assert_eq!(send(&router(), request).await.json(), targets);
    let usage = send(&router(), get("/v2/usage")).await.json();
    assert_eq!(usage["character_count"], 0);
    assert!(usage["character_limit"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn j6_deeplx() {
    let body = json!({"text": "你好", "source_lang": "ZH", "target_lang": "EN"});
    for path in ["/deeplx", "/v1/translate", "/translate"] {
        let answer = ask(path, body.clone()).await;
        assert_eq!(answer["code"], 200);
        assert_eq!(answer["data"], "[你好]");
        assert_eq!(
            answer["alternatives"],
            json!(["[你好1]", "[你好2]", "[你好3]"])
        );
        assert_eq!(answer["source_lang"], "ZH");
        assert_eq!(answer["target_lang"], "EN");
        assert_eq!(answer["method"], "Free");
        assert!(answer["id"].is_u64());
    }
    let wrong = json!({"text": "你好", "source_lang": "ZH", "target_lang": "XX"});
    let (status, error) = refused(post_to("/deeplx", &wrong)).await;
    assert_eq!((status, &error["code"]), (400, &json!(400)));
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("XX is not supported")
    );
}

#[tokio::test]
async fn j6_google() {
    let body = json!({"q": ["你好"], "target": "en", "format": "text"});
    let expected = json!({"data": {"translations": [
        {"translatedText": "[你好]", "detectedSourceLanguage": "zh-CN"},
    ]}});
    for path in ["/google/language/translate/v2", "/language/translate/v2"] {
        assert_eq!(ask(path, body.clone()).await, expected);
    }
    let query = "/language/translate/v2?q=%E4%BD%A0&source=zh-CN&target=en&key=x";
    let request = Request::post(query).body(Body::empty()).unwrap();
    let answer = send(&router(), request).await;
    let expected = json!({"data": {"translations": [{"translatedText": "[你]"}]}});
    assert_eq!(answer.json(), expected);
    let (status, error) = refused(post_to(
        "/language/translate/v2",
        &json!({"q": "好", "target": "xx"}),
    ))
    .await;
    assert_eq!((status, &error["error"]["code"]), (400, &json!(400)));

    let single = "/google/translate_a/single?client=gtx&sl=auto&tl=en&dt=t&q=%E4%BD%A0%E5%A5%BD";
    let answer = send(&router(), get(single)).await.json();
    assert_eq!(answer[0][0][0], "[你好]");
    assert_eq!(answer[0][0][1], "你好");
    assert_eq!(answer[2], "zh-CN");
    let named = send(&router(), get(&format!("{single}&dj=1"))).await.json();
    assert_eq!(named["sentences"][0]["trans"], "[你好]");
    assert_eq!(named["src"], "zh-CN");
}

#[tokio::test]
async fn j6_chat_completions() {
    let body = json!({
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "You are a translator."},
            {"role": "user", "content": "早"},
            {"role": "assistant", "content": "Morning."},
            {"role": "user", "content": [{"type": "text", "text": "你好"}]},
        ],
    });
    let answer = ask("/v1/chat/completions", body).await;
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(
        answer["choices"],
        json!([{
            "index": 0,
            "message": {"role": "assistant", "content": "[你好]"},
            "finish_reason": "stop",
        }])
    );
    let cut = json!({"messages": [{"role": "user", "content": "cut"}]});
    let answer = ask("/v1/chat/completions", cut).await;
    assert_eq!(answer["choices"][0]["finish_reason"], "length");
    let nobody = json!({"messages": [{"role": "system", "content": "x"}]});
    let (status, error) = refused(post_to("/v1/chat/completions", &nobody)).await;
    assert_eq!(status, 400);
    assert_eq!(error["error"]["type"], "invalid_request_error");
    let models = send(&router(), get("/v1/models")).await.json();
    assert_eq!(models["data"][0]["id"], "fake");
}

#[tokio::test]
async fn every_path_is_described_and_every_description_is_a_path() {
    let api = send(&router(), get("/openapi.json")).await.json();
    assert!(api["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = api["paths"].as_object().unwrap();
    assert!(paths.len() > 20, "{}", paths.len());
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{name}", "x");
            let request = Request::builder()
                .method(method.to_uppercase().as_str())
                .uri(&path)
                .body(Body::empty())
                .unwrap();
            let answer = send(&router(), request).await;
            assert_ne!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
            let missing = answer.status == StatusCode::NOT_FOUND;
            assert_eq!(missing, path.starts_with("/download_file"), "{path}");
        }
    }
    // Every reference leads somewhere.
    let text = api.to_string();
    for part in text.split("\"$ref\":\"#").skip(1) {
        let pointer = part.split('"').next().unwrap();
        assert!(api.pointer(pointer).is_some(), "{pointer}");
    }
    let page = send(&router(), get("/docs")).await;
    let html = String::from_utf8(page.body).unwrap();
    for path in paths.keys() {
        assert!(html.contains(path.as_str()), "{path}");
    }
    assert!(!html.contains("<script") && !html.contains("style="));
    // It can be read without a network, and says what each client of /translate sends.
    assert!(
        !html.contains("http:") && !html.contains("https:"),
        "{html}"
    );
    for fields in ["beam?", "q, source, target", "source_lang?", "from?"] {
        assert!(html.contains(fields), "{fields}: {html}");
    }
    assert!(!html.contains('`'), "{html}");
}

#[tokio::test]
async fn j1_j6_html_is_translated_as_html_in_every_interface_that_has_it() {
    let page = "<p>你好</p>";
    let translated = "<<p>你好</p>>";
    for (path, body, place) in [
        (
            "/translate",
            json!({"text": page, "html": true}),
            "/translation",
        ),
        (
            "/translate",
            json!({"text": page, "format": "html"}),
            "/translation",
        ),
        (
            "/translate",
            json!({"text": [page], "format": "html"}),
            "/translation/0",
        ),
        (
            "/translate",
            json!({"q": page, "source": "zh", "target": "en", "format": "html"}),
            "/translatedText",
        ),
        (
            "/translate",
            json!({"q": [page], "source": "zh", "target": "en", "format": "html"}),
            "/translatedText/0",
        ),
        (
            "/translate",
            json!({"text": page, "from": "zh", "to": "en", "html": true}),
            "/result",
        ),
        (
            "/translate",
            json!({"text": page, "source_lang": "ZH", "target_lang": "EN", "tag_handling": "html"}),
            "/data",
        ),
        (
            "/translate/batch",
            json!({"texts": [page], "from": "zh", "to": "en", "html": true}),
            "/results/0",
        ),
        (
            "/deeplx",
            json!({"text": page, "source_lang": "ZH", "target_lang": "EN", "tag_handling": "xml"}),
            "/data",
        ),
        (
            "/v2/translate",
            json!({"text": [page], "target_lang": "EN", "tag_handling": "html"}),
            "/translations/0/text",
        ),
        (
            "/v2/translate",
            json!({"text": [page], "target_lang": "EN", "tag_handling": "xml"}),
            "/translations/0/text",
        ),
        (
            "/deepl",
            json!({"text": page, "target_lang": "EN", "tag_handling": "html"}),
            "/translations/0/text",
        ),
        (
            "/language/translate/v2",
            json!({"q": page, "target": "en", "format": "html"}),
            "/data/translations/0/translatedText",
        ),
        (
            "/google/language/translate/v2",
            json!({"q": [page], "target": "en", "format": "html"}),
            "/data/translations/0/translatedText",
        ),
    ] {
        let answer = ask(path, body.clone()).await;
        let found = answer.pointer(place).and_then(Value::as_str);
        assert_eq!(found, Some(translated), "{path} {body}: {answer}");
    }
    let form_body = "q=%3Cb%3E&source=zh&target=en&format=html";
    let answer = send(&router(), form("/translate", form_body)).await;
    assert_eq!(answer.json(), json!({"translatedText": "<<b>>"}));
    let body = json!({"text": "# 你好", "format": "markdown"});
    assert_eq!(ask("/translate", body).await["translation"], "*# 你好*");
    let request = post_to("/translate", &json!({"text": "好", "format": "rtf"}));
    assert_eq!(
        refused(request).await,
        (400, json!({"error": "rtf format is not supported"}))
    );
}

#[tokio::test]
async fn b12_m6_glossaries_and_prefixes_reach_the_translator_in_our_own_interface() {
    for (body, expected) in [
        (
            json!({"text": "你好", "glossary": {"好": "good", "你": "thou"}}),
            "[你好] 你=thou 好=good",
        ),
        (
            json!({"text": "你好", "glossary": "好\tgood\n"}),
            "[你好] 好=good",
        ),
        (
            json!({"text": "你好", "keep": ["微信"]}),
            "[你好] 微信=微信",
        ),
        (
            json!({"text": "你好", "keep": "微信", "glossary": {"微信": "WeChat"}}),
            "[你好] 微信=WeChat",
        ),
        (
            json!({"text": "你好", "glossary": {}, "keep": []}),
            "[你好]",
        ),
        (json!({"text": "你好", "prefix": "Hell"}), "Hell[你好]"),
        (json!({"text": "你好", "prefix": ""}), "[你好]"),
    ] {
        assert_eq!(
            ask("/translate", body.clone()).await["translation"],
            expected,
            "{body}"
        );
    }
    for (body, words) in [
        (
            json!({"text": "好", "glossary": "好"}),
            "glossary: line 1: 1 field(s)",
        ),
        (
            json!({"text": "好", "glossary": {"好": " "}}),
            "glossary: a term or its translation is empty",
        ),
        (
            json!({"text": "好", "glossary": [1]}),
            "an object of terms and translations",
        ),
        (
            json!({"text": "好", "keep": ["长".repeat(600)]}),
            "keep: longer than 512 bytes",
        ),
        (
            json!({"text": ["好"], "prefix": "Hi"}),
            "prefix is for a single text",
        ),
    ] {
        let (status, answer) = refused(post_to("/translate", &body)).await;
        assert_eq!(status, 422, "{body}: {answer}");
        assert!(
            answer["error"].as_str().unwrap().contains(words),
            "{body}: {answer}"
        );
    }
    // As events, too.
    let body = json!({"text": "你好", "glossary": {"好": "good"}, "stream": true});
    let answer = send(&router(), post_to("/translate", &body)).await;
    let events = String::from_utf8(answer.body).unwrap();
    assert!(
        events.contains("event: done\ndata: {\"translation\":\"[你好] 好=good\"}"),
        "{events}"
    );
}
