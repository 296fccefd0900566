//! Servers that share a Redis.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use csanmt_server::{AppState, Settings, Site, app};
use serde_json::json;
use support::{Fake, metrics, post_to, send, settings, state, until};

/// A Redis of the test's own; `None` where the program is not installed.
struct Redis {
    child: Child,
    port: u16,
}

impl Redis {
    async fn start() -> Option<Self> {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        Self::start_at(port).await
    }

    async fn start_at(port: u16) -> Option<Self> {
        let mut command = Command::new("redis-server");
        command
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .stdout(Stdio::null());
        let Ok(child) = command.spawn() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "redis-server is not installed"
            );
            return None;
        };
        let redis = Self { child, port };
        until("the Redis answers", || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        })
        .await;
        Some(redis)
    }

    fn settings(&self) -> Settings {
        Settings {
            cache_bytes: 0,
            redis: Some(format!("redis://127.0.0.1:{}/0", self.port)),
            ..settings(1)
        }
    }

    /// As `kill -9` does.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn j12_several_servers_share_a_redis_and_do_without_it() {
    let Some(mut redis) = Redis::start().await else {
        return;
    };
    let (one, other) = (Fake::default(), Fake::default());
    let first = app(state(&one, redis.settings()));
    let second = app(state(&other, redis.settings()));
    let ask = async |router: &Router, text: &str| {
        let body = json!({"text": [text, "cut"]});
        let answer = send(router, post_to("/translate", &body)).await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.json()["translation"][0].as_str().unwrap().to_owned()
    };
    assert_eq!(ask(&first, "学校").await, "[学校]");
    // Stored without being waited for.
    let begin = std::time::Instant::now();
    loop {
        assert_eq!(ask(&second, "学校").await, "[学校]");
        let text = metrics(&second).await;
        if text.contains("csanmt_cache_hits_total{layer=\"redis\"}") {
            // What was cut short is not stored.
            let hits = text
                .lines()
                .find(|line| line.contains("layer=\"redis\""))
                .unwrap();
            assert!(hits.ends_with(" 1"), "{hits}");
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "never shared");
    }
    redis.kill();
    for text in ["学校", "老师", "学生"] {
        assert_eq!(ask(&first, text).await, format!("[{text}]"));
    }
    // One that comes back is used again, without a restart of the servers.
    let hits = async || {
        let text = metrics(&second).await;
        let lines = text.lines().filter(|line| line.contains("layer=\"redis\""));
        let hits = lines.filter_map(|line| line.split(' ').nth(1)?.parse::<u32>().ok());
        hits.sum::<u32>()
    };
    let before = hits().await;
    let _again = Redis::start_at(redis.port).await.unwrap();
    let begin = std::time::Instant::now();
    while hits().await == before {
        assert_eq!(ask(&first, "老师").await, "[老师]");
        assert_eq!(ask(&second, "老师").await, "[老师]");
        assert!(begin.elapsed() < Duration::from_secs(20), "left for ever");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_redis_that_is_none_is_explained() {
    for url in ["", "nonsense", "http://x"] {
        let settings = Settings {
            redis: Some(url.into()),
            ..settings(1)
        };
        let error = AppState::new(Site::None, settings).unwrap_err().to_string();
        assert!(error.contains("expected redis://"), "{error}");
    }
}
