//! Segmentation against lists made with Python jieba 0.42.1 (see `tests/golden/jieba.md`).

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use csanmt_text::jieba::Jieba;
use proptest::prelude::*;

static JIEBA: LazyLock<Jieba> = LazyLock::new(|| {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/zh.dictionary"));
    Jieba::new(Arc::new(bytes.expect("the dictionary is checked in"))).expect("a sound dictionary")
});

#[derive(serde::Deserialize)]
struct Case {
    text: String,
    words: Vec<String>,
}

fn assert_matches(list: &Path, at_least: usize) {
    let list = std::fs::read_to_string(list).expect("a list of cases");
    let cases: Vec<Case> = list
        .lines()
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect();
    assert!(cases.len() >= at_least, "only {} cases", cases.len());
    let wrong: Vec<&Case> = cases
        .iter()
        .filter(|case| JIEBA.cut(&case.text) != case.words)
        .collect();
    for case in wrong.iter().take(10) {
        let words = JIEBA.cut(&case.text);
        println!(
            "{:?}\n expected {:?}\n found    {words:?}",
            case.text, case.words
        );
    }
    assert!(
        wrong.is_empty(),
        "{} of {} texts are cut otherwise",
        wrong.len(),
        cases.len()
    );
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden")
        .join(name)
}

#[test]
fn golden_supplied_list() {
    assert_matches(&golden("jieba.jsonl"), 4025);
}

#[test]
fn golden_odd_cases() {
    assert_matches(&golden("jieba_extra.jsonl"), 2000);
}

/// For a list of any size: `JIEBA_CASES=list.jsonl cargo test -p csanmt-text -- --ignored`.
#[test]
#[ignore = "needs a list"]
fn matches_a_given_list() {
    assert_matches(
        Path::new(&std::env::var("JIEBA_CASES").expect("JIEBA_CASES")),
        1,
    );
}

#[test]
fn threads_share_one_segmenter() {
    let jieba = {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/zh.dictionary");
        Jieba::new(Arc::new(std::fs::read(path).expect("the dictionary"))).expect("a sound one")
    };
    let text = "长春市长春节致辞，结婚的和尚未结婚的都来到北京大学生活动中心。";
    let expected = JIEBA.cut(text);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(jieba.cut(text), expected));
        }
    });
    assert_eq!(jieba.verify(), Ok(()));
}

#[cfg(feature = "embedded-dictionary")]
#[test]
fn embedded_dictionary_is_the_checked_in_one() {
    let jieba = Jieba::new(Arc::new(csanmt_text::jieba::ZH_DICTIONARY)).expect("a sound one");
    assert_eq!(jieba.cut("北京大学生"), ["北京", "大学生"]);
}

proptest! {
    #[test]
    fn words_concatenate_to_the_text(text in "\\PC*|[一-龥a-z0-9.%\r\n]{0,40}|(?s).{0,40}") {
        prop_assert_eq!(JIEBA.cut(&text).concat(), text);
    }
}
