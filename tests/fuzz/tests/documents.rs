//! Subtitles, JSON, tables, office documents and books.

mod support;

use csanmt_documents::{Column, Format};
use csanmt_fuzz::fuzz;
use support::{archive, check_text_format, rewritten, settings};

const FILM: &str = "1\r\n00:00:01,000 --> 00:00:02,000 X1:10\r\n<i>我们{\\an8}今天</i>\r\n去学校。\r\n\r\n\
    2\n00:00:03,000 --> 00:00:04,000\n- 你好！\n- <font color=\"#fff\">再见\n";
const WEB_FILM: &str = "WEBVTT - x\n\nNOTE 注\n\nSTYLE\n::cue{}\n\na\n00:01.000 --> 00:02.000 align:start\n<v 甲>一 &amp; 二\n三</v>\n\n\
    00:03.000 --> 00:04.000\n<c.red>四</c><00:03.500>五 &lt;\n";
const FILM_WORDS: &[&str] = &[
    "-->",
    "00:00:01,000 --> 00:00:02,000",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "<i>",
    "</i>",
    "<b>",
    "</b>",
    "<",
    ">",
    "{\\",
    "}",
    "&amp;",
    "&",
    "- ",
    "。",
    "NOTE ",
    "STYLE",
    "1",
    "<v ",
    "</v>",
    "<00:01.000>",
];

#[test]
fn subtitles() {
    fuzz(
        "subtitles",
        &[FILM.as_bytes(), WEB_FILM.as_bytes()],
        FILM_WORDS,
        |bytes| {
            let settings = settings();
            for format in [Format::Srt, Format::WebVtt] {
                let _ = rewritten(format, bytes, &settings, true);
                let Ok(copy) = rewritten(format, bytes, &settings, false) else {
                    continue;
                };
                if std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0')) {
                    assert_eq!(copy, bytes);
                }
            }
            let text = String::from_utf8_lossy(bytes);
            let cues = |text: &str| text.matches("-->").count();
            if let Ok(changed) = rewritten(Format::Srt, text.as_bytes(), &settings, true) {
                assert_eq!(
                    cues(&String::from_utf8_lossy(&changed)),
                    cues(&text),
                    "cues stay"
                );
            }
        },
    );
}

#[test]
fn json() {
    let seeds = [
        "{\"键\": [\"值\\u4e2d\\n\", -1.5e+3, true, null, {\"a\": \"二\\ud83d\\ude00\"}]}\n{\"b\":\"\"}".as_bytes(),
        b"[[[[\"\"]]]]",
    ];
    let words = [
        "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "\\ud83d", "1", "true", "\u{feff}",
        "\"一\"", "\n",
    ];
    fuzz("json", &seeds, &words, |bytes| {
        check_text_format(Format::Json, bytes, &settings())
    });
}

#[test]
fn tables() {
    let seeds = [
        "名,\"值 \"\"a\"\"\",x\r\n苹果,\"两\n行\",1\n梨;;\t\n".as_bytes(),
        "甲\t乙\n一\t二\n".as_bytes(),
    ];
    let words = [",", ";", "\t", "\"", "\"\"", "\n", "\r\n", "\r", "一"];
    fuzz("tables", &seeds, &words, |bytes| {
        for delimiter in [None, Some(b',')] {
            let settings = settings().with_columns(vec![Column::Number(1)]);
            let settings = match delimiter {
                Some(delimiter) => settings.with_delimiter(delimiter),
                None => settings,
            };
            // Changed text may be what the guess goes by.
            if delimiter.is_some() {
                check_text_format(Format::Csv, bytes, &settings);
            } else {
                let _ = rewritten(Format::Csv, bytes, &settings, true);
            }
        }
    });
}

#[test]
fn plain_text() {
    let seeds = [
        "\u{feff}一。\r\n\r\n二\n".as_bytes(),
        b"\xff\xfe\x60\x4f\x0a\x00",
        b"\xc4\xe3\xba\xc3\n",
    ];
    fuzz(
        "plain_text",
        &seeds,
        &["\n", "\r\n", "\u{feff}", "。", "\0"],
        |bytes| {
            let _ = rewritten(Format::Text, bytes, &settings(), true);
            let copy = rewritten(Format::Text, bytes, &settings(), false);
            if std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0')) {
                assert_eq!(copy.expect("UTF-8 is text"), bytes);
            }
        },
    );
}

const WORD: &str = "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>\
    <w:p><w:pPr><w:b/></w:pPr><w:bookmarkStart w:id=\"1\"/><w:r><w:t>我们</w:t></w:r><w:hyperlink><w:r><w:rPr><w:u/></w:rPr><w:t>今天&amp;</w:t>\
    <w:br/></w:r></w:hyperlink><w:ins><w:r><w:t xml:space=\"preserve\"> 去 </w:t><w:tab/></w:r></w:ins><w:del><w:r><w:delText>旧</w:delText></w:r></w:del>\
    <w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>HYPERLINK</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>\
    <w:r><w:t>页</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>控</w:t></w:r></w:sdtContent></w:sdt></w:p>\
    <w:p><w:r><w:txbxContent><w:p><w:r><w:t>框</w:t></w:r></w:p></w:txbxContent></w:r></w:p></w:body></w:document>";
const TYPES: &str = "<Types><Override PartName=\"/word/document.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>";
const WORD_WORDS: &[&str] = &[
    "<w:p>",
    "</w:p>",
    "<w:r>",
    "</w:r>",
    "<w:t>",
    "</w:t>",
    "<w:t/>",
    "<w:br/>",
    "<w:rPr>",
    "</w:rPr>",
    "<w:sdt>",
    "</w:sdt>",
    "<w:sdtContent>",
    "</w:sdtContent>",
    "<w:txbxContent>",
    "</w:txbxContent>",
    "<w:hyperlink>",
    "</w:hyperlink>",
    "<w:fldChar w:fldCharType=\"begin\"/>",
    "<w:fldChar w:fldCharType=\"end\"/>",
    "<w:fldChar w:fldCharType=\"separate\"/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#x4f60;",
    "<!DOCTYPE",
    "<?x",
    "?>",
    "<",
    ">",
    "/>",
    "一",
];

fn docx(document: &[u8]) -> Vec<u8> {
    archive(&[
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("word/document.xml", document),
    ])
}

/// A damaged part in a whole archive. What is read once can be read again when it was translated.
fn check_archive(format: Format, bytes: &[u8]) {
    let settings = settings();
    if rewritten(format, bytes, &settings, false).is_ok() {
        let changed = rewritten(format, bytes, &settings, true).expect("readable");
        rewritten(format, &changed, &settings, true).expect("readable again");
    }
}

#[test]
fn docx_parts() {
    fuzz("docx_parts", &[WORD.as_bytes()], WORD_WORDS, |bytes| {
        check_archive(Format::Docx, &docx(bytes))
    });
}

#[test]
fn docx_archives() {
    let words = [
        "PK\x01\x02",
        "PK\x03\x04",
        "PK\x05\x06",
        "\0\0\0\0",
        "../",
        "word/document.xml",
    ];
    fuzz(
        "docx_archives",
        &[&docx(WORD.as_bytes())],
        &words,
        |bytes| {
            let _ = Format::detect("a.docx", bytes);
            check_archive(Format::Docx, bytes);
        },
    );
}

const PAGE: &str = "<?xml version=\"1.0\"?><!DOCTYPE html><html><head><title>书</title></head><body><h1><a id=\"a\"/>第一章</h1>\n\
    <p>他<em>说<b>：</b></em>，\n 世界<code>x</code>。<br/>二&nbsp;<img src=\"a\"/></p><pre>代</pre><a href=\"x\">一<p>二</p></a>\
    <div translate=\"no\">不</div><ruby>汉<rt>hàn</rt></ruby><svg><text>图</text></svg></body></html>";
const PAGE_WORDS: &[&str] = &[
    "<p>",
    "</p>",
    "<em>",
    "</em>",
    "<br/>",
    "<a>",
    "</a>",
    "<code>",
    "</code>",
    "<pre>",
    "</pre>",
    "<!--",
    "-->",
    "&nbsp;",
    "&x;",
    "&#1;",
    "<",
    ">",
    "/>",
    "一",
    "\n",
    "<svg>",
    "</svg>",
    "<text>",
    "</text>",
    " translate=\"no\"",
];
const BOOK: &str = "<package><manifest><item href=\"a.xhtml\" media-type=\"application/xhtml+xml\"/>\
    <item href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/></manifest></package>";

fn epub(page: &[u8], titles: &[u8], book: &[u8]) -> Vec<u8> {
    archive(&[
        ("mimetype", b"application/epub+zip"),
        (
            "META-INF/container.xml",
            b"<container><rootfile full-path=\"b.opf\"/></container>",
        ),
        ("b.opf", book),
        ("a.xhtml", page),
        ("toc.ncx", titles),
    ])
}

#[test]
fn epub_parts() {
    let titles = "<ncx><docTitle><text>书 &amp; 名</text></docTitle></ncx>";
    let seeds = [PAGE.as_bytes(), titles.as_bytes(), BOOK.as_bytes()];
    fuzz("epub_parts", &seeds, PAGE_WORDS, |bytes| {
        check_archive(
            Format::Epub,
            &epub(bytes, titles.as_bytes(), BOOK.as_bytes()),
        );
        check_archive(Format::Epub, &epub(PAGE.as_bytes(), bytes, BOOK.as_bytes()));
        check_archive(
            Format::Epub,
            &epub(PAGE.as_bytes(), titles.as_bytes(), bytes),
        );
    });
}
