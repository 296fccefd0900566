//! Documents: what is between sentences is kept.

use csanmt_text::document::SENTENCE_MARK;
use csanmt_text::{Document, SegmentKind, SentenceSplitter};
use proptest::prelude::*;

fn translated(text: &str) -> String {
    let document = Document::parse(text);
    let count = document.sentences().count();
    let translations: Vec<String> = (0..count).map(|i| format!("S{i}.")).collect();
    document.render(&translations).text
}

fn breaks(text: &str) -> usize {
    text.matches(['\n', '\r']).count()
}

#[test]
fn c1_lines_and_their_breaks_are_kept() {
    assert_eq!(translated("你好。\n\n再见。\n"), "S0.\n\nS1.\n");
    assert_eq!(
        translated("\n你好。\r\n再见。\r\n\r\n"),
        "\nS0.\r\nS1.\r\n\r\n"
    );
    assert_eq!(translated("你好。\r再见。"), "S0.\rS1.");
}

#[test]
fn c2_white_space_at_the_ends_of_lines_is_kept() {
    assert_eq!(
        translated("\u{3000}\u{3000}你好。 \n\t再见。\u{3000}"),
        "\u{3000}\u{3000}S0. \n\tS1.\u{3000}"
    );
    assert_eq!(translated("姓名\t年龄\t\t城市 \n"), "S0.\tS1.\t\tS2. \n");
    assert_eq!(translated("你好。\t再见。"), "S0.\tS1.");
}

#[test]
fn c3_text_without_sentences_is_echoed() {
    for text in [
        "",
        " ",
        "\n\n",
        "\u{0}\u{1}\u{1e}",
        "\u{feff}",
        "\r\n \t\u{3000}\n",
    ] {
        let document = Document::parse(text);
        assert_eq!(document.sentences().count(), 0);
        assert_eq!(document.render::<&str>(&[]).text, text);
    }
}

#[test]
fn c4_five_thousand_sentences_in_order() {
    let text: String = (0..5000).map(|i| format!("这是第{i}句。")).collect();
    let document = Document::parse(&text);
    let sentences: Vec<_> = document.sentences().collect();
    assert_eq!(sentences.len(), 5000);
    for (i, sentence) in sentences.iter().enumerate() {
        assert_eq!(sentence, &format!("这是第{i}句。"));
    }
}

#[test]
fn c8_invisible_characters_go_in_sentences_and_stay_in_gaps() {
    let document = Document::parse("\u{feff}人\u{ad}工\u{200b}智能。\u{200b}\n");
    assert_eq!(document.sentences().collect::<Vec<_>>(), ["人工智能。"]);
    assert_eq!(document.render(&["AI."]).text, "\u{feff}AI.\u{200b}\n");
}

#[test]
fn d5_one_space_between_sentences_and_none_at_line_ends() {
    assert_eq!(
        translated("你好。再见。\n明天  见。   好。"),
        "S0. S1.\nS2. S3."
    );
    let document = Document::parse("你好。再见。好。");
    assert_eq!(document.render(&["A", "", "B"]).text, "A B");
    assert_eq!(document.render(&["", "A", ""]).text, "A");
    assert_eq!(
        document.render_joined(&["甲", "乙", "丙"], "").text,
        "甲乙丙"
    );
}

#[test]
fn sentence_mark_separates_and_is_kept() {
    let text = format!("你好{SENTENCE_MARK}再见。好{SENTENCE_MARK}{SENTENCE_MARK} 走");
    let document = Document::parse(&text);
    assert_eq!(
        document.sentences().collect::<Vec<_>>(),
        ["你好", "再见。", "好", "走"]
    );
    assert_eq!(
        translated(&text),
        format!("S0.{SENTENCE_MARK}S1. S2.{SENTENCE_MARK}{SENTENCE_MARK} S3.")
    );
}

#[test]
fn missing_translations_leave_the_source() {
    assert_eq!(
        Document::parse("你好。再见。").render(&["Hi."]).text,
        "Hi. 再见。"
    );
}

#[test]
fn a_translation_is_one_line() {
    let rendered = Document::parse("你好。\n").render(&["a\nb\r\nc"]);
    assert_eq!(rendered.text, "a b  c\n");
    assert_eq!(rendered.ranges.len(), 1);
    assert_eq!(rendered.ranges[0], 0..6);
}

/// Text of the characters that decide something.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ \n\r\t\u{3000}\u{feff}\u{200b}\u{0}\u{85}\u{2028}]{1,2}",
        "[。！？；…，、：“”‘’「」《》（）\"'.!?;,:()]{1,2}",
        "[一-三说道ABab1-3]{1,4}",
        Just(SENTENCE_MARK.to_owned()),
        Just("https://a.com/b?c=d".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn segments_tile_the_text(text in text(), max_chars in 0_usize..40) {
        let splitter = SentenceSplitter::new("zh").with_max_chars(max_chars);
        let document = Document::parse_with(&text, &splitter);
        let mut end = 0;
        for segment in document.segments() {
            prop_assert_eq!(segment.range.start, end);
            prop_assert!(segment.range.end > end);
            let part = &text[segment.range.clone()];
            match segment.kind {
                SegmentKind::Sentence => {
                    prop_assert_eq!(part.trim(), part);
                    prop_assert_eq!(breaks(part), 0);
                }
                SegmentKind::Gap => {
                    prop_assert!(!part.replace(SENTENCE_MARK, "").contains(char::is_alphanumeric));
                }
                SegmentKind::Space => prop_assert_eq!(part.trim(), ""),
            }
            end = segment.range.end;
        }
        prop_assert_eq!(end, text.len());
    }

    #[test]
    fn c1_line_breaks_are_kept_whatever_the_translations_are(
        text in text(),
        translations in prop::collection::vec("[ -~\n]{0,9}", 0..30),
    ) {
        let rendered = Document::parse(&text).render(&translations);
        prop_assert_eq!(breaks(&rendered.text), breaks(&text));
        let lines = |text: &str| text.split('\n').count();
        prop_assert_eq!(lines(&rendered.text), lines(&text));
        for range in rendered.ranges {
            prop_assert!(rendered.text.get(range).is_some());
        }
    }

    #[test]
    fn rendering_the_sentences_themselves_loses_only_inner_spaces(text in text()) {
        let document = Document::parse(&text);
        let sources: Vec<&str> = document.sentence_ranges().map(|range| &text[range]).collect();
        let squeeze = |text: &str| text.replace(char::is_whitespace, "");
        prop_assert_eq!(squeeze(&document.render(&sources).text), squeeze(&text));
    }
}

/// The sentences of texts as recorded; the package has to find the same in WebAssembly, where
/// nothing of the browser helps.
#[test]
fn d3_sentences_are_the_recorded_ones() {
    #[derive(serde::Deserialize)]
    struct Record {
        text: String,
        sentences: Vec<String>,
    }
    let golden = include_str!("../../../tests/golden/sentences.jsonl");
    let mut count = 0;
    for line in golden.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        let document = Document::parse(&record.text);
        let found: Vec<_> = document.sentences().collect();
        assert_eq!(found, record.sentences);
        count += found.len();
    }
    assert!(count > 30, "{count}");
}
