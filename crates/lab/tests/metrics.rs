//! BLEU, chrF and words against sacreBLEU 2.6.0 (made by `tests/tools/metrics_golden.py`).
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use csanmt_lab::evaluate::{Score, read_pairs};
use csanmt_lab::metrics::{bleu, chrf, tokenize_13a};
use serde::Deserialize;

const TOLERANCE: f64 = 1e-6;

#[derive(Deserialize)]
#[serde(untagged)]
enum Record {
    Corpus {
        name: String,
        hypotheses: Vec<String>,
        references: Vec<String>,
        bleu: f64,
        chrf: f64,
    },
    Line {
        name: String,
        text: String,
        tokens: Vec<String>,
    },
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden")
        .join(name)
}

fn records() -> Vec<Record> {
    let text = std::fs::read_to_string(golden("metrics.jsonl")).unwrap();
    // The first line says how the file was made.
    let lines = text.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn golden_scores() {
    let (mut corpora, mut worst, mut failures) = (0, 0.0_f64, Vec::new());
    for record in records() {
        let Record::Corpus {
            name,
            hypotheses,
            references,
            bleu: expected_bleu,
            chrf: expected_chrf,
        } = record
        else {
            continue;
        };
        corpora += 1;
        for (metric, found, expected) in [
            ("BLEU", bleu(&hypotheses, &references), expected_bleu),
            ("chrF", chrf(&hypotheses, &references), expected_chrf),
        ] {
            let found = found.unwrap();
            assert!((0.0..=100.0).contains(&found), "{name}: {metric} {found}");
            worst = worst.max((found - expected).abs());
            if (found - expected).abs() > TOLERANCE {
                failures.push(format!("{name}: {metric} {found}, expected {expected}"));
            }
        }
    }
    println!("{corpora} corpora, largest difference {worst:e}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(corpora >= 300, "only {corpora} corpora");
}

#[test]
fn golden_words() {
    let mut lines = 0;
    for record in records() {
        if let Record::Line { name, text, tokens } = record {
            assert_eq!(tokenize_13a(&text).words(), tokens, "{name}: {text:?}");
            lines += 1;
        }
    }
    assert!(lines >= 60, "only {lines} lines");
}

#[test]
fn long_lines_take_linear_time() {
    // One repeated word and points, 500 kB: comparing all n-grams with all would take minutes.
    let words = "word ".repeat(50_000);
    let points = ".,".repeat(125_000);
    assert_eq!(tokenize_13a(&points).words().len(), 250_000);
    let score = Score::of(&[&words, &points], &[&words, &points]).unwrap();
    assert_eq!((score.bleu, score.chrf, score.sentences), (100.0, 100.0, 2));
}

#[test]
fn development_set_is_its_own_best_translation() {
    let pairs = read_pairs(golden("dev.tsv")).unwrap();
    assert_eq!(pairs.len(), 490);
    assert_eq!(
        pairs[0],
        ("汤姆想报仇。".to_owned(), "Tom wanted revenge.".to_owned())
    );
    let references: Vec<&str> = pairs.iter().map(|(_, reference)| &**reference).collect();
    let sources: Vec<&str> = pairs.iter().map(|(source, _)| &**source).collect();
    let best = Score::of(&references, &references).unwrap();
    assert_eq!((best.bleu, best.chrf, best.sentences), (100.0, 100.0, 490));
    assert!(Score::of(&sources, &references).unwrap().chrf < 10.0);
}
