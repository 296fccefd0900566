//! Ten thousand lines: no translation reaches its length limit or says the same over and over.
//!
//! `cargo test --release -p csanmt --test soak -- --ignored` runs all of them, the ordinary run some.
#![allow(clippy::unwrap_used)]

mod repetitions;

use std::path::Path;

use csanmt::{Options, Translator};
use repetitions::repetitions;

/// Sentences of the development set and fragments of them, each line another one.
fn lines(count: usize) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("tests/golden/dev.tsv")).unwrap();
    let sources: Vec<Vec<char>> = text
        .lines()
        .map(|line| line.split('\t').next().unwrap().chars().collect())
        .collect();
    // Round 0 has whole sentences, the others begin and end somewhere.
    let line = |i: usize| {
        let (source, round) = (&sources[i % sources.len()], i / sources.len());
        let start = round * 7 % source.len();
        let len = if round == 0 {
            source.len()
        } else {
            1 + (i * 5 + round) % 9
        };
        source[start..source.len().min(start + len)]
            .iter()
            .collect()
    };
    (0..count).map(line).collect()
}

fn soak(sources: &[String], beam: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let translator = Translator::open(root.join("models/zh-en-tiny.safetensors")).unwrap();
    let options = Options::default().with_beam(beam);
    let (mut truncated, mut loops) = (Vec::new(), Vec::new());
    for sources in sources.chunks(500) {
        let found = translator.translate(&sources.join("\n"), &options).unwrap();
        assert_eq!(found.text.split('\n').count(), sources.len());
        for (source, output) in sources.iter().zip(found.text.split('\n')) {
            if repetitions(output) > 3.max(repetitions(source)) {
                loops.push(format!("{source}: {output}"));
            }
        }
        let cut = found.sentences.iter().filter(|sentence| sentence.truncated);
        truncated.extend(cut.map(|sentence| found.text[sentence.target.clone()].to_owned()));
    }
    assert!(
        truncated.is_empty(),
        "{} reached the limit: {truncated:?}",
        truncated.len()
    );
    assert!(
        loops.len() * 1000 <= sources.len(),
        "{} loop: {loops:?}",
        loops.len()
    );
}

#[test]
fn a7_some_lines_neither_reach_the_limit_nor_loop() {
    let lines = lines(10_000);
    let some: Vec<String> = lines.into_iter().step_by(13).collect();
    soak(&some, 2);
}

#[test]
#[ignore = "minutes; run it with --release"]
fn a7_ten_thousand_lines_neither_reach_the_limit_nor_loop() {
    soak(&lines(10_000), 4);
}
