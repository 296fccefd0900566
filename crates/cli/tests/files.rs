//! `csanmt convert`, `inspect` and `info`.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::{csanmt, failure, fixture, model, run, success};

fn convert(from: &Path, to: &Path, args: &[&str]) -> Output {
    let mut command = csanmt();
    command.arg("convert").arg(from).arg("-o").arg(to);
    run(command.args(args), b"")
}

fn inspect(path: &Path, args: &[&str]) -> Output {
    run(csanmt().arg("inspect").arg(path).args(args), b"")
}

#[test]
fn converts_to_int8_and_says_what_is_inside() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("int8.safetensors");
    let report = convert(&fixture(), &file, &["--license", "CC0-1.0"]);
    let report = success(&report);
    assert!(report.contains(&*file.to_string_lossy()), "{report}");

    let table = inspect(&file, &[]);
    let table = success(&table);
    for expected in ["zh to en", "int8", "CC0-1.0", "qkv_transform/matrix"] {
        assert!(table.contains(expected), "{expected}: {table}");
    }
    let json: Value = serde_json::from_str(success(&inspect(&file, &["--json"]))).unwrap();
    let size = std::fs::metadata(&file).unwrap().len();
    assert_eq!(json["file_bytes"], size);
    assert_eq!(json["problem"], Value::Null);
    assert!(json["tensors"].as_array().unwrap().len() > 10);
    assert!(size < std::fs::metadata(model()).unwrap().len());

    let translated = run(
        csanmt().args(["translate", "我们", "--model"]).arg(&file),
        b"",
    );
    assert!(success(&translated).len() > 1);
}

#[test]
fn what_cannot_be_converted_is_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.safetensors");
    let output = convert(folder.path(), &file, &[]);
    let stderr = failure(&output, 1);
    assert!(stderr.contains("configuration.json"), "{stderr}");
    assert!(!file.exists());
}

#[test]
fn what_is_no_model_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text.txt");
    std::fs::write(&file, "not a model").unwrap();
    for path in [&file, &folder.path().join("missing")] {
        let output = inspect(path, &[]);
        let stderr = failure(&output, 1);
        assert!(stderr.contains(&*path.to_string_lossy()), "{stderr}");
    }
}

#[test]
fn info_tells_what_is_in_use() {
    let mut command = csanmt();
    let output = run(command.args(["info", "--model"]).arg(model()), b"");
    let text = success(&output);
    for expected in [
        env!("CARGO_PKG_VERSION"),
        "a_zh2en",
        "zh to en",
        "instruction set",
        "CSANMT_MODEL",
        "CSANMT_LOG",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn help_and_version_are_there() {
    let version = run(csanmt().arg("--version"), b"");
    let expected = format!("csanmt {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(success(&version), expected);
    for subcommand in ["translate", "serve", "convert", "inspect", "info"] {
        let help = run(csanmt().args([subcommand, "--help"]), b"");
        assert!(success(&help).contains("Usage: csanmt "));
    }
    failure(&run(&mut csanmt(), b""), 2);
}
