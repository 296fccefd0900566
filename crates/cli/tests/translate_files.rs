//! `csanmt translate --file`.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use support::{csanmt, failure, run, success};

const FILM: &str = "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>我们今天</i>\r\n去学校。\r\n\r\n\
                    2\r\n00:00:03,000 --> 00:00:04,000\r\nOK\r\n";

/// Runs `csanmt translate --file ARGS…` in a folder, with the model that comes with the program.
fn files(folder: &Path, args: &[&str]) -> Output {
    let mut command = csanmt();
    command.current_dir(folder).arg("translate");
    run(command.arg("--file").args(args), b"")
}

#[test]
fn n1_a_subtitle_file_keeps_its_cues() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("film.srt"), FILM).unwrap();
    assert_eq!(success(&files(folder.path(), &["film.srt"])), "");
    let out = fs::read_to_string(folder.path().join("film.en.srt")).unwrap();
    assert!(
        out.starts_with("1\r\n00:00:01,000 --> 00:00:02,000\r\n"),
        "{out}"
    );
    assert!(
        out.ends_with("\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nOK\r\n"),
        "{out}"
    );
    assert!(
        out.contains("<i>") && out.contains("</i>") && !out.contains("我们"),
        "{out}"
    );
    // Nothing else appeared.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn n4_several_threads_give_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = "我们今天去学校。\n他说：你好！\n\n".repeat(6);
    fs::write(folder.path().join("a.txt"), &text).unwrap();
    for threads in ["1", "3"] {
        let name = format!("{threads}.txt");
        success(&files(
            folder.path(),
            &["a.txt", "-o", &name, "--threads", threads],
        ));
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("1.txt"), read("3.txt"));
    assert_eq!(read("1.txt").lines().count(), text.lines().count());
    assert_ne!(read("1.txt"), text);
}

#[test]
fn n1_markdown_and_html_keep_their_marks() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.md", "# 你好\r\n\r\n```\n代码\n```\n\n- [x](y.md)\n");
    write("b.html", "<p>你好。</p>\n<!-- 注 -->\n");
    success(&files(folder.path(), &["a.md", "b.html"]));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let (text, page) = (read("a.en.md"), read("b.en.html"));
    assert!(text.starts_with("# "), "{text}");
    assert!(
        text.ends_with("\r\n\r\n```\n代码\n```\n\n- [x](y.md)\n"),
        "{text}"
    );
    assert!(
        page.starts_with("<p>") && page.ends_with("</p>\n<!-- 注 -->\n"),
        "{page}"
    );
    assert!(
        !text.contains("你好") && !page.contains("你好"),
        "{text}{page}"
    );
    // What is in no file has three formats.
    let mut command = csanmt();
    let output = run(command.args(["translate", "--format", "srt", "x"]), b"");
    assert!(failure(&output, 1).contains("srt is a format of files"));
}

#[test]
fn files_are_replaced_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "你好。\n").unwrap();
    fs::write(folder.path().join("b.txt"), "old").unwrap();
    let output = files(folder.path(), &["a.txt", "-o", "b.txt"]);
    let error = failure(&output, 1);
    assert!(error.starts_with("csanmt: b.txt exists already"), "{error}");
    let read = || fs::read_to_string(folder.path().join("b.txt")).unwrap();
    assert_eq!(read(), "old");
    success(&files(folder.path(), &["a.txt", "-o", "b.txt", "--force"]));
    assert_ne!(read(), "old");
}

#[test]
fn several_files_go_into_a_folder_and_bad_ones_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("a.json"), "{\"k\": \"你好。\"}").unwrap();
    fs::write(folder.path().join("bad.json"), "{\"k\": ").unwrap();
    fs::write(folder.path().join("c.csv"), "名,数\n苹果,1\n").unwrap();
    let output = files(
        folder.path(),
        &["a.json", "bad.json", "c.csv", "missing.txt", "-o", "out"],
    );
    let error = failure(&output, 1);
    for part in [
        "bad.json: JSON, line 1: ",
        "c.csv: name the columns",
        "“名”, “数”",
        "cannot read missing.txt",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let out = read("a.json");
    assert!(
        out.starts_with("{\"k\": \"") && out.ends_with("\"}") && !out.contains('你'),
        "{out}"
    );
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 1);
    success(&files(
        folder.path(),
        &["c.csv", "-o", "out", "--column", "名"],
    ));
    assert!(read("c.csv").starts_with("名,数\n"));
    success(&files(
        folder.path(),
        &["c.csv", "-o", "out", "--column", "2", "--force"],
    ));
    assert_eq!(read("c.csv").lines().nth(1), Some("苹果,1"));
    let output = files(folder.path(), &["a.json", "c.csv", "-o", "nowhere"]);
    assert!(failure(&output, 1).contains("nowhere is no folder"));
}

#[test]
fn what_cannot_be_read_is_told_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.pdf"), b"%PDF-1.7").unwrap();
    fs::write(folder.path().join("a.docx"), b"PK\x03\x04 broken").unwrap();
    fs::write(folder.path().join("a"), b"\x7fELF\0\0").unwrap();
    for (args, reason) in [
        (
            &["a.pdf"][..],
            "a.pdf: PDF is not supported: save it in one of these formats",
        ),
        (&["a.docx"], "a.docx: the archive is damaged"),
        (&["a"], "a: a binary file is not supported"),
        (&["."], "cannot read .: this is a folder"),
        (&["a", "--format", "exe"], "expected one of txt, md, html, "),
        (
            &["a", "-o", "a", "--delimiter", "xy"],
            "expected one ASCII character",
        ),
    ] {
        let output = files(folder.path(), args);
        let (_, error) = support::texts(&output);
        assert!(
            !output.status.success() && error.contains(reason),
            "{error}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}
