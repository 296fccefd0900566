//! What the server keeps in memory: the weights once for all threads, and nothing of what it has
//! answered.
//!
//! `cargo test --release -p csanmt-cli --test memory -- --ignored` sends ten thousand requests, the
//! ordinary run some hundreds.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use support::csanmt;
use support::server::Server;

/// Sources of the development set.
fn sentences() -> Vec<String> {
    let pairs = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let sources = pairs.lines().filter_map(|line| line.split('\t').next());
    sources.map(str::to_owned).collect()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// With the default model, whose weights are most of what the server needs, and without the cache,
/// which grows by what it keeps.
fn start(threads: usize) -> Server {
    let mut command = csanmt();
    command.args(["serve", "--port", "0", "--cache-mb", "0"]);
    command.args(["--threads", &threads.to_string(), "--model"]);
    Server::run(command.arg(root().join("models/zh-en-tiny.safetensors")))
}

/// Every sentence is a request, of which `at_once` are under way at any time.
fn translate_all(server: &Server, sentences: &[String], at_once: usize) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(text) = sentences.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (status, answer) = server.translate(text);
                    assert_eq!(status, 200, "{answer}");
                }
            });
        }
    });
}

#[test]
fn f8_threads_share_the_weights() {
    let sentences = &sentences()[..200];
    let measure = |threads: usize, at_once: usize| {
        let server = start(threads);
        translate_all(&server, sentences, at_once);
        server.memory("VmRSS:")
    };
    let one = measure(1, 1);
    let (one_by_one, at_once) = (measure(8, 1), measure(8, 8));
    eprintln!("one thread: {one} bytes; eight: {one_by_one} one by one, {at_once} at once");
    for more in [one_by_one, at_once] {
        assert!(more < 1.15 * one, "{one} bytes became {more}");
    }
}

/// `count` requests after as many as it takes to have met the longest sentences; the shape of the
/// requests goes through what clients send.
fn stays_flat(warm_up: usize, count: usize) {
    let sentences = sentences();
    let server = start(2);
    let ask = |number: usize| {
        let text = &sentences[number % sentences.len()];
        let (path, body) = match number % 5 {
            0 => (
                "/translate",
                json!({"q": text, "source": "zh", "target": "en", "alternatives": 1}),
            ),
            1 => (
                "/v2/translate",
                json!({"text": [text], "target_lang": "EN"}),
            ),
            2 => (
                "/translate",
                json!({"text": format!("<p>{text}</p>"), "format": "html"}),
            ),
            3 => (
                "/imme",
                json!({"source_lang": "zh", "target_lang": "en", "text_list": [text]}),
            ),
            _ => ("/translate", json!({"text": text})),
        };
        let (status, answer) = server.request("POST", path, &body.to_string());
        assert_eq!(status, 200, "{answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer.is_object());
    };
    (0..warm_up).for_each(ask);
    // The pages of the mapped model come as the first words that need them do, so they are counted
    // once, as what is there at the end.
    let taken = || server.memory("RssAnon:");
    let (before, mut most) = (taken(), 0.0f64);
    for number in 0..count {
        ask(warm_up + number);
        if number % 50 == 0 {
            most = most.max(taken());
        }
    }
    let model = server.memory("RssFile:");
    let (before, most) = (before + model, most.max(taken()) + model);
    eprintln!("{count} translations: {before} bytes before, at most {most}");
    assert!(most < 1.05 * before, "{before} bytes became {most}");
}

#[test]
fn f1_memory_stays_flat() {
    stays_flat(490, 300);
}

#[test]
#[ignore = "some minutes"]
fn f1_memory_stays_flat_over_ten_thousand_translations() {
    stays_flat(980, 10_000);
}
