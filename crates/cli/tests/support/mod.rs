//! Runs the program on a tiny model with recorded outputs of the original.
#![allow(dead_code, reason = "each test file uses a part")]

#[cfg(unix)]
pub(crate) mod server;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The program, without the settings of whoever runs the tests.
pub(crate) fn csanmt() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_csanmt"));
    command.env_remove("CSANMT_MODEL").env_remove("CSANMT_LOG");
    command
}

/// A model in the ModelScope layout, with goldens.json beside it.
pub(crate) fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/fixtures/a_zh2en")
}

/// What the original made of a dozen texts.
pub(crate) fn records() -> Vec<Value> {
    let text = std::fs::read_to_string(fixture().join("goldens.json")).unwrap();
    let goldens: Value = serde_json::from_str(&text).unwrap();
    goldens["records"].as_array().unwrap().clone()
}

/// The fixture as f32 model file, made by the program itself.
pub(crate) fn model() -> &'static Path {
    static MODEL: OnceLock<PathBuf> = OnceLock::new();
    MODEL.get_or_init(|| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a_zh2en.safetensors");
        let mut convert = csanmt();
        convert.arg("convert").arg(fixture()).arg("-o").arg(&path);
        success(&run(convert.arg("--f32"), b""));
        path
    })
}

/// `csanmt translate --model FIXTURE ARGS…`
pub(crate) fn translate(args: &[&str], input: &[u8]) -> Output {
    let mut command = csanmt();
    command.args(["translate", "--model"]).arg(model());
    run(command.args(args), input)
}

/// Runs to the end with `input` as standard input.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // A program that ends early does not read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Standard output of a program that ended well and complained of nothing.
pub(crate) fn success(output: &Output) -> &str {
    let (stdout, stderr) = texts(output);
    assert!(output.status.success(), "{:?}: {stderr}", output.status);
    assert_eq!(stderr, "");
    stdout
}

/// Standard error of a program that ended with `code`.
pub(crate) fn failure(output: &Output, code: i32) -> &str {
    let (stdout, stderr) = texts(output);
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    stderr
}

pub(crate) fn texts(output: &Output) -> (&str, &str) {
    let text = |bytes| std::str::from_utf8(bytes).unwrap();
    (text(&output.stdout), text(&output.stderr))
}
