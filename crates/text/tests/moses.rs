//! The Moses rules against sacremoses 0.2.0.
#![allow(
    clippy::unwrap_used,
    reason = "a test file: a wrong golden file should stop it"
)]

use csanmt_text::moses::{Detokenizer, Normalizer, Tokenizer};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::PathBuf;

fn rows<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[derive(Deserialize)]
struct EnglishRow {
    text: String,
    normalized: String,
    tokens: Vec<String>,
    detokenized: String,
}

#[test]
fn golden_english_sentences() {
    let rows: Vec<EnglishRow> = rows("moses_en.jsonl");
    assert_eq!(rows.len(), 3021);
    let (normalizer, tokenizer) = (Normalizer::new("en"), Tokenizer::new("en", true));
    let detokenizer = Detokenizer::new("en");
    for row in rows {
        let normalized = normalizer.normalize(&row.text);
        assert_eq!(normalized, row.normalized, "normalized {:?}", row.text);
        let tokens = tokenizer.tokenize(&normalized);
        assert_eq!(
            tokens.trim(),
            row.tokens.join(" "),
            "tokens of {:?}",
            row.text
        );
        assert_eq!(
            detokenizer.detokenize(&tokens),
            row.detokenized,
            "text of {tokens:?}"
        );
    }
}

#[derive(Deserialize)]
struct RandomRow {
    lang: String,
    text: String,
    normalized: String,
    split: String,
    plain: String,
    joined: String,
    rejoined: String,
}

/// `tests/tools/moses_golden.py` writes more rows with another seed into the file MOSES_GOLDEN.
#[test]
fn golden_random_text_in_five_languages() {
    let file = std::env::var("MOSES_GOLDEN").unwrap_or_else(|_| "moses_random.jsonl".into());
    let rows: Vec<RandomRow> = rows(&file);
    assert!(rows.len() >= 2000);
    let mut tools = HashMap::new();
    let mut different = Vec::new();
    for row in &rows {
        let lang = row.lang.as_str();
        let (normalizer, split, plain, detokenizer) = tools.entry(lang).or_insert_with(|| {
            (
                Normalizer::new(lang),
                Tokenizer::new(lang, true),
                Tokenizer::new(lang, false),
                Detokenizer::new(lang),
            )
        });
        let pairs = [
            (
                "normalized",
                normalizer.normalize(&row.text),
                &row.normalized,
            ),
            ("split", split.tokenize(&row.normalized), &row.split),
            ("plain", plain.tokenize(&row.text), &row.plain),
            ("joined", detokenizer.detokenize(&row.split), &row.joined),
            ("rejoined", detokenizer.detokenize(&row.text), &row.rejoined),
        ];
        for (step, ours, expected) in pairs {
            if &ours != expected {
                different.push(format!(
                    "{lang} {step}\n  text {:?}\n  norm {:?}\n  ours {ours:?}\n  want {expected:?}",
                    row.text, row.normalized
                ));
            }
        }
    }
    let shown = different
        .iter()
        .take(8)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        different.is_empty(),
        "{} of {} rows differ:\n{shown}",
        different.len(),
        rows.len()
    );
}
