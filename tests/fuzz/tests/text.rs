//! What works on plain text: the splitter of sentences and the finder of protected spans.

use csanmt_fuzz::fuzz;
use csanmt_text::document::{Document, SENTENCE_MARK};
use csanmt_text::{SentenceSplitter, protect};

const TEXT: &str = "他说：“你好！”我3.14走了……（真的吗？）\r\n\r\n　一、第一条；二、第二条。 U.S. Mr. Li v1.2.3 12:30\n\
    https://example.com/路径?q=1#top a@b.cn @name #标签 C:\\dir /usr/bin 192.168.0.1:80 %s {name} ${v} <0/> [1] `code` $x^2$\n\
    👨‍👩‍👧 🇨🇳 1️⃣ ✓ ㎡ 3.5万 1.2亿 100％ 2025年3月8日 周三 6比3 《书。名》 a\u{200b}b\u{ad}c\u{feff}\u{85}\u{2028}完<SENT_SPLIT>又";
const WORDS: &[&str] = &[
    "。",
    "！",
    "？",
    "…",
    "”",
    "」",
    "）",
    "“",
    "「",
    "（",
    "《",
    ".",
    " ",
    "\t",
    "\r\n",
    "\n",
    "\u{2028}",
    SENTENCE_MARK,
    "https://",
    "www.",
    "@",
    "#",
    "%s",
    "{",
    "}",
    "`",
    "$",
    "<",
    ">",
    "\\",
    "/",
    "1",
    "万",
    "亿",
    "月",
    "%",
    ":",
    "\u{200d}",
    "\u{fe0f}",
    "\u{20e3}",
    "🇨",
    "\u{1f3fb}",
    "\0",
];

#[test]
fn splitter() {
    fuzz("splitter", &[TEXT.as_bytes()], WORDS, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for splitter in [
            SentenceSplitter::default(),
            SentenceSplitter::default().with_max_chars(10),
        ] {
            let document = Document::parse_with(&text, &splitter);
            let mut end = 0;
            for segment in document.segments() {
                assert_eq!(segment.range.start, end, "segments tile the text");
                assert!(segment.range.end > end);
                end = segment.range.end;
            }
            assert_eq!(end, text.len());
            let sentences: Vec<&str> = document
                .sentence_ranges()
                .map(|range| &text[range])
                .collect();
            assert_eq!(
                document.render(&sentences).text,
                text,
                "copies are the text"
            );
            let breaks = |text: &str| text.matches('\n').count();
            let other = vec!["x"; sentences.len()];
            assert_eq!(
                breaks(&document.render(&other).text),
                breaks(&text),
                "lines stay"
            );
        }
    });
}

#[test]
fn protected_spans() {
    fuzz("spans", &[TEXT.as_bytes()], WORDS, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let spans = protect::spans(&text);
        let mut end = 0;
        for span in &spans {
            assert!(
                span.range.start >= end && span.range.end > span.range.start,
                "{span:?}"
            );
            assert!(text.get(span.range.clone()).is_some(), "{span:?} is text");
            end = span.range.end;
            let _ = protect::render(&text, span);
        }
        for output in [&*text, ""] {
            assert!(protect::missing(&text, &spans, output).len() <= spans.len());
        }
        let _ = protect::number::find(&text);
        let breaks = |text: &str| text.matches('\n').count();
        assert_eq!(
            breaks(&protect::in_digits(&text)),
            breaks(&text),
            "lines stay"
        );
    });
}
