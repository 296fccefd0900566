//! `csanmt translate`: arguments, lines, JSON lines.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use support::{csanmt, failure, model, records, run, success, texts, translate};

fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn golden_raw_json_lines_equal_the_original() {
    let records = records();
    let input: String = records
        .iter()
        .map(|record| json!({"text": record["input"]}).to_string() + "\n")
        .collect();
    let output = translate(&["--jsonl", "--raw", "--n-best", "4"], input.as_bytes());
    let outputs = json_lines(success(&output));
    assert_eq!(outputs.len(), records.len());
    let mut pieces = 0;
    for (output, record) in outputs.iter().zip(&records) {
        assert_eq!(output["translation"], record["text"], "{record}");
        let expected = record["nbest"].as_array().unwrap();
        pieces = pieces.max(expected.len());
        match &expected[..] {
            [only] => {
                assert_eq!(output.get("sentences"), None);
                compare(&output["hypotheses"], only);
            }
            _ => {
                let sentences = output["sentences"].as_array().unwrap();
                assert_eq!(sentences.len(), expected.len());
                for (sentence, expected) in sentences.iter().zip(expected) {
                    compare(&sentence["hypotheses"], expected);
                }
                assert_eq!(output["hypotheses"].as_array().unwrap().len(), 1);
                assert_eq!(output["hypotheses"][0]["text"], record["text"]);
            }
        }
    }
    assert!(pieces > 1, "a text with <SENT_SPLIT> is among them");
}

fn compare(found: &Value, expected: &Value) {
    let (found, expected) = (found.as_array().unwrap(), expected.as_array().unwrap());
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found["text"], expected["text"]);
        assert_eq!(found["ids"], expected["ids"]);
        let (found, expected) = (&found["score"], &expected["score"]);
        let difference = found.as_f64().unwrap() - expected.as_f64().unwrap();
        assert!(difference.abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn each_argument_is_a_text() {
    let output = translate(&["我们今天去学校。", "", "我们\n\n学校"], b"");
    let lines: Vec<_> = success(&output).split('\n').collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    for (line, blank) in lines.iter().zip([false, true, false, true, false, true]) {
        assert_eq!(line.is_empty(), blank, "{lines:?}");
    }
}

#[test]
fn as_many_lines_come_out_as_go_in() {
    for (input, ends) in [
        ("", vec![]),
        ("\n", vec!["\n"]),
        ("我们", vec!["\n"]),
        ("我们\n", vec!["\n"]),
        ("\n\n我们\n\n学校。今天。\n\n", vec!["\n"; 6]),
        ("我们\r\n\r\n学校\r\n", vec!["\r\n"; 3]),
        ("  我们\t\n \u{3000}\n学校<SENT_SPLIT>学校", vec!["\n"; 3]),
        ("\u{feff}我们\n\u{85}\u{2028}\n", vec!["\n"; 2]),
    ] {
        for raw in [false, true] {
            let args: &[&str] = if raw { &["--raw"] } else { &[] };
            let output = translate(args, input.as_bytes());
            let stdout = success(&output);
            let lines: Vec<_> = stdout.split_inclusive('\n').collect();
            assert_eq!(lines.len(), ends.len(), "{input:?} {stdout:?}");
            for (line, end) in lines.iter().zip(&ends) {
                assert!(line.ends_with(end), "{input:?} {stdout:?}");
                assert_eq!(line.contains('\r'), *end == "\r\n");
            }
        }
    }
}

#[test]
fn blank_lines_are_echoed() {
    let output = translate(&[], "\n  \n\u{3000}\n我们\n".as_bytes());
    let stdout = success(&output);
    assert!(stdout.starts_with("\n  \n\u{3000}\n"), "{stdout:?}");
}

#[test]
fn batches_and_threads_do_not_change_the_result() {
    // Random weights may find no end, which is told beside the output.
    fn translated(output: &Output) -> &str {
        assert!(output.status.success());
        texts(output).0
    }
    let texts: Vec<String> = records()
        .iter()
        .map(|record| record["input"].as_str().unwrap().replace('\n', " "))
        .collect();
    let alone: Vec<String> = texts
        .iter()
        .map(|text| translated(&translate(&[], format!("{text}\n").as_bytes())).to_owned())
        .collect();
    let input = (texts.join("\n") + "\n").repeat(25);
    for threads in ["1", "3"] {
        let output = translate(&["--threads", threads], input.as_bytes());
        assert!(
            translated(&output) == alone.concat().repeat(25),
            "{threads}"
        );
    }
}

#[test]
fn a_program_that_waits_for_each_answer_gets_it() {
    let mut child = csanmt()
        .args(["translate", "--model"])
        .arg(model())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        stdin.write_all("我们今天去学校。\n".as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert!(answer.len() > 1, "{answer:?}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn json_lines_may_hold_line_breaks() {
    let input = "{\"text\": \"我们\\n\\n学校\", \"id\": 3}\r\n{\"text\": \"\"}\n";
    let output = translate(&["--jsonl"], input.as_bytes());
    let outputs = json_lines(success(&output));
    assert_eq!(outputs.len(), 2);
    let translation = outputs[0]["translation"].as_str().unwrap();
    let blank: Vec<_> = translation.split('\n').map(str::is_empty).collect();
    assert_eq!(blank, [false, true, false]);
    assert_eq!(outputs[0].as_object().unwrap().len(), 1);
    assert_eq!(outputs[1], json!({"translation": ""}));
}

#[test]
fn a_bad_json_line_is_an_error_in_its_place() {
    let input = b"{\"text\": \"\xe5\xad\xa6\xe6\xa0\xa1\"}\n\
        nonsense\n\
        {\"text\": 3}\n\
        {\"txt\": \"a\"}\n\
        \n\
        [\"a\"]\n\
        {\"text\": \"\xff\"}\n\
        {\"text\": \"a\"\n\
        {\"text\": \"\xe5\xad\xa6\xe6\xa0\xa1\"}";
    let output = translate(&["--jsonl"], input);
    assert_eq!(failure(&output, 1), "");
    let (stdout, _) = texts(&output);
    let lines: Vec<_> = stdout.split('\n').collect();
    assert_eq!(lines.len(), 10, "{stdout}");
    assert_eq!(lines[0], lines[8]);
    assert!(lines[0].starts_with("{\"translation\":"));
    assert_eq!((lines[4], lines[9]), ("", ""));
    for number in [2, 3, 4, 6, 7, 8] {
        let value: Value = serde_json::from_str(lines[number - 1]).unwrap();
        let error = value["error"].as_str().unwrap();
        assert!(error.starts_with(&format!("line {number}: ")), "{error}");
        assert_eq!(value.as_object().unwrap().len(), 1);
    }
}

#[test]
fn scores_are_the_best_of_n_best() {
    let best = translate(&["--jsonl", "--scores", "我们今天去学校。"], b"");
    let four = translate(&["--jsonl", "--n-best", "4", "我们今天去学校。"], b"");
    let (best, four) = (json_lines(success(&best)), json_lines(success(&four)));
    let (best, four) = (&best[0]["hypotheses"], &four[0]["hypotheses"]);
    assert_eq!(best.as_array().unwrap().len(), 1);
    assert_eq!(four.as_array().unwrap().len(), 4);
    assert_eq!(best[0], four[0]);
    let score = |rank: usize| four[rank]["score"].as_f64().unwrap();
    assert!((1..4).all(|rank| score(rank) <= score(rank - 1)));
}

#[test]
fn the_beam_bounds_the_hypotheses() {
    let args = [
        "--jsonl",
        "--n-best",
        "4",
        "--beam",
        "2",
        "我们今天去学校。",
    ];
    let output = json_lines(success(&translate(&args, b"")));
    assert_eq!(output[0]["hypotheses"].as_array().unwrap().len(), 2);
}

#[test]
fn a_line_in_another_encoding_is_named_and_the_others_go_on() {
    let output = translate(&[], b"\xe5\xad\xa6\xe6\xa0\xa1\n\xc4\xe3\xba\xc3\nabc\n");
    let stderr = failure(&output, 1);
    assert!(stderr.contains("line 2"), "{stderr}");
    assert!(stderr.contains("iconv"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let lines: Vec<_> = texts(&output).0.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[2], "abc");
}

#[test]
fn only_the_first_lines_in_another_encoding_are_named() {
    let output = translate(&[], &b"\xff\n".repeat(25));
    let stderr = failure(&output, 1);
    assert_eq!(stderr.lines().count(), 11, "{stderr}");
    assert!(stderr.contains("line 10 ") && !stderr.contains("line 11 "));
    assert!(stderr.contains("25 lines in all"), "{stderr}");
    assert_eq!(texts(&output).0.lines().count(), 25);
}

#[cfg(unix)]
#[test]
fn a_folder_as_standard_input_is_explained() {
    for arguments in [&["translate"][..], &["translate", "--jsonl"]] {
        let folder = std::fs::File::open(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut command = csanmt();
        command.args(arguments).arg("--model").arg(model());
        let output = command.stdin(folder).output().unwrap();
        let stderr = failure(&output, 1);
        assert!(stderr.contains("standard input is a folder"), "{stderr}");
    }
}

#[test]
fn a_json_line_with_half_a_character_is_explained() {
    let output = translate(&["--jsonl"], br#"{"text": "\ud800"}"#);
    failure(&output, 1);
    let outputs = json_lines(texts(&output).0);
    let error = outputs[0]["error"].as_str().unwrap();
    assert!(error.starts_with("line 1: unpaired surrogate"), "{error}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = csanmt()
        .args(["translate", "--model"])
        .arg(model())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // It ends before it has read all.
    let _ = stdin.write_all("学校\n".repeat(10_000).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(success(&output), "");
}

#[test]
fn wrong_arguments_are_usage_errors() {
    for args in [
        &["--scores", "我"][..],
        &["--n-best", "2", "我"],
        &["--jsonl", "--n-best", "0"],
        &["--jsonl", "--n-best", "9"],
        &["--beam", "0"],
        &["--beam", "9"],
        &["--threads", "0"],
        &["--threads", "257"],
        &["--unknown"],
    ] {
        let output = translate(args, b"");
        assert!(failure(&output, 2).starts_with("error: "), "{args:?}");
    }
}

#[test]
fn a_model_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let garbage = folder.path().join("garbage.safetensors");
    std::fs::write(&garbage, [7; 1000]).unwrap();
    let missing = folder.path().join("missing.safetensors");
    for path in [folder.path(), &garbage, &missing] {
        let mut command = csanmt();
        command.args(["translate", "我", "--model"]).arg(path);
        let output = run(&mut command, b"");
        let stderr = failure(&output, 1);
        assert!(stderr.starts_with("csanmt: "), "{stderr}");
        assert!(stderr.contains(&*path.to_string_lossy()), "{stderr}");
        assert!(stderr.matches("os error").count() <= 1, "{stderr}");
    }
}

#[test]
fn the_environment_names_a_model_and_an_argument_overrides_it() {
    let mut command = csanmt();
    command
        .env("CSANMT_MODEL", model())
        .args(["translate", "我们"]);
    let by_environment = run(&mut command, b"");
    assert_eq!(
        success(&by_environment),
        success(&translate(&["我们"], b""))
    );

    let mut command = csanmt();
    command.env("CSANMT_MODEL", "/nowhere");
    command.args(["translate", "我们", "--model"]).arg(model());
    success(&run(&mut command, b""));
}

#[cfg(feature = "embedded-model")]
#[test]
fn translates_without_any_configuration() {
    let mut command = csanmt();
    command.args(["translate", "我们今天去学校。"]);
    let output = run(&mut command, b"");
    assert_eq!(
        success(&output),
        success(&run(command.env("CSANMT_MODEL", ""), b""))
    );
    let english = success(&output);
    assert!(english.to_lowercase().contains("school"), "{english}");
}

#[test]
fn documents_keep_their_markup() {
    let page = "<p>\n  你好，<b>汤姆</b>。\n</p>\n<script>\"你好\"</script>\n";
    let output = translate(&["--format", "html"], page.as_bytes());
    let output = success(&output);
    assert!(
        output.starts_with("<p>\n  ") && !output.contains("你好，"),
        "{output}"
    );
    assert!(
        output.ends_with("\n</p>\n<script>\"你好\"</script>\n"),
        "{output}"
    );
    let bold = output
        .split("<b>")
        .nth(1)
        .and_then(|s| s.split("</b>").next());
    assert!(bold.is_some_and(|bold| !bold.is_empty()), "{output}");

    let text = "# 你好\n\n- `代码`\n";
    let output = translate(&["--format", "markdown"], text.as_bytes());
    let output = success(&output);
    assert!(
        output.starts_with("# ") && output.ends_with("\n\n- `代码`\n"),
        "{output}"
    );

    let lines = "{\"text\": \"<i>你好</i>\"}\n";
    let output = translate(&["--jsonl", "--format", "html"], lines.as_bytes());
    let line = &json_lines(success(&output))[0];
    assert!(
        line["translation"].as_str().unwrap().starts_with("<i>"),
        "{line}"
    );

    let output = translate(&["--format", "html"], b"<p>\xc4\xe3\xba\xc3</p>");
    assert!(failure(&output, 1).contains("byte 3"), "{output:?}");
}
