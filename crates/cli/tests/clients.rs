//! Published Python clients of LibreTranslate and DeepL against `csanmt serve`.
//!
//! They are installed from PyPI, at the versions of `tests/clients/requirements.txt`, into the
//! target folder. Where Python or PyPI cannot be had the test is skipped, except where CI is set.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use support::{csanmt, model, success, translate};

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that wants the token `s3cret`, and its address.
fn start() -> (Server, String) {
    let mut child = csanmt()
        .env("CSANMT_TOKENS", "s3cret")
        .args(["serve", "--port", "0", "--model"])
        .arg(model())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ").unwrap();
    (Server(child), address.to_owned())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients")
}

/// A Python that has the clients.
fn python() -> Result<PathBuf, String> {
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    let python = environment.join("bin/python");
    if !python.exists() {
        complete(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
        )?;
    }
    let requirements = folder().join("requirements.txt");
    let mut pip = Command::new(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    complete(pip.arg("--requirement").arg(requirements))?;
    Ok(python)
}

fn complete(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

#[test]
fn j6_published_clients_of_libretranslate_and_deepl_work_unmodified() {
    let python = match python() {
        Ok(python) => python,
        Err(reason) => {
            assert!(std::env::var_os("CI").is_none(), "{reason}");
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let output = translate(&["我们今天去学校。"], b"");
    let expected = success(&output).trim_end_matches('\n').to_owned();
    let (_server, address) = start();
    let mut tests = Command::new(python);
    tests
        .arg(folder().join("test_clients.py"))
        .env("CSANMT_URL", address)
        .env("CSANMT_EXPECTED", expected)
        // The server is on this machine.
        .env("NO_PROXY", "127.0.0.1");
    complete(&mut tests).unwrap();
}
