//! Many clients at once: how many requests a second, how long each takes, and what is refused.
//!
//! ```sh
//! csanmt serve --cache-mb 0 --port 8080 &
//! cargo run --release -p csanmt-server --example load -- 127.0.0.1:8080 64 60 dev.tsv
//! ```
//!
//! Every client sends one sentence after the other (the first column of the file, from a place of
//! its own) over one connection, in LibreTranslate's interface. The server must be on this machine.

#![allow(clippy::unwrap_used, reason = "a tool for developers")]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// What one client saw.
#[derive(Default)]
struct Seen {
    statuses: BTreeMap<u16, usize>,
    /// Of the requests that were answered with 200.
    times: Vec<Duration>,
    broken: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, clients, seconds, file] = &arguments[..] else {
        panic!("expected ADDRESS CLIENTS SECONDS FILE");
    };
    let address: SocketAddr = address.parse().unwrap();
    assert!(
        address.ip().is_loopback(),
        "only for servers on this machine"
    );
    let clients: usize = clients.parse().unwrap();
    let span = Duration::from_secs(seconds.parse().unwrap());
    assert!(
        clients <= 10_000 && span <= Duration::from_secs(600),
        "bounded"
    );
    let text = std::fs::read_to_string(file).unwrap();
    let sentences: Vec<String> = text
        .lines()
        .filter_map(|line| line.split('\t').next())
        .filter(|sentence| !sentence.trim().is_empty())
        .map(str::to_owned)
        .collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let begin = Instant::now();
    let seen = runtime.block_on(async {
        let sentences = std::sync::Arc::new(sentences);
        let tasks: Vec<_> = (0..clients)
            .map(|number| {
                let sentences = std::sync::Arc::clone(&sentences);
                let first = number * sentences.len() / clients;
                tokio::spawn(async move { client(address, &sentences, first, span).await })
            })
            .collect();
        let mut all = Seen::default();
        for task in tasks {
            let seen = task.await.unwrap();
            for (status, count) in seen.statuses {
                *all.statuses.entry(status).or_default() += count;
            }
            all.times.extend(seen.times);
            all.broken += seen.broken;
        }
        all
    });
    report(seen, begin.elapsed());
}

fn report(mut seen: Seen, span: Duration) {
    seen.times.sort();
    let rate = seen.times.len() as f64 / span.as_secs_f64();
    println!(
        "statuses {:?}, broken connections {}",
        seen.statuses, seen.broken
    );
    println!("{rate:.1} answers a second");
    for percent in [50, 90, 95, 99, 100] {
        let last = seen.times.len().saturating_sub(1);
        let time = seen.times.get((seen.times.len() * percent / 100).min(last));
        let time = time.copied().unwrap_or_default();
        println!("p{percent} {:.1} ms", time.as_secs_f64() * 1000.0);
    }
}

async fn client(address: SocketAddr, sentences: &[String], first: usize, span: Duration) -> Seen {
    let begin = Instant::now();
    let mut seen = Seen::default();
    let mut connection = None;
    for sentence in sentences.iter().cycle().skip(first) {
        if begin.elapsed() >= span {
            break;
        }
        let mut stream = match connection.take() {
            Some(stream) => stream,
            None => match TcpStream::connect(address).await {
                Ok(stream) => BufReader::new(stream),
                Err(_) => {
                    seen.broken += 1;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let sent = Instant::now();
        match ask(&mut stream, sentence).await {
            Ok((status, stays)) => {
                *seen.statuses.entry(status).or_default() += 1;
                match status {
                    200 => seen.times.push(sent.elapsed()),
                    // As `Retry-After` asks, but sooner, to keep the pressure up.
                    _ => tokio::time::sleep(Duration::from_millis(50)).await,
                }
                connection = stays.then_some(stream);
            }
            Err(_) => seen.broken += 1,
        }
    }
    seen
}

/// The status, and whether the connection stays.
async fn ask(stream: &mut BufReader<TcpStream>, sentence: &str) -> std::io::Result<(u16, bool)> {
    let body = serde_json::json!({"q": sentence, "source": "zh", "target": "en"}).to_string();
    let request = format!(
        "POST /translate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.get_mut().write_all(request.as_bytes()).await?;
    let (mut status, mut length, mut stays) = (0, 0, true);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(rest) = line.strip_prefix("http/1.") {
            stays = rest.starts_with('1');
            let rest = rest.get(2..).unwrap_or_default();
            status = rest
                .split(' ')
                .next()
                .unwrap_or_default()
                .parse()
                .unwrap_or(0);
        } else if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        } else if line == "connection: close" {
            stays = false;
        } else if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok((status, stays))
}
