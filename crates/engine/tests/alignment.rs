//! Which words of a translation come from which of its source.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use csanmt::{Alignment, Options, Sentence, Translator};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

static TRANSLATOR: LazyLock<Translator> =
    LazyLock::new(|| Translator::open(root().join("models/zh-en-tiny.safetensors")).unwrap());

/// Pairs that nobody would align otherwise, when each is there once.
const PAIRS: [(&str, &str); 34] = [
    ("汤姆", "Tom"),
    ("玛丽", "Mary"),
    ("波士顿", "Boston"),
    ("澳大利亚", "Australia"),
    ("法语", "French"),
    ("英语", "English"),
    ("学校", "school"),
    ("中国", "China"),
    ("日本", "Japan"),
    ("东京", "Tokyo"),
    ("书", "book"),
    ("狗", "dog"),
    ("猫", "cat"),
    ("昨天", "yesterday"),
    ("明天", "tomorrow"),
    ("今天", "today"),
    ("钱", "money"),
    ("水", "water"),
    ("医生", "doctor"),
    ("老师", "teacher"),
    ("学生", "student"),
    ("父亲", "father"),
    ("母亲", "mother"),
    ("电话", "phone"),
    ("音乐", "music"),
    ("房间", "room"),
    ("朋友", "friend"),
    ("下雨", "rain"),
    ("早上", "morning"),
    ("孩子", "children"),
    ("问题", "question"),
    ("帮助", "help"),
    ("知道", "know"),
    ("喜欢", "like"),
];

fn overlaps(pair: &Alignment, at: usize, len: usize) -> bool {
    pair.source.start < at + len && at < pair.source.end
}

#[test]
fn words_come_from_what_they_mean() {
    let dev = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let sources = dev.lines().filter_map(|line| line.split('\t').next());
    let sources: Vec<&str> = sources.step_by(2).collect();
    let text = sources.join("\n");
    let options = Options::default().with_alignment();
    let translation = TRANSLATOR.translate(&text, &options).unwrap();

    let (mut right, mut all) = (0, 0);
    for Sentence {
        source,
        target,
        alignment,
        ..
    } in &translation.sentences
    {
        let (sentence, target) = (&text[source.clone()], &translation.text[target.clone()]);
        let mut end = 0;
        for pair in alignment {
            assert!(pair.target.start >= end && !pair.target.is_empty());
            end = pair.target.end;
            assert!(target.is_char_boundary(end));
            assert!(
                sentence
                    .get(pair.source.clone())
                    .is_some_and(|s| !s.is_empty())
            );
        }
        for (chinese, english) in PAIRS {
            let words: Vec<&Alignment> = alignment
                .iter()
                .filter(|pair| target[pair.target.clone()].eq_ignore_ascii_case(english))
                .collect();
            let places: Vec<usize> = sentence.match_indices(chinese).map(|(at, _)| at).collect();
            if let ([word], [at]) = (&words[..], &places[..]) {
                all += 1;
                right += usize::from(overlaps(word, *at, chinese.len()));
            }
        }
    }
    println!("{right} of {all}");
    assert!(all > 15, "{all}");
    assert!(right * 100 >= all * 85, "{right} of {all}");
}

#[test]
fn what_is_copied_comes_from_itself() {
    for (text, copied) in [
        ("汤姆在2025年买了3本书。", "2025"),
        (
            "請訪問 https://example.com/a?b=1 看看。",
            "https://example.com/a?b=1",
        ),
        ("\u{ad}我\u{200b}用 GitHub 写程序。", "GitHub"),
        ("他买了１２本书。", "12"),
    ] {
        let options = Options::default().with_alignment();
        let translation = TRANSLATOR.translate(text, &options).unwrap();
        let at = translation.text.find(copied);
        let at = at.unwrap_or_else(|| panic!("{}", translation.text));
        let sentence = &text[translation.sentences[0].source.clone()];
        let found: Vec<&str> = translation.sentences[0]
            .alignment
            .iter()
            .filter(|pair| pair.target.start < at + copied.len() && at < pair.target.end)
            .map(|pair| &sentence[pair.source.clone()])
            .collect();
        let narrow = found
            .concat()
            .replace('１', "1")
            .replace('２', "2")
            .replace('５', "5");
        assert!(
            narrow.contains(copied) || copied.contains(&narrow),
            "{text}: {found:?}"
        );
        assert!(!found.is_empty(), "{text}");
    }
}

#[test]
fn nobody_pays_for_what_was_not_asked_for() {
    let text = "我们今天去学校。你好！";
    let aligned = TRANSLATOR
        .translate(text, &Options::default().with_alignment())
        .unwrap();
    let plain = TRANSLATOR.translate(text, &Options::default()).unwrap();
    assert_eq!(plain.text, aligned.text);
    assert!(plain.sentences.iter().all(|s| s.alignment.is_empty()));
    assert!(aligned.sentences.iter().all(|s| !s.alignment.is_empty()));
}
