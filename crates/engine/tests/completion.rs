//! Translations that somebody has begun.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::LazyLock;

use csanmt::{Format, Options, Translation, Translator};

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Translator::open(root.join("models/zh-en-tiny.safetensors")).unwrap()
});

fn translate(text: &str, options: &Options) -> Translation {
    TRANSLATOR.translate(text, options).unwrap()
}

#[test]
fn a_translation_begins_with_what_is_given() {
    for source in [
        "我们今天去学校。",
        "价格是3.5万元。",
        "請發郵件至support@example.com。",
    ] {
        for prefix in [
            "We",
            "Today ",
            "Tod",
            "On this day, we w",
            "The \u{201c}quoted\u{201d} Zürich – it's",
            "我们 say",
            "100,000.5% o",
            " leading",
        ] {
            let options = Options::default().with_prefix(prefix).with_n_best(4);
            let found = translate(source, &options);
            assert!(
                found.text.starts_with(prefix),
                "{source} {prefix:?}: {}",
                found.text
            );
            for hypothesis in &found.sentences[0].hypotheses {
                assert!(
                    hypothesis.text.starts_with(prefix),
                    "{prefix:?}: {}",
                    hypothesis.text
                );
            }
        }
    }
}

/// What it would have said anyway is said again, from wherever it is cut, or something that the model
/// finds better: all beams go to what follows, so that they find what the free search has missed.
#[test]
fn its_own_beginning_changes_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pairs = std::fs::read_to_string(root.join("tests/golden/dev.tsv")).unwrap();
    let sources = pairs.lines().map(|line| line.split('\t').next().unwrap());
    let (mut same, mut better, mut all) = (0, 0, 0);
    for source in sources
        .filter(|source| source.chars().count() < 20)
        .take(25)
    {
        let free = translate(source, &Options::default().with_n_best(1));
        if free.sentences.len() != 1 || !free.sentences[0].work.faults.is_empty() {
            continue;
        }
        let whole = &free.text;
        for (at, _) in whole.char_indices().step_by(5) {
            let options = Options::default().with_n_best(1).with_prefix(&whole[..at]);
            let completed = translate(source, &options);
            let found = &completed.text;
            assert!(found.starts_with(&whole[..at]), "{source}: {found}");
            let score = |text: &Translation| text.sentences[0].hypotheses[0].score;
            let (own, others) = (score(&free), score(&completed));
            if found == whole {
                same += 1;
            } else {
                println!(
                    "{source}: [{}] {found} {others}, not {whole} {own}",
                    &whole[..at]
                );
                better += usize::from(others > own);
            }
            all += 1;
        }
    }
    println!("{same} the same, {better} better, {all} in all");
    assert!(same * 4 >= all * 3, "{same} of {all} are the same");
    let good = same + better;
    assert!(
        good * 10 >= all * 9,
        "{good} of {all} are the same or better"
    );
}

#[test]
fn only_the_first_sentence_is_given_and_nothing_is_lost() {
    let options = Options::default().with_prefix("Thanks");
    let found = translate("谢谢。\n再见。\n", &options);
    let lines: Vec<&str> = found.text.split('\n').collect();
    assert!(
        lines[0].starts_with("Thanks") && !lines[1].starts_with("Thanks"),
        "{lines:?}"
    );
    assert_eq!(lines[1], translate("再见。", &Options::default()).text);
    // Nothing to translate: nothing to begin.
    assert_eq!(translate("12:30", &options).text, "12:30");
    let page = translate("<p>谢谢你。</p>", &options.with_format(Format::Html));
    assert!(page.text.starts_with("<p>Thanks"), "{}", page.text);
    let raw = Options::raw().with_prefix("Thanks");
    assert!(translate("谢谢。", &raw).text.starts_with("Thanks"));
}

#[test]
fn a_beginning_longer_than_the_limit_is_told() {
    let prefix = "and so on ".repeat(60);
    let found = translate("谢谢。", &Options::default().with_prefix(&prefix));
    assert!(found.text.starts_with(&prefix), "{}", found.text);
    assert!(found.sentences[0].truncated);
}
