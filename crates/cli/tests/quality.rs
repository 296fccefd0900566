//! The default model is not worse than what was recorded of it.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::path::Path;

use serde_json::Value;
use support::{csanmt, run, success};

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
