//! The server as a process of its own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{csanmt, model};

/// A running `csanmt serve`; killed when the test is over.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// On the recorded model and a free port.
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = csanmt();
        command.args(["serve", "--port", "0", "--model"]);
        Self::run(command.arg(model()).args(args))
    }

    pub(crate) fn run(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let address = line
            .trim_end()
            .strip_prefix("listening on http://")
            .unwrap();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Self {
            address: address.to_owned(),
            child,
        }
    }

    /// Status and body of the answer.
    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(kill.unwrap().success());
    }

    /// The value of a line of /metrics.
    pub(crate) fn metric(&self, name: &str) -> Option<f64> {
        let (_, text) = self.request("GET", "/metrics", "");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name).map(str::to_owned));
        line.map(|value| value.trim().parse().unwrap())
    }

    pub(crate) fn translate(&self, text: &str) -> (u16, Value) {
        let body = json!({"text": text}).to_string();
        let (status, body) = self.request("POST", "/translate", &body);
        (status, serde_json::from_str(&body).unwrap())
    }

    /// Bytes that Linux says it has of a kind: VmRSS, RssAnon.
    pub(crate) fn memory(&self, kind: &str) -> f64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(kind));
        let kilobytes = line.unwrap().split_whitespace().next().unwrap();
        kilobytes.parse::<f64>().unwrap() * 1024.0
    }

    /// Sends a signal and waits; the log comes along.
    pub(crate) fn stop(mut self, signal: &str) -> (ExitStatus, String) {
        self.signal(signal);
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < Duration::from_secs(10), "does not stop");
            std::thread::sleep(Duration::from_millis(5));
        };
        let mut log = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        (status, log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
