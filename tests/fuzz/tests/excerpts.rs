//! The paragraphs of HTML and Markdown, as files are translated.

mod support;

use csanmt::Format;
use csanmt::markup::excerpts;
use csanmt_fuzz::fuzz;
use support::{rewritten, settings};

const PAGE: &str = "<!DOCTYPE html><HTML><head><title>书</title><style>p{}</style></head><body class=x>\r\n<h1>第一<b>章</b></h1><p>他说：<em>你<a href=\"?a&amp;b\">好</a></em>，\n\
    世界<br>二<img src=a alt=\"图\"><wbr>三<code>码</code>&nbsp;&lt;四<li>五<li>六</ul><!-- 注 --><script>'中'</script><textarea>七</textarea>\
    <div translate=no>不</div><table><tr><td>甲<td>乙</table><svg><text>图</text></svg><plaintext>完";
const PAGE_WORDS: &[&str] = &[
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href='",
    "\">",
    "<br>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<textarea>",
    "</textarea>",
    "<code>",
    "</code>",
    "<table>",
    "<td>",
    "<svg>",
    "</svg>",
    "<![CDATA[",
    "]]>",
    "&",
    "&amp;",
    "&#x4f60;",
    "&nbsp",
    "<",
    ">",
    "/>",
    "=",
    "'",
    "\"",
    "一",
    "\0",
    " translate=no",
    "<plaintext>",
    "<!DOCTYPE",
];
const TEXT: &str = "---\ntitle: x\n---\n# 标题 #\r\n\r\n二级\n===\n\n* 一**粗**_斜_ `码` [链](a.md \"题\") ![图](b.png)\n  1. 二\\*\n\n> 引~~删~~\n\n| 甲 | 乙 |\n|:--|--:|\n| 丙 | `|` |\n\n\
    ```rust\n代码\n```\n\n    代码\n\n<div>三<b>四</b></div>\n\n- [ ] 做\n[^1]: 注 $x^2$ $$y$$ <https://x.y> https://z.w\n\n行一  \n行二\\\n行三\n\n***\n";
const TEXT_WORDS: &[&str] = &[
    "#", "* ", "1. ", "> ", "**", "_", "`", "```\n", "~~~", "[", "](", ")", "![", "|", "|--|",
    "\n", "\n\n", "\r\n", "    ", "\t", "<b>", "</b>", "<div>", "<!--", "-->", "---\n", "===\n",
    "\\", "$", "$$", "~~", "[^1]", ":", "&amp;", "一", "- [ ] ", "  \n", "\0",
];

/// Copies are the document, and whatever a translation says the result can be read again.
fn check(format: csanmt_documents::Format, markup: Format, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut end = 0;
    for excerpt in excerpts(&text, markup) {
        let range = excerpt.range();
        assert!(range.start >= end && range.end >= range.start, "{range:?}");
        assert!(text.get(range.clone()).is_some(), "{range:?}");
        end = range.end;
    }
    // These may be taken for UTF-16.
    if text.contains('\0') || text.starts_with('\u{feff}') {
        let _ = rewritten(format, text.as_bytes(), &settings(), true);
        return;
    }
    let copy = rewritten(format, text.as_bytes(), &settings(), false).expect("text");
    assert_eq!(String::from_utf8_lossy(&copy), text);
    let changed = rewritten(format, text.as_bytes(), &settings(), true).expect("text");
    rewritten(format, &changed, &settings(), true).expect("text");
}

#[test]
fn html_excerpts() {
    fuzz("html_excerpts", &[PAGE.as_bytes()], PAGE_WORDS, |bytes| {
        check(csanmt_documents::Format::Html, Format::Html, bytes);
    });
}

#[test]
fn markdown_excerpts() {
    fuzz(
        "markdown_excerpts",
        &[TEXT.as_bytes()],
        TEXT_WORDS,
        |bytes| {
            check(csanmt_documents::Format::Markdown, Format::Markdown, bytes);
        },
    );
}
