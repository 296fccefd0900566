//! A program that translates on request: ours or a peer's, one JSON object a line each way.
//! crates/engine/examples/workload.rs says how.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Sentences to translate, and how.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) sentences: Vec<Vec<u32>>,
    pub(crate) beam: usize,
    pub(crate) batch: usize,
    pub(crate) threads: usize,
    /// Exactly that many tokens of each, or as many as the model wants.
    pub(crate) steps: Option<usize>,
}

/// What one run of a job took.
#[derive(Clone, Copy)]
pub(crate) struct Measurement {
    /// Time that passed.
    pub(crate) seconds: f64,
    /// Processor time of all threads.
    pub(crate) cpu_seconds: f64,
    /// In the best translations.
    pub(crate) tokens: f64,
}

/// The running program.
pub(crate) struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    hello: Value,
}

impl Peer {
    /// Starts it, pinned to `core` where the system can, and waits until it is ready.
    pub(crate) fn start(command: &Command, core: Option<usize>) -> Result<Self> {
        let mut command = pinned(command, core);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {:?}", command.get_program()))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("no output to read")?;
        let mut peer = Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            hello: Value::Null,
        };
        peer.hello = peer.read()?;
        Ok(peer)
    }

    /// Name and version.
    pub(crate) fn name(&self) -> String {
        let word = |key| self.hello[key].as_str().unwrap_or_default();
        format!("{} {}", word("name"), word("version"))
            .trim()
            .to_owned()
    }

    /// What it said when it was ready.
    pub(crate) fn hello(&self) -> &Value {
        &self.hello
    }

    pub(crate) fn run(&mut self, job: &Job) -> Result<Measurement> {
        let reply = self.ask(&json!({
            "sentences": job.sentences,
            "beam": job.beam,
            "batch": job.batch,
            "threads": job.threads,
            "steps": job.steps,
        }))?;
        let number = |key: &str| {
            let number = reply[key].as_f64();
            number.with_context(|| format!("no {key} in the answer of {}", self.name()))
        };
        Ok(Measurement {
            seconds: number("seconds")?,
            cpu_seconds: number("cpu_seconds")?,
            tokens: number("tokens")?,
        })
    }

    pub(crate) fn ask(&mut self, request: &Value) -> Result<Value> {
        let stdin = self.stdin.as_mut().context("the program has ended")?;
        writeln!(stdin, "{request}")?;
        stdin.flush()?;
        self.read()
    }

    /// The seconds that passed, and the whole answer.
    pub(crate) fn seconds(&mut self, request: &Value) -> Result<(f64, Value)> {
        let reply = self.ask(request)?;
        let seconds = reply["seconds"].as_f64();
        let seconds = seconds.with_context(|| format!("{}: {}", self.name(), reply["error"]))?;
        Ok((seconds, reply))
    }

    fn read(&mut self) -> Result<Value> {
        let mut line = String::new();
        // What a library prints by itself is passed over.
        while self.stdout.read_line(&mut line)? > 0 {
            if line.starts_with('{') {
                return serde_json::from_str(&line).context("answer of a program");
            }
            line.clear();
        }
        let status = self.child.wait()?;
        bail!("the program ended: {status}")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// The same command on one core only.
pub(crate) fn pinned(command: &Command, core: Option<usize>) -> Command {
    let taskset = core.filter(|_| crate::process::exists("taskset"));
    let mut result = match taskset {
        Some(core) => {
            let mut pinned = Command::new("taskset");
            pinned.args(["--cpu-list", &core.to_string()]);
            pinned.arg(command.get_program());
            pinned
        }
        None => Command::new(command.get_program()),
    };
    result.args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => result.env(key, value),
            None => result.env_remove(key),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        result.current_dir(folder);
    }
    result
}
