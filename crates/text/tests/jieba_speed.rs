//! How fast segmentation is: `cargo test --release -p csanmt-text --test jieba_speed -- --ignored --nocapture`.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use csanmt_text::jieba::Jieba;

const SENTENCE: &str = "这项研究表明，长期坚持适度运动的老年人记忆力明显好于同龄人。";

fn bytes() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/zh.dictionary");
    std::fs::read(path).expect("the dictionary is checked in")
}

fn open(bytes: Vec<u8>) -> Jieba {
    Jieba::new(Arc::new(bytes)).expect("a sound dictionary")
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn corpus() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/jieba.jsonl");
    let lines = std::fs::read_to_string(path).expect("the golden list");
    let text = |line: &str| -> Option<String> {
        let case: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(case["text"].as_str()?.to_owned())
    };
    lines
        .lines()
        .filter_map(text)
        .filter(|text| text.len() < 3000)
        .collect()
}

#[test]
#[ignore = "measures"]
fn speed() {
    let bytes = bytes();
    let (jieba, opening) = timed(|| open(bytes));
    let (words, cold) = timed(|| jieba.cut(SENTENCE).len());
    let (_, warm) = timed(|| {
        (0..10_000)
            .map(|_| jieba.cut(SENTENCE).len())
            .sum::<usize>()
    });
    println!("open: {opening:?}");
    println!(
        "{} characters, {words} words: cold {cold:?}, warm {:?}",
        SENTENCE.chars().count(),
        warm / 10_000
    );
    let corpus = corpus();
    let bytes: usize = corpus.iter().map(String::len).sum();
    for pass in ["cold", "warm"] {
        let (_, time) = timed(|| {
            corpus
                .iter()
                .map(|text| jieba.cut(text).len())
                .sum::<usize>()
        });
        let rate = bytes as f64 / time.as_secs_f64() / 1e6;
        println!(
            "{} texts, {bytes} bytes, {pass}: {time:?}, {rate:.1} MB/s",
            corpus.len()
        );
    }
    let (_, all) = timed(|| jieba.verify().expect("sound"));
    println!("decoding the whole dictionary: {all:?}");
}

/// One line of text of any kind takes time in proportion to its length.
#[test]
#[ignore = "measures"]
fn long_lines_take_linear_time() {
    let jieba = open(bytes());
    for piece in [
        SENTENCE,
        "一",
        "a",
        "1.",
        "鿕鿔",
        "中华人民共和国",
        " ",
        "\r\n",
        "%",
        "😀",
    ] {
        let line = piece.repeat((1 << 20) / piece.len());
        jieba.cut(piece);
        let (_, short) = timed(|| jieba.cut(&line[..piece.len() * (line.len() / piece.len() / 8)]));
        let (_, long) = timed(|| jieba.cut(&line));
        println!("{piece:?}: 128 kB {short:?}, 1 MB {long:?}");
        assert!(
            long < short * 24,
            "{piece:?}: 128 kB take {short:?}, 1 MB takes {long:?}"
        );
    }
}
