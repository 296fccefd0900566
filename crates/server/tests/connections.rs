//! Connections: clients that go away, that are slow, that are many, and the end of the server.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::time::Duration;

use csanmt_server::Settings;
use support::socket::{connect, rest, start};
use support::{Fake, settings, until};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const WORK: &str = r#"{"text": "work"}"#;

#[tokio::test]
async fn a_client_that_goes_away_stops_its_work() {
    let fake = Fake::default();
    let (address, _stop, _server) = start(&fake, settings(1)).await;
    let stream = connect(&address, WORK).await;
    until("running", || fake.running() == 1).await;
    drop(stream);
    until("cancelled", || fake.cancelled() == 1).await;
    assert_eq!(fake.finished(), 0);
}

#[tokio::test]
async fn stopping_lets_requests_under_way_finish() {
    let fake = Fake::default();
    let (address, stop, server) = start(&fake, settings(1)).await;
    let under_way = connect(&address, WORK).await;
    // Idle connections must not keep the server up.
    let idle = connect(&address, r#"{"text": "好"}"#).await;
    until("running", || fake.running() == 1).await;
    stop.send(()).unwrap();
    until("closed", || std::net::TcpStream::connect(&address).is_err()).await;
    assert!(!server.is_finished());
    fake.release();
    let answer = rest(under_way).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.ends_with(r#"{"translation":"[work]"}"#), "{answer}");
    server.await.unwrap();
    rest(idle).await;
}

#[tokio::test]
async fn stopping_does_not_wait_for_ever() {
    let fake = Fake::default();
    let settings = Settings {
        drain: Duration::from_millis(100),
        ..settings(1)
    };
    let (address, stop, server) = start(&fake, settings).await;
    let _under_way = connect(&address, WORK).await;
    until("running", || fake.running() == 1).await;
    stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(5), server);
    ended.await.expect("ends").unwrap();
}

#[tokio::test]
async fn connections_are_bounded_and_later_ones_wait() {
    let fake = Fake::default();
    let settings = Settings {
        connections: 1,
        ..settings(2)
    };
    let (address, _stop, _server) = start(&fake, settings).await;
    let first = connect(&address, WORK).await;
    until("running", || fake.running() == 1).await;
    let mut second = connect(&address, r#"{"text": "好"}"#).await;
    let mut answer = [0; 12];
    let early = tokio::time::timeout(Duration::from_millis(50), second.read(&mut answer));
    assert!(early.await.is_err());
    drop(first);
    second.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[tokio::test]
async fn silent_connections_make_room() {
    let settings = Settings {
        connections: 2,
        ..settings(1)
    };
    let (address, _stop, _server) = start(&Fake::default(), settings).await;
    let mut silent = Vec::new();
    for _ in 0..6 {
        silent.push(TcpStream::connect(&address).await.unwrap());
    }
    let mut stream = connect(&address, r#"{"text": "好"}"#).await;
    let mut answer = [0; 12];
    // Well before the silent ones time out.
    let answered = tokio::time::timeout(Duration::from_secs(5), stream.read_exact(&mut answer));
    answered.await.expect("room").unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    // The first of them had to go.
    assert_eq!(rest(silent.remove(0)).await, "");
}

#[tokio::test]
async fn bodies_that_do_not_come_make_room() {
    let settings = Settings {
        connections: 2,
        ..settings(1)
    };
    let (address, _stop, _server) = start(&Fake::default(), settings).await;
    let head = "POST /translate HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{";
    let mut slow = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let mut stream = connect(&address, r#"{"text": "好"}"#).await;
    let mut answer = [0; 12];
    // A byte now and then does not keep the place.
    let trickle = async {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            for stream in &mut slow {
                let _ = stream.write_all(b" ").await;
            }
        }
    };
    let answered = tokio::time::timeout(Duration::from_secs(5), stream.read_exact(&mut answer));
    tokio::select! {
        () = trickle => unreachable!(),
        answered = answered => answered.expect("room").unwrap(),
    };
    assert_eq!(&answer, b"HTTP/1.1 200");
}

#[tokio::test]
async fn a_crowd_of_new_connections_is_answered() {
    let settings = Settings {
        connections: 2,
        ..settings(1)
    };
    let (address, _stop, _server) = start(&Fake::default(), settings).await;
    let clients: Vec<_> = (0..20)
        .map(|_| {
            let address = address.clone();
            tokio::spawn(async move {
                let mut stream = TcpStream::connect(&address).await.unwrap();
                // The request comes when the next ones knock already.
                tokio::time::sleep(Duration::from_millis(50)).await;
                let body = r#"{"text": "好"}"#;
                let head =
                    "POST /translate HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length";
                let request = format!("{head}: {}\r\n\r\n{body}", body.len());
                stream.write_all(request.as_bytes()).await.unwrap();
                rest(stream).await
            })
        })
        .collect();
    for client in clients {
        let answer = client.await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_header_that_does_not_come_ends_the_connection() {
    let settings = Settings {
        header_timeout: Duration::from_millis(50),
        ..settings(1)
    };
    let (address, _stop, _server) = start(&Fake::default(), settings).await;
    let mut stream = TcpStream::connect(&address).await.unwrap();
    stream.write_all(b"GET /health HT").await.unwrap();
    let end = tokio::time::timeout(Duration::from_secs(5), rest(stream));
    end.await.expect("closed");
}

#[tokio::test]
async fn a_client_that_never_reads_is_dropped() {
    let settings = Settings {
        connections: 1,
        // More than the buffers of both sides hold.
        body_bytes: 32 << 20,
        write_timeout: Duration::from_millis(200),
        ..settings(1)
    };
    let (address, _stop, _server) = start(&Fake::default(), settings).await;
    let body = format!(r#"{{"text": "{}"}}"#, "a".repeat(30 << 20));
    let _deaf = connect(&address, &body).await;
    let mut next = connect(&address, r#"{"text": "好"}"#).await;
    let mut answer = [0; 12];
    let answered = tokio::time::timeout(Duration::from_secs(10), next.read_exact(&mut answer));
    answered.await.expect("room").unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
}
