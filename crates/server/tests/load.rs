//! Many requests, and too many.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::time::Duration;

use axum::http::StatusCode;
use csanmt_server::{Settings, app};
use support::{Answer, Fake, post, send, settings, state, until};
use tokio::task::JoinHandle;

const WORK: &str = r#"{"text": "work"}"#;

fn spawn(router: &axum::Router, body: impl Into<String>) -> JoinHandle<Answer> {
    let (router, body) = (router.clone(), body.into());
    tokio::spawn(async move { send(&router, post(body)).await })
}

#[tokio::test]
async fn answers_32_requests_at_once_each_with_its_own_text() {
    let router = app(state(&Fake::default(), settings(3)));
    let requests: Vec<_> = (0..32)
        .map(|number| spawn(&router, format!(r#"{{"text": "{number}"}}"#)))
        .collect();
    for (number, request) in requests.into_iter().enumerate() {
        let answer = request.await.unwrap();
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.json()["translation"], format!("[{number}]"));
    }
}

#[tokio::test]
async fn j8_short_requests_that_wait_are_translated_together() {
    let fake = Fake::default();
    let router = app(state(&fake, settings(1)));
    let running = spawn(&router, WORK);
    until("running", || fake.running() == 1).await;
    let long = "长".repeat(2000);
    let mut waiting: Vec<_> = (0..20)
        .map(|number| spawn(&router, format!(r#"{{"text": "{number}"}}"#)))
        .collect();
    let other = spawn(&router, r#"{"text": "别", "beam": 2}"#);
    waiting.push(spawn(&router, format!(r#"{{"text": "{long}"}}"#)));
    settle().await;
    // A client that goes away does not take the others with it.
    waiting.remove(3).abort();
    settle().await;
    fake.release();
    assert_eq!(running.await.unwrap().status, StatusCode::OK);
    for request in waiting {
        assert_eq!(request.await.unwrap().status, StatusCode::OK);
    }
    let other = other.await.unwrap().json();
    assert_eq!(other["translation"], "[别] with beam 2");
    assert_eq!(fake.widest(), 19);
    // The first, the nineteen, the long one, and the one with another beam.
    assert_eq!(fake.finished(), 4);
}

#[tokio::test]
async fn j4_a_request_that_fails_does_not_fail_those_beside_it() {
    let fake = Fake::default();
    let router = app(state(&fake, settings(1)));
    let running = spawn(&router, WORK);
    until("running", || fake.running() == 1).await;
    let texts = ["一", "panic", "二"];
    let waiting = texts.map(|text| spawn(&router, format!(r#"{{"text": "{text}"}}"#)));
    settle().await;
    fake.release();
    running.await.unwrap();
    let mut statuses = Vec::new();
    for request in waiting {
        statuses.push(request.await.unwrap().status.as_u16());
    }
    assert_eq!(statuses, [200, 500, 200]);
    assert_eq!(fake.widest(), 3);
}

#[tokio::test]
async fn a_full_queue_is_503_at_once() {
    let fake = Fake::default();
    let settings = Settings {
        queue_requests: 2,
        ..settings(1)
    };
    let router = app(state(&fake, settings));
    let running = spawn(&router, WORK);
    until("running", || fake.running() == 1).await;
    let waiting = [spawn(&router, WORK), spawn(&router, WORK)];
    tokio::time::sleep(Duration::from_millis(20)).await;

    let refused = tokio::time::timeout(Duration::from_secs(1), spawn(&router, WORK));
    let refused = refused.await.expect("at once").unwrap();
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), "1");
    assert!(refused.error().contains("too many requests"));

    fake.release();
    assert_eq!(running.await.unwrap().status, StatusCode::OK);
    for request in waiting {
        assert_eq!(request.await.unwrap().status, StatusCode::OK);
    }
    assert_eq!(spawn(&router, WORK).await.unwrap().status, StatusCode::OK);
}

#[tokio::test]
async fn the_text_that_waits_is_bounded_too() {
    let fake = Fake::default();
    let settings = Settings {
        queue_bytes: 100,
        ..settings(1)
    };
    let router = app(state(&fake, settings));
    let large = format!(r#"{{"text": "work{}"}}"#, "a".repeat(80));
    let mut accepted = vec![spawn(&router, WORK)];
    until("running", || fake.running() == 1).await;
    accepted.push(spawn(&router, large.clone()));
    tokio::time::sleep(Duration::from_millis(20)).await;
    let refused = spawn(&router, large).await.unwrap();
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    // A small one still fits.
    accepted.push(spawn(&router, WORK));
    tokio::time::sleep(Duration::from_millis(20)).await;
    fake.release();
    for request in accepted {
        assert_eq!(request.await.unwrap().status, StatusCode::OK);
    }
}

/// Lets every task of the test's one thread go as far as it can.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_short_request_waits_for_one_batch_of_the_long_ones() {
    let fake = Fake::default();
    let router = app(state(&fake, settings(2)));
    let long = [
        spawn(&router, r#"{"text": "long 1"}"#),
        spawn(&router, r#"{"text": "long 2"}"#),
    ];
    until("both threads are busy", || fake.running() == 2).await;
    let short = spawn(&router, r#"{"text": "短"}"#);
    settle().await;
    assert!(!short.is_finished());

    fake.grant();
    let answer = tokio::time::timeout(Duration::from_secs(10), short).await;
    assert_eq!(answer.expect("its turn").unwrap().status, StatusCode::OK);
    // One of a long text and its own.
    assert_eq!(fake.steps(), 2);
    assert_eq!(fake.finished(), 1);

    fake.release();
    for (number, request) in (1..).zip(long) {
        let answer = request.await.unwrap();
        assert_eq!(answer.json()["translation"], format!("[long {number}]"));
    }
    assert_eq!(fake.steps(), 7);
}

#[tokio::test]
async fn long_requests_take_turns() {
    let fake = Fake::default();
    let router = app(state(&fake, settings(1)));
    let first = spawn(&router, r#"{"text": "long 1"}"#);
    until("running", || fake.running() == 1).await;
    let second = spawn(&router, r#"{"text": "long 2"}"#);
    settle().await;
    // 1 2 1 2 1: the first is done while the second still has a step to go.
    for _ in 0..5 {
        fake.grant();
    }
    assert_eq!(first.await.unwrap().status, StatusCode::OK);
    assert!(!second.is_finished());
    assert_eq!(fake.steps(), 5);
    fake.grant();
    assert_eq!(second.await.unwrap().status, StatusCode::OK);
}

#[tokio::test]
async fn without_progress_a_request_is_given_up() {
    let fake = Fake::default();
    let settings = Settings {
        stall: Duration::from_millis(100),
        ..settings(1)
    };
    let router = app(state(&fake, settings));
    let answer = spawn(&router, WORK).await.unwrap();
    assert_eq!(answer.status, StatusCode::GATEWAY_TIMEOUT);
    assert!(answer.error().contains("busy"));
    until("cancelled", || fake.cancelled() == 1).await;
}

#[tokio::test]
async fn past_the_deadline_the_work_stops() {
    let fake = Fake::default();
    let settings = Settings {
        deadline: Duration::from_millis(100),
        ..settings(1)
    };
    let router = app(state(&fake, settings));
    let answer = spawn(&router, WORK).await.unwrap();
    assert_eq!(answer.status, StatusCode::GATEWAY_TIMEOUT);
    assert!(answer.error().contains("took longer"));
    until("cancelled", || fake.cancelled() == 1).await;
    assert_eq!(fake.running(), 0);
}

#[tokio::test]
async fn what_was_given_up_leaves_the_queue() {
    let fake = Fake::default();
    let settings = Settings {
        queue_requests: 1,
        ..settings(1)
    };
    let router = app(state(&fake, settings));
    let running = spawn(&router, WORK);
    until("running", || fake.running() == 1).await;
    let waiting = spawn(&router, WORK);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(
        spawn(&router, WORK).await.unwrap().status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    waiting.abort();
    waiting.await.unwrap_err();
    let in_its_place = spawn(&router, WORK);
    tokio::time::sleep(Duration::from_millis(20)).await;
    fake.release();
    assert_eq!(running.await.unwrap().status, StatusCode::OK);
    assert_eq!(in_its_place.await.unwrap().status, StatusCode::OK);
    assert_eq!(fake.finished(), 2);
}
