//! The page's files: from a folder, from the program, and when there are none.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Method, Request, StatusCode};
use csanmt_server::{AppState, Asset, Assets, Site, app};
use support::{Fake, get, request, router, send, settings};

const FILES: [(&str, &str, &str); 5] = [
    ("index.html", "<p>page", "text/html"),
    ("lib/worker.js", "onmessage", "text/javascript"),
    ("lib/engine.wasm", "\0asm", "application/wasm"),
    ("manifest.json", "{}", "application/json"),
    (
        "models/m.safetensors",
        "0123456789",
        "application/octet-stream",
    ),
];

struct Memory;

impl Assets for Memory {
    fn asset(&self, path: &str) -> Option<Asset> {
        let (_, content, _) = FILES.iter().find(|(name, ..)| *name == path)?;
        Some(Asset {
            content: Bytes::from_static(content.as_bytes()),
            hash: format!("{:x}", content.len()),
        })
    }
}

fn with_site(site: Site) -> Router {
    let state = AppState::new(site, settings(1)).unwrap();
    state.set_model(Fake::default(), "fake", "1");
    app(state)
}

/// The same files in both forms; the folder lies beside a file that must stay unreachable.
fn both() -> (tempfile::TempDir, [Router; 2]) {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("site");
    for (name, content, _) in FILES {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    std::fs::write(outer.path().join("secret"), "secret").unwrap();
    let routers = [
        with_site(Site::Directory(folder)),
        with_site(Site::Embedded(Box::new(Memory))),
    ];
    (outer, routers)
}

#[tokio::test]
async fn files_have_type_length_and_revalidation() {
    let (_folder, routers) = both();
    for router in routers {
        for (name, content, content_type) in FILES {
            let answer = send(&router, get(&format!("/{name}"))).await;
            assert_eq!(answer.status, StatusCode::OK, "{name}");
            assert_eq!(answer.body, content.as_bytes());
            assert_eq!(answer.header("content-type"), content_type);
            assert_eq!(answer.header("content-length"), content.len().to_string());
            assert_eq!(answer.header("cache-control"), "no-cache");
            assert!(answer.headers.contains_key("content-security-policy"));

            let head = send(&router, request(Method::HEAD, &format!("/{name}"))).await;
            assert_eq!(head.header("content-length"), content.len().to_string());
            assert!(head.body.is_empty());

            let (condition, mark) = match answer.headers.get("etag") {
                Some(tag) => ("if-none-match", tag),
                None => ("if-modified-since", &answer.headers["last-modified"]),
            };
            let again = Request::get(format!("/{name}")).header(condition, mark);
            let again = send(&router, again.body(Body::empty()).unwrap()).await;
            assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{name}");
            assert!(again.body.is_empty());
        }
    }
}

#[tokio::test]
async fn the_root_is_the_page() {
    let (_folder, routers) = both();
    for router in routers {
        for path in ["/", "/?lang=zh", "/index.html?x"] {
            let answer = send(&router, get(path)).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}");
            assert_eq!(answer.body, b"<p>page");
        }
    }
}

#[tokio::test]
async fn a_broken_download_can_go_on() {
    let (_folder, routers) = both();
    for router in routers {
        let range = |range: &str| {
            Request::get("/models/m.safetensors")
                .header("range", range)
                .body(Body::empty())
                .unwrap()
        };
        let answer = send(&router, range("bytes=4-")).await;
        assert_eq!(answer.status, StatusCode::PARTIAL_CONTENT);
        assert_eq!(answer.body, b"456789");
        assert_eq!(answer.header("content-range"), "bytes 4-9/10");
        assert_eq!(answer.header("content-length"), "6");

        let answer = send(&router, range("bytes=10-")).await;
        assert_eq!(answer.status, StatusCode::RANGE_NOT_SATISFIABLE);
        assert_eq!(answer.header("content-range"), "bytes */10");
    }
}

#[tokio::test]
async fn a_range_of_another_version_is_the_whole_file() {
    let router = with_site(Site::Embedded(Box::new(Memory)));
    for (tag, status) in [
        ("\"a\"", StatusCode::PARTIAL_CONTENT),
        ("\"b\"", StatusCode::OK),
    ] {
        let request = Request::get("/models/m.safetensors")
            .header("range", "bytes=4-")
            .header("if-range", tag);
        let answer = send(&router, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, status, "{tag}");
    }
}

#[tokio::test]
async fn nothing_outside_the_folder_is_reachable() {
    let (_folder, routers) = both();
    for router in routers {
        for path in [
            "/../secret",
            "/lib/../../secret",
            "/%2e%2e/secret",
            "/..%2fsecret",
            "/lib/%2e%2e/%2e%2e/secret",
            "/..%5csecret",
            "//secret",
            "/%2fetc/passwd",
            "/lib/worker.js/x",
            "/lib/worker.js%00",
            &format!("/{}", "a".repeat(5_000)),
        ] {
            let answer = send(&router, get(path)).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
            answer.error();
        }
    }
}

#[tokio::test]
async fn folders_are_neither_listed_nor_redirected() {
    let (_folder, routers) = both();
    for router in routers {
        for path in ["/lib", "/lib/", "//lib"] {
            let answer = send(&router, get(path)).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        }
    }
}

#[tokio::test]
async fn without_a_page_the_root_says_how_to_get_one() {
    let answer = send(&router(), get("/")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    let html = String::from_utf8(answer.body).unwrap();
    assert!(html.contains("cargo xtask serve"));
    assert!(html.contains("Content-Type: application/json"));
    // The policy would block these.
    assert!(!html.contains("<style") && !html.contains("<script"));
}
