//! `csanmt translate --glossary`, `--keep-list`, `--prefix`, `--wrapped-lines`, and what is told of
//! truncated sentences: with the model that comes with the program.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::{csanmt, failure, run, success, texts};

/// `csanmt translate ARGS…` in a folder with `terms.tsv` and `keep.txt`.
fn translate(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut command = csanmt();
    command.current_dir(folder).arg("translate").args(args);
    run(&mut command, input.as_bytes())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "terms.tsv",
        "机器学习\tmachine learning\n机器\tgadget\n登录\tsign in\n豆包\tbean bun\n",
    );
    write("keep.txt", "微信\n豆包\n");
    folder
}

#[test]
fn m6_a_glossary_holds_for_lines_json_and_files() {
    let folder = folder();
    let glossary = ["--glossary", "terms.tsv"];
    let source = "机器学习很有用。\n请登录。\n今天天气很好。\n";
    let output = translate(folder.path(), &glossary, source);
    let lines: Vec<&str> = success(&output).lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("Machine learning"), "{lines:?}");
    assert!(lines[1].to_lowercase().contains("sign in"), "{lines:?}");
    let plain = translate(folder.path(), &[], "今天天气很好。\n");
    assert_eq!(lines[2], success(&plain).trim_end());

    let json = "{\"text\": \"这台机器坏了。\"}\n";
    let args = ["--jsonl", "--glossary", "terms.tsv"];
    let output = translate(folder.path(), &args, json);
    let line: Value = serde_json::from_str(success(&output)).unwrap();
    let text = line["translation"].as_str().unwrap();
    assert!(text.contains("gadget"), "{text}");

    fs::write(
        folder.path().join("a.md"),
        "# 登录\n\n机器学习**很有用**。\n",
    )
    .unwrap();
    let args = ["--file", "a.md", "--glossary", "terms.tsv"];
    assert_eq!(success(&translate(folder.path(), &args, "")), "");
    let file = fs::read_to_string(folder.path().join("a.en.md")).unwrap();
    // Alone it is as it was prescribed.
    assert!(file.starts_with("# sign in\n\n"), "{file}");
    assert!(file.to_lowercase().contains("machine learning"), "{file}");
}

#[test]
fn b12_what_is_on_the_list_stays_and_the_glossary_comes_first() {
    let folder = folder();
    let args = ["--keep-list", "keep.txt", "我用微信联系你。", "豆包"];
    let output = translate(folder.path(), &args, "");
    let lines: Vec<&str> = success(&output).lines().collect();
    assert!(lines[0].contains("微信"), "{lines:?}");
    assert_eq!(lines[1], "豆包");
    let args = ["--keep-list", "keep.txt", "--glossary", "terms.tsv", "豆包"];
    let output = translate(folder.path(), &args, "");
    assert_eq!(success(&output).to_lowercase().trim_end(), "bean bun");
}

#[test]
fn m6_what_is_wrong_with_a_list_is_named_with_its_line() {
    let folder = folder();
    fs::write(folder.path().join("bad.tsv"), "登录\tsign in\n没有译文\n").unwrap();
    for (args, expected) in [
        (["--glossary", "bad.tsv", "我"], "2"),
        (["--glossary", "none.tsv", "我"], "none.tsv"),
        (["--keep-list", "none.txt", "我"], "none.txt"),
    ] {
        let output = translate(folder.path(), &args, "");
        let stderr = failure(&output, 1);
        assert!(
            stderr.starts_with("csanmt: ") && stderr.contains(args[1]),
            "{stderr}"
        );
        assert!(stderr.contains(expected), "{stderr}");
    }
    for list in ["--glossary", "--keep-list"] {
        let output = translate(folder.path(), &["--raw", list, "terms.tsv", "我"], "");
        failure(&output, 2);
    }
}

#[test]
fn a_beginning_is_kept_and_is_for_one_text() {
    let folder = folder();
    let output = translate(
        folder.path(),
        &["--prefix", "Today w", "今天天气很好。"],
        "",
    );
    assert!(success(&output).starts_with("Today w"), "{output:?}");
    let output = translate(folder.path(), &["--prefix", "A", "甲", "乙"], "");
    assert!(failure(&output, 1).contains("one text"), "{output:?}");
    failure(&translate(folder.path(), &["--prefix", "A"], "甲\n"), 2);
}

#[test]
fn c6_wrapped_lines_become_one() {
    let folder = folder();
    let wrapped = "今天天气\n很好，我们去\n公园。\n\n谢谢。\n";
    let output = translate(folder.path(), &["--wrapped-lines"], wrapped);
    let whole = translate(folder.path(), &[], "今天天气很好，我们去公园。\n\n谢谢。\n");
    assert_eq!(success(&output), success(&whole));
}

#[test]
fn a3_truncated_sentences_are_told_in_json_and_on_standard_error() {
    let folder = folder();
    // Longer than any translation of two characters may be.
    let prefix = "and so on ".repeat(60);
    let args = ["--prefix", &prefix, "谢谢。"];
    let output = translate(folder.path(), &args, "");
    let (stdout, stderr) = texts(&output);
    assert!(output.status.success() && stdout.starts_with("and so on "));
    assert!(stderr.contains("1 of 1 sentences short"), "{stderr}");
    let args = ["--jsonl", "--prefix", &prefix, "谢谢。"];
    let output = translate(folder.path(), &args, "");
    let line: Value = serde_json::from_str(success(&output)).unwrap();
    assert_eq!(line["truncated"], true);
    // And of whole ones nothing is told.
    let output = translate(folder.path(), &["--jsonl", "谢谢。"], "");
    let line: Value = serde_json::from_str(success(&output)).unwrap();
    assert_eq!(line.get("truncated"), None);
}
