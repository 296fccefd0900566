//! Elements in translations of the default model.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;

use csanmt::markup::{Piece, TaggedSentences, TaggedText, TaggedTextBuilder};
use csanmt::{Error, Options, Translator};

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Translator::open(root.join("models/zh-en-tiny.safetensors")).unwrap()
});

/// `[ab]` is an element, `{ab}` a kept one, `*` an empty one.
fn tagged(text: &str) -> TaggedText {
    let marks = ['[', ']', '{', '}', '*'];
    let mut builder = TaggedTextBuilder::default();
    let mut kept = false;
    for part in text.split_inclusive(marks) {
        let content = part.trim_end_matches(marks);
        if kept {
            builder.keep(content);
        } else {
            builder.text(content);
        }
        match &part[content.len()..] {
            "[" => drop(builder.open()),
            "]" => builder.close(),
            "*" => drop(builder.empty()),
            "{" => kept = true,
            "}" => kept = false,
            _ => {}
        }
    }
    builder.build()
}

fn show(text: &TaggedText) -> String {
    text.pieces()
        .map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Open(element) => format!("<{element}>"),
            Piece::Close(element) => format!("</{element}>"),
        })
        .collect()
}

fn translate(texts: &[&str]) -> Vec<TaggedText> {
    let texts = texts.iter().map(|text| tagged(text)).collect();
    TRANSLATOR
        .translate_tagged(texts, &Options::default())
        .unwrap()
}

fn plain(text: &str) -> String {
    TRANSLATOR
        .translate(text, &Options::default())
        .unwrap()
        .text
}

#[test]
fn e2_the_text_is_translated_as_if_it_had_no_elements() {
    let texts = [
        "我们[今天]去[[学校]和图书馆]。",
        "  点击[这里]获取帮助。[你好]*。\n[第二行]",
        "[]",
        "Hello [world]!",
        "",
    ];
    for (source, found) in texts.iter().zip(translate(&texts)) {
        let source = tagged(source);
        assert_eq!(found.text(), plain(source.text()), "{}", show(&source));
        assert_eq!(found.elements(), source.elements());
    }
}

#[test]
fn e1_e6_every_element_is_there_once_and_links_have_text() {
    let source = "我们[今天]去[[学校]和*图书馆]。";
    let text = &translate(&[source])[0];
    for element in 0..text.elements() {
        let range = text.range(element).unwrap();
        assert_eq!(range.is_empty(), element == 3, "{}", show(text));
        assert_eq!(text.parent(element), tagged(source).parent(element));
    }
}

#[test]
fn b12_what_is_kept_is_kept_byte_for_byte() {
    let sources = [
        "运行{make  all。然后}，然后等待。",
        "{保存}按钮在左边。",
        "请按{Ｃｔｒｌ}和{ｃ}。{}",
        "函数{f(x)。}返回{0}和{1}。",
        "{你好}",
        "他说[“{再见}”]。\n{再见}",
    ];
    for (source, found) in sources.iter().zip(translate(&sources)) {
        let source = tagged(source);
        let kept: Vec<usize> = (0..source.elements())
            .filter(|&i| source.is_kept(i))
            .collect();
        assert!(!kept.is_empty());
        for i in kept {
            let before = &source.text()[source.range(i).unwrap()];
            let after = &found.text()[found.range(i).unwrap()];
            assert_eq!(before, after, "{}", show(&found));
        }
    }
}

#[test]
fn text_that_is_not_translated_is_as_it_was() {
    let sources = [
        "Hello,  [wide] *  world! {x}",
        "[[]]*",
        " \n ",
        "12:30 [2025]",
    ];
    for (source, found) in sources.iter().zip(translate(&sources)) {
        assert_eq!(found, tagged(source));
    }
}

#[test]
fn a_tagged_job_goes_in_steps_and_the_original_pipeline_knows_no_elements() {
    let texts: Vec<TaggedText> = ["[你好]。", "[谢谢]。", "再[见]。"].map(tagged).into();
    let mut job = TRANSLATOR
        .tagged_job(texts.clone(), &Options::default())
        .unwrap();
    job.advance().unwrap();
    assert_eq!(job.progress().sentences_done, 1);
    while !job.is_done() {
        job.advance().unwrap();
    }
    let found = job.finish();
    let whole = TRANSLATOR.translate_tagged(texts.clone(), &Options::default());
    assert_eq!(found, whole.unwrap());
    let error = TRANSLATOR.tagged_job(texts, &Options::raw()).unwrap_err();
    assert!(matches!(error, Error::Option { name: "raw", .. }));
}

#[test]
fn parts_of_a_text_joined_are_the_whole() {
    let texts = [
        "",
        "Nothing but English.",
        "我们[今天]去[学校。老师]很高兴！  \u{200b}你想喝{茶}吗？*\n\n他[昨天买了[一本]书。",
        "今天天气很好。我们去公园。你呢？\t我不去。 OK.  Fine.",
    ];
    for text in texts {
        let whole = translate(&[text]).remove(0);
        let sentences = TaggedSentences::of(tagged(text));
        for size in 1..=sentences.count() + 1 {
            let mut parts = Vec::new();
            for first in (0..sentences.count()).step_by(size) {
                let run = first..first + size;
                let mut job = TRANSLATOR
                    .tagged_part_job(&sentences, run, &Options::default())
                    .unwrap();
                while !job.is_done() {
                    job.advance_with(&mut |_| ControlFlow::Continue(()))
                        .unwrap();
                }
                parts.extend(job.finish());
            }
            let missing = parts[..parts.len().saturating_sub(1)].to_vec();
            if missing.len() < parts.len() {
                assert!(sentences.join(missing).is_none());
            }
            assert_eq!(
                sentences.join(parts),
                Some((whole.clone(), false)),
                "{text}"
            );
        }
    }
}
