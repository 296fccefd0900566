//! Every format from the outside: bytes in, bytes out, with a translator of no language.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod support;

use std::io::Cursor;
use std::ops::ControlFlow;

use csanmt_documents::{Column, Document, DocumentError, Format, Limits, Settings};
use support::{Marking, archive, part};

fn translated(name: &str, bytes: &[u8], settings: &Settings) -> Result<Vec<u8>, DocumentError> {
    let format = Format::detect(name, bytes)?;
    let document = Document::open(format, bytes, settings)?;
    let mut output = Cursor::new(Vec::new());
    document.translate(&Marking, &mut output, &mut |_| ControlFlow::Continue(()))?;
    Ok(output.into_inner())
}

fn with_defaults(name: &str, bytes: &[u8]) -> Vec<u8> {
    translated(name, bytes, &Settings::default()).unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn n1_text_keeps_lines_and_encoding() {
    let text = "\u{feff}第一行\r\n\r\n  第二行\n";
    let expected = "\u{feff}[第一行\r\n\r\n  第二行]\n";
    assert_eq!(with_defaults("a.txt", text.as_bytes()), expected.as_bytes());
    assert_eq!(
        with_defaults("a.txt", &utf16("\u{feff}好\r\n")),
        utf16("\u{feff}[好]\r\n")
    );
    // GB18030.
    assert_eq!(with_defaults("a.txt", b"\xba\xc3\n"), b"[\xba\xc3]\n");
    assert_eq!(with_defaults("a.txt", b""), b"");
    let english = b"No Chinese here,\r\n\tleft alone.\n";
    assert_eq!(with_defaults("a.txt", english), english);
}

#[test]
fn n1_subtitles_json_and_tables() {
    let film = "1\n00:00:01,000 --> 00:00:02,000\n<b>你</b>好\n";
    assert_eq!(
        with_defaults("a.srt", film.as_bytes()),
        "1\n00:00:01,000 --> 00:00:02,000\n<b>[你]</b>[好]\n".as_bytes()
    );
    let film = "WEBVTT\n\n00:01.000 --> 00:02.000\n你好\n";
    assert_eq!(
        with_defaults("a", film.as_bytes()),
        film.replace("你好", "[你好]").as_bytes()
    );
    let json = "{\"键\": [\"值\", 1.0, \"ok\"]}";
    assert_eq!(
        with_defaults("a.json", json.as_bytes()),
        json.replace("值", "[值]").as_bytes()
    );
    let table = "名,备注\n苹果,一\n";
    let by = |column| Settings::default().with_columns(vec![column]);
    let out = |column| translated("a.csv", table.as_bytes(), &by(column)).unwrap();
    assert_eq!(
        out(Column::Name("备注".to_owned())),
        "名,备注\n苹果,[一]\n".as_bytes()
    );
    assert_eq!(out(Column::Number(1)), "[名],备注\n[苹果],一\n".as_bytes());
    let error = translated("a.csv", table.as_bytes(), &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("“名”, “备注”"), "{error}");
}

const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

fn word(root: &str, text: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><w:{root} xmlns:w=\"{WORD}\"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{root}>"
    )
}

fn docx(document: &str) -> Vec<u8> {
    let kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.";
    let types: String = [
        "document.main",
        "header",
        "footer",
        "footnotes",
        "endnotes",
        "comments",
    ]
    .iter()
    .map(|part| {
        let name = part.split('.').next().unwrap();
        format!("<Override PartName=\"/word/{name}1.xml\" ContentType=\"{kind}{part}+xml\"/>")
    })
    .collect();
    let types = format!("<Types>{types}</Types>");
    archive(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("word/document1.xml", document.as_bytes()),
        ("word/header1.xml", word("hdr", "页眉").as_bytes()),
        ("word/footer1.xml", word("ftr", "页脚").as_bytes()),
        ("word/footnotes1.xml", word("footnotes", "脚注").as_bytes()),
        ("word/styles.xml", word("styles", "样式").as_bytes()),
        ("word/media/图.png", &[0, 1, 2]),
    ])
}

#[test]
fn n2_all_parts_of_a_word_document_with_text_are_translated() {
    let out = with_defaults("a.docx", &docx(&word("document", "正文")));
    for (name, text) in [
        ("word/document1.xml", "[正文]"),
        ("word/header1.xml", "[页眉]"),
        ("word/footer1.xml", "[页脚]"),
        ("word/footnotes1.xml", "[脚注]"),
        ("word/styles.xml", ">样式<"),
    ] {
        let part = String::from_utf8(part(&out, name)).unwrap();
        assert!(part.contains(text), "{part}");
    }
    assert_eq!(part(&out, "word/media/图.png"), [0, 1, 2]);
    let unchanged = docx(&word("document", "text"));
    assert_eq!(
        part(&with_defaults("x", &unchanged), "word/document1.xml"),
        word("document", "text").as_bytes()
    );
}

#[test]
fn n2_broken_and_hostile_word_documents_are_refused() {
    let refused = |document: &str| translated("a.docx", &docx(document), &Settings::default());
    let laughs =
        "<!DOCTYPE w [<!ENTITY a \"哈哈\"><!ENTITY b \"&a;&a;&a;\">]><w:document>&b;</w:document>";
    assert!(matches!(
        refused(laughs),
        Err(DocumentError::Entities { .. })
    ));
    assert!(matches!(
        refused("<w:document><w:p>"),
        Err(DocumentError::Xml { .. })
    ));
    assert!(matches!(
        refused(&"<a>".repeat(100_000)),
        Err(DocumentError::Limit { .. })
    ));
    let bomb = format!("<w:document>{}</w:document>", " ".repeat(30 << 20));
    assert!(matches!(refused(&bomb), Err(DocumentError::Limit { .. })));
    let whole = docx(&word("document", "正文"));
    assert!(matches!(
        Format::detect("a.docx", &whole[..whole.len() / 2]),
        Err(DocumentError::Archive { .. })
    ));
    let other = archive(&[("readme.txt", b"x")]);
    assert!(matches!(
        Format::detect("a.docx", &other),
        Err(DocumentError::Unsupported { .. })
    ));
    let wrong = Document::open(Format::Epub, &whole, &Settings::default());
    assert!(matches!(wrong, Err(DocumentError::Missing { .. })));
    let small = Limits::default().with_file(10);
    let error = Document::open(
        Format::Text,
        &[b'a'; 11],
        &Settings::default().with_limits(small),
    );
    assert!(matches!(error, Err(DocumentError::Limit { .. })));
}

fn epub(extra: &[(&str, &[u8])]) -> Vec<u8> {
    let page = |text: &str| format!("<html><body><p>{text}</p></body></html>");
    let manifest = "<package><manifest>\
        <item id=\"a\" href=\"text/%E7%AB%A0.xhtml\" media-type=\"application/xhtml+xml\"/>\
        <item id=\"n\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\
        <item id=\"t\" href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/>\
        <item id=\"c\" href=\"style.css\" media-type=\"text/css\"/></manifest></package>";
    let container =
        "<container><rootfiles><rootfile full-path=\"OEBPS/content.opf\"/></rootfiles></container>";
    let mut parts: Vec<(&str, Vec<u8>)> = vec![
        ("META-INF/container.xml", container.into()),
        ("mimetype", b"application/epub+zip".to_vec()),
        ("OEBPS/content.opf", manifest.into()),
        ("OEBPS/text/章.xhtml", page("第一章").into()),
        ("OEBPS/nav.xhtml", page("目录").into()),
        (
            "OEBPS/toc.ncx",
            "<ncx><navLabel><text>第一章</text></navLabel></ncx>".into(),
        ),
        ("OEBPS/style.css", "p { content: '中' }".into()),
    ];
    parts.extend(extra.iter().map(|(name, bytes)| (*name, bytes.to_vec())));
    let parts: Vec<(&str, &[u8])> = parts
        .iter()
        .map(|(name, bytes)| (*name, &bytes[..]))
        .collect();
    archive(&parts)
}

#[test]
fn n3_pages_and_titles_of_a_book_are_translated() {
    let out = with_defaults("book.zip", &epub(&[]));
    for (name, text) in [
        ("OEBPS/text/章.xhtml", "<p>[第一章]</p>"),
        ("OEBPS/nav.xhtml", "<p>[目录]</p>"),
        ("OEBPS/toc.ncx", "<text>[第一章]</text>"),
        ("OEBPS/style.css", "'中'"),
    ] {
        let part = String::from_utf8(part(&out, name)).unwrap();
        assert!(part.contains(text), "{part}");
    }
    // The first part, stored: its name and content are at fixed places.
    assert_eq!(&out[30..58], b"mimetypeapplication/epub+zip");
}

#[test]
fn n3_protected_books_are_refused_and_scrambled_fonts_are_not() {
    let encryption = |uri: &str| {
        format!(
            "<encryption><CipherData><CipherReference URI=\"{uri}\"/></CipherData></encryption>"
        )
    };
    let font = encryption("OEBPS/font.otf");
    with_defaults(
        "a.epub",
        &epub(&[("META-INF/encryption.xml", font.as_bytes())]),
    );
    let page = encryption("OEBPS/text/%E7%AB%A0.xhtml");
    let protected = epub(&[("META-INF/encryption.xml", page.as_bytes())]);
    let error = translated("a.epub", &protected, &Settings::default()).unwrap_err();
    assert!(matches!(error, DocumentError::Encrypted { .. }), "{error}");
}

#[test]
fn n4_progress_counts_to_the_end_and_can_stop() {
    let text = "一句话。\n".repeat(5000);
    let document = Document::open(Format::Text, text.as_bytes(), &Settings::default()).unwrap();
    let mut reports = Vec::new();
    let mut output = Cursor::new(Vec::new());
    let summary = document
        .translate(&Marking, &mut output, &mut |progress| {
            // While sentences are counted there is no progress yet.
            if progress.sentences > 0 {
                reports.push(progress);
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(summary.units > 1);
    let last = reports.last().unwrap();
    assert_eq!(last.sentences_done, last.sentences);
    assert_eq!(last.sentences, document.units().unwrap().len());
    assert!(
        reports
            .iter()
            .all(|progress| progress.sentences == last.sentences)
    );
    assert!(
        reports
            .windows(2)
            .all(|pair| pair[0].sentences_done <= pair[1].sentences_done)
    );
    for stop in [0, 3, reports.len() - 1] {
        let mut calls = 0;
        let outcome = document.translate(&Marking, &mut Cursor::new(Vec::new()), &mut |_| {
            calls += 1;
            if calls > stop {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert!(matches!(outcome, Err(DocumentError::Cancelled)), "{stop}");
        assert_eq!(calls, stop + 1);
    }
}

#[test]
fn n4_what_is_in_memory_does_not_grow_with_the_file() {
    // What was handed out together, at most.
    let text = "一句话。\n".repeat(200_000);
    let document = Document::open(Format::Text, text.as_bytes(), &Settings::default()).unwrap();
    let widest = support::Widest::default();
    let mut output = support::Nowhere::default();
    document
        .translate(&widest, &mut output, &mut |_| ControlFlow::Continue(()))
        .unwrap();
    assert!(output.written > text.len() as u64);
    assert!(widest.bytes.get() < 256 << 10, "{}", widest.bytes.get());
}
