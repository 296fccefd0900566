//! Requests a second: the server beside the servers that others put before such engines, with the
//! same model, the same clients and the same cores.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Options;
use super::compare::median;
use super::install::SERVERS;
use super::report::{Bound, Report, Row};
use crate::process::{self, cargo, command};
use crate::{serve, workspace};

/// Clients that each wait for an answer before they ask again.
const CLIENTS: &str = "64";
/// Seconds of a run.
const SECONDS: &str = "8";

pub(crate) fn run(options: &Options) -> Result<Report> {
    let program = serve::build_server()?;
    process::run(&mut cargo([
        "build",
        "--release",
        "--package",
        "csanmt-server",
        "--example",
        "load",
    ]))?;
    let model = options.model()?;
    let mut report = Report::default();
    for peer in SERVERS {
        if !options.wants(peer.name) {
            continue;
        }
        let theirs = match peer.command(&model) {
            Ok(command) => command,
            Err(error) => {
                report.note(format!("{}: left out: {error:#}", peer.name));
                continue;
            }
        };
        let (mut ours_all, mut theirs_all) = (Vec::new(), Vec::new());
        for _ in 0..options.repetitions {
            ours_all.push(measure(|port| own(&program, &model, port))?);
            theirs_all.push(measure(|port| {
                let mut command = Command::new(theirs.get_program());
                command.args(theirs.get_args()).arg(port.to_string());
                command
            })?);
        }
        let (name, bound) = match peer.name {
            "flask" => ("Flask + PyTorch dynamic int8", 5.0),
            _ => ("FastAPI + CTranslate2 int8", 2.0),
        };
        let (ours, theirs) = (median(ours_all), median(theirs_all));
        report.rows.push(Row {
            label: format!("{CLIENTS} clients, no cache"),
            peer: name.to_owned(),
            unit: "requests/s",
            ours,
            theirs,
            bound: Some(Bound::AtLeast(bound)),
            wall_ratio: None,
        });
    }
    report.note(format!(
        "sentences of tests/golden/dev.tsv over loopback for {SECONDS} s each, beam of the model; \
         clients and servers share the machine's cores"
    ));
    Ok(report)
}

fn own(program: &str, model: &Path, port: u16) -> Command {
    let mut command = command(program, ["serve", "--cache-mb", "0", "--model"]);
    command.arg(model).args(["--port", &port.to_string()]);
    command
}

/// Answers a second of a server.
fn measure(server: impl FnOnce(u16) -> Command) -> Result<f64> {
    // Free now, and taken at once.
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut server = server(port);
    server.stdin(Stdio::null()).stdout(Stdio::null());
    let mut server = Running(server.spawn().context("cannot start the server")?);
    let begin = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if let Some(status) = server.0.try_wait()? {
            bail!("the server ended: {status}");
        }
        if begin.elapsed() > Duration::from_secs(120) {
            bail!("the server does not listen");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    load(port, "2")?;
    load(port, SECONDS)
}

/// Runs the load generator, and reads its result.
fn load(port: u16, seconds: &str) -> Result<f64> {
    let name = format!("examples/load{}", std::env::consts::EXE_SUFFIX);
    let program = workspace::target().join("release").join(name);
    let dev = workspace::root().join("tests/golden/dev.tsv");
    let address = format!("127.0.0.1:{port}");
    let mut load = command(&program.to_string_lossy(), [&*address, CLIENTS, seconds]);
    let output = process::output(load.arg(&dev))?;
    let rate = output
        .lines()
        .find_map(|line| line.strip_suffix(" answers a second"));
    rate.and_then(|rate| rate.parse().ok())
        .with_context(|| format!("the load generator said {output:?}"))
}

/// A server that is stopped when nobody needs it any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
