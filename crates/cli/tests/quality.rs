//! The default model is not worse than what was recorded of it.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::path::Path;

use csanmt_lab::metrics::chrf;
use serde_json::Value;
use support::{csanmt, run, success, texts};

/// How far a score may fall.
const TOLERANCE: f64 = 0.3;

#[test]
fn m8_bleu_and_chrf_are_not_below_the_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let record = std::fs::read_to_string(root.join("models/quality.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let mut eval = csanmt();
    eval.arg("eval")
        .arg(root.join("tests/golden/dev.tsv"))
        .arg("--json")
        .arg("--model")
        .arg(root.join("models/zh-en-tiny.safetensors"));
    let output = run(&mut eval, b"");
    let found: Value = serde_json::from_str(success(&output)).unwrap();
    println!("{found}");
    assert_eq!(found["sentences"], record["sentences"]);
    for score in ["bleu", "chrf"] {
        let (found, recorded) = (
            found[score].as_f64().unwrap(),
            record[score].as_f64().unwrap(),
        );
        assert!(
            found >= recorded - TOLERANCE,
            "{score}: {found}, recorded {recorded}"
        );
    }
}

/// The development set: sources and references.
fn pairs() -> Vec<(String, String)> {
    csanmt_lab::evaluate::read_pairs(root().join("tests/golden/dev.tsv")).unwrap()
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One translation a line, by the default model.
fn lines(text: &str, args: &[&str]) -> Vec<String> {
    let mut command = csanmt();
    command.arg("translate").args(args).arg("--model");
    command.arg(root().join("models/zh-en-tiny.safetensors"));
    let output = run(&mut command, text.as_bytes());
    assert!(output.status.success());
    texts(&output).0.lines().map(str::to_owned).collect()
}

fn golden(name: &str) -> String {
    std::fs::read_to_string(root().join("tests/golden").join(name)).unwrap()
}

/// Most repetitions of up to four words in a row.
fn repetitions(text: &str) -> usize {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let longest = |period: usize| {
        let same = |i: usize| words[i] == words[i - period];
        let runs = (period..words.len()).scan(0, |run, i| {
            *run = if same(i) { *run + 1 } else { 0 };
            Some(*run)
        });
        runs.max().unwrap_or(0) / period + 1
    };
    (1..=4).map(longest).max().unwrap_or(1)
}

/// Most repetitions that are no loop.
const SOUND: usize = 3;

/// What the weights in eight bits say is mostly, to the letter, what those in floats say, and they
/// never lose their way alone.
#[test]
fn a6_int8_says_what_float_says() {
    let float = golden("dev_f32.txt");
    let float: Vec<&str> = float.lines().collect();
    let text: String = pairs()
        .iter()
        .map(|(source, _)| format!("{source}\n"))
        .collect();
    let raw = lines(&text, &["--raw"]);
    assert_eq!((float.len(), raw.len()), (490, 490));
    let same = raw.iter().zip(&float).filter(|(a, b)| a == b).count();
    let alike = chrf(&raw, &float).unwrap();
    println!("{same} of 490 translations are the same, chrF between them {alike:.2}");
    assert!(same * 100 >= 65 * 490, "{same} of 490 are the same");
    assert!(alike >= 85.0, "chrF {alike:.2}");
    // With the guards, as people get it.
    let loops: Vec<_> = lines(&text, &[])
        .into_iter()
        .zip(&float)
        .filter(|(own, float)| repetitions(own) > SOUND && repetitions(float) <= SOUND)
        .collect();
    assert!(loops.is_empty(), "{loops:?}");
}

#[test]
fn l1_traditional_sentences_get_the_translations_of_simplified_ones() {
    let simplified: String = pairs()
        .iter()
        .map(|(source, _)| format!("{source}\n"))
        .collect();
    let expected = lines(&simplified, &[]);
    let traditional = golden("dev_traditional.tsv");
    let (mut characters, mut words) = (String::new(), String::new());
    for line in traditional.lines() {
        let (first, second) = line.split_once('\t').unwrap();
        characters += &format!("{first}\n");
        words += &format!("{second}\n");
    }
    for (what, text) in [("characters", characters), ("words of Taiwan", words)] {
        let found = lines(&text, &[]);
        let same = found.iter().zip(&expected).filter(|(a, b)| a == b).count();
        let alike = chrf(&found, &expected).unwrap();
        println!(
            "{what}: {same} of {} the same, chrF {alike:.2}",
            expected.len()
        );
        assert!(alike >= 90.0, "{what}: {alike:.2}");
    }
}
