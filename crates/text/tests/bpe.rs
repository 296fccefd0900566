//! Byte-pair encoding against subword-nmt 0.3.8.

use csanmt_text::{Bpe, TextError};
use proptest::prelude::*;
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Row {
    codes: String,
    lines: Vec<(String, Vec<String>)>,
}

/// `tests/tools/bpe_golden.py` writes more rows with another seed into the file BPE_GOLDEN.
#[test]
fn golden_learned_and_invented_codes() {
    let file = std::env::var("BPE_GOLDEN").unwrap_or_else(|_| "bpe.jsonl".into());
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = 0;
    for row in text.lines() {
        let row: Row = serde_json::from_str(row).unwrap();
        let bpe = Bpe::parse(row.codes.as_bytes()).unwrap();
        for (line, pieces) in row.lines {
            assert_eq!(bpe.tokens(&line), pieces, "{line:?} with\n{}", row.codes);
            lines += 1;
        }
    }
    assert!(lines >= 1800, "{lines} lines");
}

#[test]
fn a_round_finishes_before_the_pairs_it_made() {
    // `abc b` + `c`: the pair (abc, abc) arises with a lower rank than (ab, c) has; merging one at
    // a time by rank would take `abc abc` apart differently.
    let bpe = Bpe::parse(b"#version: 0.2\na b\nabc ab\nab c\n").unwrap();
    assert_eq!(bpe.tokens("abcabcx"), ["abc@@", "abc@@", "x"]);
}

#[test]
fn rejects_lines_and_versions_that_mean_nothing() {
    assert!(matches!(
        Bpe::parse(b"#version: 0.3\na b\n").unwrap_err(),
        TextError::BpeVersion { found } if found == "0.3"
    ));
    assert!(matches!(
        Bpe::parse(b"#version: 0.2\na b\na b c\n").unwrap_err(),
        TextError::BpeLine { line: 3, found } if found == "a b c"
    ));
    assert!(matches!(
        Bpe::parse(b"\xff").unwrap_err(),
        TextError::NotUtf8 { offset: 0, .. }
    ));
}

#[test]
fn a_word_of_a_million_characters_is_linear() {
    let bpe = Bpe::parse(b"#version: 0.2\na a\naa aa\naaaa aaaa\na b\n").unwrap();
    let tokens = bpe.tokens(&"a".repeat(1_000_000));
    // 999 999 = 124 999 · 8 + 4 + 2 + 1 inside the word, and the last character.
    assert_eq!(tokens.len(), 124_999 + 3 + 1);
}

proptest! {
    #[test]
    fn tokens_spell_the_words(words in prop::collection::vec("[abc我é]{1,9}", 1..6)) {
        let bpe = Bpe::parse("#version: 0.2\na b\nab c</w>\n我 我</w>\nc ab\n".as_bytes()).unwrap();
        let line = words.join(" ");
        let spelled = bpe.tokens(&line).join(" ").replace("@@ ", "");
        prop_assert_eq!(spelled, line);
    }
}
