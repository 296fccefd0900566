//! The default model through the public API.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use csanmt::{Error, Kernels, Options, Translator};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

static TRANSLATOR: LazyLock<Translator> =
    LazyLock::new(|| Translator::open(root().join("models/zh-en-tiny.safetensors")).unwrap());

/// The Chinese side of the development set.
fn sources() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    text.lines()
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

fn translate(text: &str) -> String {
    TRANSLATOR
        .translate(text, &Options::default())
        .unwrap()
        .text
}

#[test]
fn every_sentence_of_the_development_set_gets_a_translation() {
    let sources = sources();
    let text = translate(&sources.join("\n"));
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines.len(), sources.len());
    for (source, line) in sources.iter().zip(lines) {
        assert!(!line.trim().is_empty(), "{source}");
        for never in ["<unk>", "@@", "</s>", "<SENT_SPLIT>"] {
            assert!(!line.contains(never), "{source}: {line}");
        }
    }
}

#[test]
fn a_translation_does_not_depend_on_its_neighbours() {
    let sources = &sources()[..60];
    let together = translate(&sources.join("\n"));
    for (source, line) in sources.iter().zip(together.split('\n')) {
        assert_eq!(translate(source), line);
    }
}

#[test]
fn all_instruction_sets_give_the_same_translations() {
    let text = sources()[..6].join("\n");
    let expected = translate(&text);
    let bytes = std::fs::read(root().join("models/zh-en-tiny.safetensors")).unwrap();
    for kernels in Kernels::available() {
        let aligned = csanmt::AlignedBytes::from(&bytes[..]);
        let translator = Translator::with_kernels(aligned, kernels).unwrap();
        let found = translator
            .translate(&text, &Options::default())
            .unwrap()
            .text;
        assert_eq!(found, expected, "{}", translator.instruction_set());
    }
}

#[test]
fn line_structure_is_kept() {
    assert_eq!(translate(""), "");
    assert_eq!(translate(" \n\n\t\r\n"), " \n\n\t\r\n");
    let text = translate("\n  你好。\r\n\r\n谢谢！再见！\n");
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines.len(), 5, "{text:?}");
    assert!(
        lines[0].is_empty() && lines[2] == "\r" && lines[4].is_empty(),
        "{text:?}"
    );
    assert!(
        lines[1].starts_with("  ") && lines[1].ends_with('\r'),
        "{text:?}"
    );
}

#[test]
fn text_without_chinese_is_copied() {
    for text in [
        "Hello, world!",
        "12:30",
        "https://example.org/?q=1",
        "😀",
        "ありがとう",
    ] {
        assert_eq!(translate(text), text);
    }
}

#[test]
fn copied_text_keeps_its_spacing_and_its_length() {
    let long = "abcdefghij".repeat(90);
    for text in [
        &long[..],
        "One.  Two!   Three?",
        "https://example.com/a.b?c=d. Next.",
    ] {
        assert_eq!(translate(text), text);
    }
}

#[test]
fn sentences_say_where_they_are() {
    let source = "你好。谢谢！\n\n再见。";
    let options = Options::default().with_n_best(4);
    let translation = TRANSLATOR.translate(source, &options).unwrap();
    let sentences: Vec<&str> = translation
        .sentences
        .iter()
        .map(|s| &source[s.source.clone()])
        .collect();
    assert_eq!(sentences, ["你好。", "谢谢！", "再见。"]);
    for sentence in &translation.sentences {
        let text = &translation.text[sentence.target.clone()];
        assert_eq!(text, sentence.hypotheses[0].text);
        assert!((1..=4).contains(&sentence.hypotheses.len()));
        assert!(sentence.hypotheses.is_sorted_by(|a, b| a.score >= b.score));
    }
}

#[test]
fn a_job_in_steps_gives_what_one_call_gives() {
    let text = sources()[..50].join("\n");
    let mut job = TRANSLATOR.job(&text, &Options::default()).unwrap();
    let mut before = String::new();
    let mut steps = 0;
    while !job.is_done() {
        let progress = job.advance().unwrap();
        let so_far = job.text_so_far();
        assert!(so_far.starts_with(&before), "what was shown stays");
        assert_eq!(
            steps == 0,
            progress.sentences_done == 1,
            "the first step is short"
        );
        before = so_far.to_owned();
        steps += 1;
    }
    assert!(steps > 3);
    assert_eq!(job.finish().text, translate(&text));
}

#[test]
fn a_batch_limit_changes_the_steps_and_not_the_translation() {
    let text = sources()[..12].join("\n");
    let mut job = TRANSLATOR
        .job(&text, &Options::default().with_batch(2))
        .unwrap();
    let mut done = 0;
    while !job.is_done() {
        let progress = job.advance().unwrap();
        assert!(progress.sentences_done - done <= 2);
        done = progress.sentences_done;
    }
    assert_eq!(job.finish().text, translate(&text));
}

#[test]
fn a_cancelled_job_stops_within_a_step_and_can_go_on() {
    let text = sources()[..8].join("\n");
    let mut job = TRANSLATOR.job(&text, &Options::default()).unwrap();
    let mut calls = 0;
    let cancelled = job.advance_with(&mut |_| {
        calls += 1;
        ControlFlow::Break(())
    });
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    assert_eq!(calls, 1);
    while !job.is_done() {
        job.advance().unwrap();
    }
    assert_eq!(job.finish().text, translate(&text));
}

#[test]
fn options_out_of_range_are_refused() {
    for beam in [0, 9] {
        let error = TRANSLATOR
            .translate("你好", &Options::default().with_beam(beam))
            .unwrap_err();
        assert!(error.to_string().contains("beam"), "{error}");
    }
}

#[test]
fn the_original_separator_is_kept() {
    let text = translate("你好。<SENT_SPLIT>谢谢。");
    assert_eq!(text.matches("<SENT_SPLIT>").count(), 1);
    let raw = TRANSLATOR
        .translate("你好。<SENT_SPLIT><SENT_SPLIT>谢谢。", &Options::raw())
        .unwrap();
    assert_eq!(raw.sentences.len(), 3);
    assert_eq!(raw.text.matches("<SENT_SPLIT>").count(), 2);
}

#[test]
fn translators_are_shared_between_threads() {
    let sources = sources();
    let expected: Vec<String> = sources[..12]
        .iter()
        .map(|source| translate(source))
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for (source, expected) in sources.iter().zip(&expected) {
                    assert_eq!(&translate(source), expected);
                }
            });
        }
    });
}

#[test]
fn files_that_are_no_models_are_refused() {
    assert!(matches!(
        Translator::open("no such file"),
        Err(Error::Io { .. })
    ));
    assert!(matches!(
        Translator::from_bytes([0u8; 100]),
        Err(Error::Format(_))
    ));
    let whole = std::fs::read(root().join("models/zh-en-tiny.safetensors")).unwrap();
    for len in [0, 7, 8, 100, 20_000, whole.len() / 2, whole.len() - 1] {
        let aligned = csanmt::AlignedBytes::from(&whole[..len]);
        assert!(Translator::from_bytes(aligned).is_err(), "{len} bytes");
    }
}
