//! `csanmt serve` on a real socket, stopped by a real signal.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::server::Server;
use support::{csanmt, failure, model, records, run, success, translate};

#[test]
fn translates_as_the_command_does() {
    let server = Server::start(&[]);
    for record in records() {
        let text = record["input"].as_str().unwrap();
        if text.trim().is_empty() {
            continue;
        }
        let output = translate(&["--jsonl", text], b"");
        let expected: Value = serde_json::from_str(success(&output)).unwrap();
        let (status, answer) = server.translate(text);
        assert_eq!(status, 200);
        assert_eq!(answer, expected);
    }
}

#[test]
fn f7_a_signal_ends_it_well_and_the_log_has_no_text() {
    for signal in ["TERM", "INT"] {
        let server = Server::start(&[]);
        assert_eq!(server.translate("我们今天去学校。").0, 200);
        let blank = server.translate(" ");
        assert_eq!(blank, (400, json!({"error": "Empty input"})));
        assert_eq!(server.request("GET", "/学校?text=学校", "").0, 404);
        // An idle connection does not hold it up.
        let _idle = TcpStream::connect(&server.address).unwrap();
        let (status, log) = server.stop(signal);
        assert_eq!(status.code(), Some(0), "{log}");
        assert!(log.contains("/translate"), "{log}");
        assert!(!log.contains("学校") && !log.contains("%E5"), "{log}");
    }
}

#[test]
fn reports_its_health() {
    let server = Server::start(&["--threads", "1"]);
    let (status, body) = server.request("GET", "/health", "");
    let health: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &health["status"]), (200, &json!("ok")));
    assert_eq!(health["model"], "a_zh2en");
}

#[test]
fn serves_the_folder_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().to_str().unwrap();
    let without = run(csanmt().args(["serve", "--port", "0", "--site", site]), b"");
    let stderr = failure(&without, 1);
    assert!(stderr.contains("cargo xtask site"), "{stderr}");

    std::fs::write(folder.path().join("index.html"), "<p>the page").unwrap();
    let server = Server::start(&["--site", site]);
    assert_eq!(server.request("GET", "/", ""), (200, "<p>the page".into()));
}

#[test]
fn limits_are_arguments() {
    let server = Server::start(&["--max-body", "64", "--queue", "1", "--timeout", "5"]);
    assert_eq!(server.translate("学校").0, 200);
    assert_eq!(server.translate(&"学".repeat(64)).0, 413);
}

#[test]
fn a_list_of_texts_is_translated_as_each_of_them() {
    let server = Server::start(&[]);
    let texts: Vec<String> = records()
        .iter()
        .map(|record| record["input"].as_str().unwrap().to_owned())
        .filter(|text| !text.trim().is_empty())
        .collect();
    let each: Vec<Value> = texts
        .iter()
        .map(|text| server.translate(text).1["translation"].clone())
        .collect();
    let body = json!({"text": texts}).to_string();
    let (status, answer) = server.request("POST", "/translate", &body);
    assert_eq!(status, 200);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["translation"], json!(each));
}

#[test]
fn too_many_threads_are_a_usage_error() {
    for threads in ["0", "257", "1000000"] {
        let output = run(csanmt().args(["serve", "--threads", threads]), b"");
        let stderr = failure(&output, 2);
        assert!(stderr.contains("from 1 to 256"), "{stderr}");
    }
}

#[test]
fn a_port_in_use_is_explained() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let mut command = csanmt();
    command
        .args(["serve", "--port", &port, "--model"])
        .arg(model());
    let output = run(&mut command, b"");
    let stderr = failure(&output, 1);
    let expected = format!("127.0.0.1:{port} is in use");
    assert!(stderr.contains(&expected), "{stderr}");
    assert!(stderr.contains("--port 0"), "{stderr}");
}

#[test]
fn a_wrong_log_level_is_explained() {
    let mut command = csanmt();
    command
        .args(["serve", "--port", "0", "--model"])
        .arg(model());
    let output = run(command.env("CSANMT_LOG", "loud"), b"");
    assert!(failure(&output, 1).contains("expected off, error"));
}

#[test]
fn settings_come_from_the_command_line_the_environment_and_a_file_in_this_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("serve.toml");
    std::fs::write(
        &file,
        "port = 0\nmax-characters = 5\nmax-texts = 2\ntoken = [\"one\", \"two\"]\ncache-mb = 0\n",
    )
    .unwrap();
    let mut command = csanmt();
    command
        .env("CSANMT_MAX_CHARACTERS", "3")
        .args(["serve", "--max-texts", "1", "--config"])
        .arg(&file)
        .arg("--model")
        .arg(model());
    let server = Server::run(&mut command);
    let ask = |text: Value| {
        let body = json!({"text": text, "api_key": "two"}).to_string();
        server.request("POST", "/translate", &body).0
    };
    assert_eq!(server.translate("学校").0, 401);
    assert_eq!(ask(json!("学校")), 200);
    assert_eq!(ask(json!("我们学校")), 413);
    assert_eq!(ask(json!(["学", "校"])), 413);
}

#[test]
fn a_wrong_settings_file_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("serve.toml");
    for (text, code, expected) in [
        (
            "prot = 1",
            2,
            "there is no setting prot; there are host, port",
        ),
        ("port = [", 2, "serve.toml"),
        ("port = {a = 1}", 2, "port must be a text, a number"),
        ("port = 70000", 2, "invalid value '70000' for '--port"),
        ("port = 70000", 2, "expected a number from 0 to 65535"),
        ("token-file = \"/nowhere\"", 1, "cannot read /nowhere"),
    ] {
        std::fs::write(&file, text).unwrap();
        let mut command = csanmt();
        command.args(["serve", "--config"]).arg(&file);
        let output = run(&mut command, b"");
        let stderr = failure(&output, code);
        assert!(stderr.contains(expected), "{text}: {stderr}");
    }
    let output = run(csanmt().args(["serve", "--config", "/nowhere/x.toml"]), b"");
    assert!(failure(&output, 2).contains("cannot read /nowhere/x.toml"));
}

#[test]
fn j10_the_log_is_json_when_asked_for_and_has_no_text() {
    let server = Server::start(&["--log-format", "json"]);
    assert_eq!(server.translate("我们今天去学校。").0, 200);
    let (status, log) = server.stop("TERM");
    assert!(status.success());
    let entries: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answered = entries
        .iter()
        .find(|entry| entry["fields"]["route"] == "/translate")
        .unwrap();
    assert_eq!(answered["fields"]["status"], 200);
    assert!(!log.contains("学校"), "{log}");
}

#[test]
fn a_hangup_loads_the_model_again_and_loses_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("model.safetensors");
    std::fs::copy(model(), &copy).unwrap();
    let mut command = csanmt();
    command.args(["serve", "--port", "0", "--cache-mb", "0", "--model"]);
    let server = Server::run(command.arg(&copy));
    let expected = server.translate("我们今天去学校。");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (reloads, answers) = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0;
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        assert_eq!(server.translate("我们今天去学校。"), expected);
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        let reloaded = || {
            server
                .metric("csanmt_reloads_total{outcome=\"done\"} ")
                .unwrap_or(0.0)
        };
        let begin = Instant::now();
        for number in 1..=5 {
            server.signal("HUP");
            while reloaded() < f64::from(number) {
                assert!(begin.elapsed() < Duration::from_secs(60), "never loaded");
            }
        }
        // One that cannot be loaded leaves the old one. A mapped file is never written into.
        std::fs::rename(&copy, folder.path().join("old")).unwrap();
        std::fs::write(&copy, "no model").unwrap();
        server.signal("HUP");
        while server
            .metric("csanmt_reloads_total{outcome=\"failed\"} ")
            .is_none()
        {
            assert!(begin.elapsed() < Duration::from_secs(60), "never failed");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let counts = clients.into_iter().map(|client| client.join().unwrap());
        (reloaded(), counts.sum::<usize>())
    });
    assert_eq!(reloads, 5.0);
    assert!(answers > 0);
    assert_eq!(server.translate("我们今天去学校。"), expected);
}
