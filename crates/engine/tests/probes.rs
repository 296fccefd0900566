//! What is no language, in all the forms that people write it in: it has to survive whatever the
//! model is, and no Chinese may be left around it.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::LazyLock;

use csanmt::{Options, Translator};

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Translator::open(root.join("models/zh-en-tiny.safetensors")).unwrap()
});

/// `probes.tsv`: a text, and what has to be in its translation.
#[test]
fn b1_b2_b3_b4_b6_b7_b8_b9_b11_probes_survive() {
    let lines: Vec<Vec<&str>> = include_str!("probes.tsv")
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let sources: Vec<&str> = lines.iter().map(|fields| fields[0]).collect();
    let options = Options::default();
    let text = TRANSLATOR.translate(&sources.join("\n"), &options).unwrap();
    let outputs: Vec<&str> = text.text.split('\n').collect();
    assert_eq!(outputs.len(), sources.len());
    let mut wrong = Vec::new();
    for (fields, output) in lines.iter().zip(&outputs) {
        let mut rest = (*output).to_owned();
        for kept in &fields[1..] {
            if !output.contains(kept) {
                wrong.push(format!("{}: {output}: lost {kept}", fields[0]));
            }
            rest = rest.replace(kept, "");
        }
        let is_chinese = |c: char| {
            matches!(c, '\u{3400}'..='\u{9fff}') || "，。：；（）、！？【】《》".contains(c)
        };
        if rest.contains(is_chinese) {
            wrong.push(format!("{}: {output}: Chinese is left", fields[0]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(text.sentences.iter().all(|sentence| !sentence.truncated));
}
