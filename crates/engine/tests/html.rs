//! HTML through the default model: group E of the demands.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::LazyLock;

use csanmt::{Error, Format, Options, Translator};
use proptest::prelude::*;

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Translator::open(root.join("models/zh-en-tiny.safetensors")).unwrap()
});

fn html() -> Options {
    Options::default().with_format(Format::Html)
}

fn translate(source: &str) -> String {
    TRANSLATOR.translate(source, &html()).unwrap().text
}

fn plain(source: &str) -> String {
    let options = Options::default();
    TRANSLATOR.translate(source, &options).unwrap().text
}

/// Tags and comments as they are written.
fn tags(html: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let end = if rest.starts_with("<!--") { "-->" } else { ">" };
        let end = rest.find(end).map_or(rest.len(), |at| at + end.len());
        tags.push(&rest[..end]);
        rest = &rest[end..];
    }
    tags
}

/// Text without tags, references decoded.
fn text(html: &str) -> String {
    let mut out = html.to_owned();
    for tag in tags(html) {
        out = out.replacen(tag, "", 1);
    }
    let decoded = out.replace("&lt;", "<").replace("&gt;", ">");
    decoded.replace("&nbsp;", "\u{a0}").replace("&amp;", "&")
}

fn sorted(mut list: Vec<&str>) -> Vec<&str> {
    list.sort_unstable();
    list
}

/// Every end tag closes the element that was opened last.
fn is_nested(html: &str) -> bool {
    let mut open = Vec::new();
    for tag in tags(html).into_iter().filter(|tag| !tag.starts_with("<!")) {
        let name = tag.trim_matches(['<', '>', '/']);
        let name = name.split_whitespace().next().unwrap_or_default();
        if tag.starts_with("</") {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with("/>") && !matches!(name, "br" | "img" | "wbr" | "hr") {
            open.push(name);
        }
    }
    open.is_empty()
}

const PAGES: [&str; 6] = [
    "<p>我们<b>今天</b>去<a href=\"/school?a=1&amp;b=2\" title='学校'><em>学校</em>和图书馆</a>。</p>",
    "<DIV CLASS=x>你好！<span style=\"color:red\">谢谢</span>你的帮助。<img src=a.png alt=\"图\"></DIV>",
    "<ul>\n  <li>苹果</li>\n  <li><a href=\"#\">香蕉</a></li>\n  <li></li>\n</ul>",
    "<p>他说：<q>我<strong>不</strong>知道</q>。<span></span>然后<i>走</i>了。</p>",
    "<a><em><span>他喜欢读</span>书</em>和</a><b>音乐</b>。",
    "<table><tr><td>名字</td><td><b>年龄</b></td></tr></table>",
];

#[test]
fn e1_all_tags_are_there_byte_for_byte_and_nested() {
    for page in PAGES {
        let output = translate(page);
        assert_eq!(sorted(tags(&output)), sorted(tags(page)), "{output}");
        assert!(is_nested(&output), "{output}");
        assert_ne!(text(&output), text(page));
    }
}

#[test]
fn e2_the_translation_is_that_of_the_text_without_tags() {
    for page in [
        "我们<b>今天</b>去<a href=x>学校</a>。",
        "  <i>你好！</i>谢谢<b>你</b>的帮助。 ",
        "<b>他</b>喜欢读<i>书</i>和音乐。",
        "汤姆不知道<a>玛丽</a>在<a>哪里</a>，<span>你</span>呢？",
    ] {
        let output = translate(page);
        assert_eq!(text(&output), plain(&text(page)), "{output}");
    }
}

#[test]
fn e3_what_is_not_text_is_untouched() {
    let page = "<!DOCTYPE html>\n<HTML>\n<Head><TITLE>你好</TITLE><script>var 变量 = \"<p>中文</p>\";\
                </script><style>/* 中文 */ p{}</style></Head>\n<!-- 注释 --><body>\
                <p>请运行<code>命令 &lt;参数&gt;</code>，然后按<kbd>回车</kbd>。</p>\
                <textarea>中文内容</textarea><p translate=\"no\">保留这句话。</p>\
                <p>我住在<span class='a notranslate'>北京市</span>。</p><br/><BR></body></HTML>\n";
    let output = translate(page);
    for kept in [
        "<!DOCTYPE html>\n<HTML>\n<Head><TITLE>",
        "<script>var 变量 = \"<p>中文</p>\";</script><style>/* 中文 */ p{}</style></Head>\n<!-- 注释 --><body>",
        "<code>命令 &lt;参数&gt;</code>",
        "<kbd>回车</kbd>",
        "<textarea>中文内容</textarea><p translate=\"no\">保留这句话。</p>",
        "<span class='a notranslate'>北京市</span>",
        "</p><br/><BR></body></HTML>\n",
    ] {
        assert!(output.contains(kept), "{kept}: {output}");
    }
    assert!(!output.contains("请运行") && !output.contains("我住在") && !output.contains("你好"));
}

#[test]
fn e3_references_are_decoded_and_encoded() {
    let output = translate("<p>A&amp;B公司说&lt;你好&gt;。</p>");
    assert_eq!(text(&output), plain("A&B公司说<你好>。"));
    let inner = output
        .strip_prefix("<p>")
        .and_then(|s| s.strip_suffix("</p>"));
    assert!(!inner.unwrap().contains(['<', '>']), "{output}");
    assert!(output.contains("A&amp;B"), "{output}");
    // Numbers and names stand for the same characters.
    assert_eq!(translate("&#20320;&#x597d;。"), translate("你好。"));
}

#[test]
fn e4_blocks_and_br_break_sentences_and_inline_elements_do_not() {
    let output = translate("<div>你好<p>谢谢</p>再见<br>学校</div>");
    let expected = format!(
        "<div>{}<p>{}</p>{}<br>{}</div>",
        plain("你好"),
        plain("谢谢"),
        plain("再见"),
        plain("学校")
    );
    assert_eq!(output, expected);
    for page in [
        "图<b>书</b>馆很大。",
        "图<wbr>书馆很大。",
        "图<!-- x -->书馆\n很大。",
    ] {
        assert_eq!(text(&translate(page)), plain("图书馆很大。"), "{page}");
    }
}

#[test]
fn e5_nested_elements_over_siblings_are_one_sentence() {
    let page = "<a href=1><em><span>我们今天</span></em></a><a href=2>去学校</a>。";
    let output = translate(page);
    assert_eq!(text(&output), plain("我们今天去学校。"));
    assert_eq!(sorted(tags(&output)), sorted(tags(page)));
}

#[test]
fn e6_links_keep_text_and_empty_elements_are_there_once() {
    let page = "<a id=1>我</a><a id=2>们</a><a id=3>去</a><a id=4></a><i id=5></i>学校<img id=6>。";
    let output = translate(page);
    assert_eq!(sorted(tags(&output)), sorted(tags(page)));
    for id in 1..=3 {
        let open = format!("<a id={id}>");
        let (_, rest) = output.split_once(&open).unwrap();
        let (content, _) = rest.split_once("</a>").unwrap();
        assert!(!text(content).trim().is_empty(), "{output}");
    }
    assert!(output.contains("<a id=4></a>"), "{output}");
}

#[test]
fn inline_elements_go_on_over_blocks_and_line_breaks() {
    let output = translate("<b>你好<br>谢谢</b><p><i>再见</p>学校</i>");
    let expected = format!(
        "<b>{}<br>{}</b><p><i>{}</p>{}</i>",
        plain("你好"),
        plain("谢谢"),
        plain("再见"),
        plain("学校")
    );
    assert_eq!(output, expected);
}

#[test]
fn what_is_between_paragraphs_and_what_is_not_chinese_stays() {
    for page in [
        "",
        " \n\t ",
        "<p>Hello  <b>wide\n world</b> &copy; &hellip;</p>\n\n<p>A & B < C</p>",
        "<ul>\r\n\t<li>1</li>\r\n</ul>",
        "&nbsp;<p>\u{a0}</p>",
    ] {
        assert_eq!(translate(page), page);
    }
    let output = translate("<p>\n    你好\n  </p>\n\n<pre>第一行\n  第二行</pre>");
    assert!(
        output.starts_with("<p>\n    ") && output.contains("\n  </p>\n\n<pre>"),
        "{output}"
    );
    let pre = output.split("<pre>").nth(1).unwrap();
    assert_eq!(
        pre,
        format!("{}\n  {}</pre>", plain("第一行"), plain("第二行"))
    );
}

#[test]
fn e7_malformed_html_does_no_harm() {
    for page in [
        "<",
        "</",
        "<>",
        "</>",
        "<b",
        "<b 你好",
        "</b>你好",
        "<b>你<i>好</b></i>",
        "<!--",
        "<!-- 你好",
        "<script>你好",
        "<code>你好",
        "<p translate=no>你好<p>你好",
        "&",
        "&#",
        "&#x110000;你好",
        "<![CDATA[你好]]>",
        "<?php 你好 ?>你好",
        "<a href=\"你好>你好",
        "你好\u{0}你好",
        "<td>你好<td translate=no>你好<td>你好",
        "<b><b><b>你好",
        "</p></b>你好<p><b>",
        "<svg><path/>你好</svg>",
    ] {
        let output = translate(page);
        assert_eq!(
            sorted(tags(&output)),
            sorted(tags(page)),
            "{page}: {output}"
        );
    }
    let deep = format!("{}你好{}", "<b>".repeat(3000), "</b>".repeat(3000));
    assert_eq!(translate(&deep).matches("<b>").count(), 3000);
}

#[test]
fn steps_cancellation_and_batches_are_those_of_text() {
    let page: String = (0..12)
        .map(|i| format!("<p>你好<b>{i}</b>。谢谢。</p>\n"))
        .collect();
    let whole = translate(&page);
    let mut job = TRANSLATOR.job(&page, &html().with_batch(2)).unwrap();
    let cancelled = job.advance_with(&mut |_| ControlFlow::Break(()));
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    let (mut before, mut steps) = (String::new(), 0);
    while !job.is_done() {
        let done = job.progress().sentences_done;
        assert!(job.advance().unwrap().sentences_done <= done + 2);
        let so_far = job.text_so_far();
        assert!(so_far.starts_with(&before) && whole.starts_with(so_far));
        before = so_far.to_owned();
        steps += 1;
    }
    assert!(steps >= 12);
    let found = job.finish();
    assert_eq!(found.text, whole);
    assert_eq!(found.sentences.len(), 24);
    for sentence in &found.sentences {
        assert!(page[sentence.source.clone()].contains("你好"));
        assert!(whole[sentence.target.clone()].contains("<b>"));
    }
    let raw = Options::raw().with_format(Format::Html);
    assert!(matches!(
        TRANSLATOR.job("", &raw),
        Err(Error::Option { name: "raw", .. })
    ));
}

/// Well-formed HTML: elements, empty ones, kept ones, comments and references among words.
fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "我们",
            "今天",
            "去学校",
            "。",
            "，",
            "你好",
            "谢谢",
            "在北京",
            "3.5",
            "Tom",
            " ",
            "\n",
            "&amp;",
            "&lt;",
            "A&B",
            "<img src=\"x\">",
            "<br>",
            "<wbr>",
            "<!-- 注 -->",
            "<code>代码</code>",
            "<hr/>",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        (
            prop::sample::select(vec![
                "b",
                "i",
                "a href='#x'",
                "span class=\"y\"",
                "p",
                "div",
                "li",
                "em",
            ]),
            prop::collection::vec(inner, 0..6),
        )
            .prop_map(|(tag, inner)| {
                let name = tag.split(' ').next().unwrap_or_default();
                format!("<{tag}>{}</{name}>", inner.concat())
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn e1_random_html_keeps_every_tag_and_its_nesting(pages in prop::collection::vec(document(), 1..4)) {
        let page = pages.concat();
        let output = translate(&page);
        prop_assert_eq!(sorted(tags(&output)), sorted(tags(&page)), "{}", &output);
        prop_assert!(is_nested(&output), "{}", &output);
        for never in ["<unk>", "@@", "{0}", "</s>"] {
            prop_assert!(!output.contains(never), "{}", &output);
        }
    }

    #[test]
    fn e7_random_characters_do_no_harm(page in r#"([<>/!&;"'=a-c \n-]|<b>|</b>|<p|<!--|-->|你好|学校。|<code>|</code>|translate=no|&lt;|\PC){0,40}"#) {
        let output = translate(&page);
        // Everything that is no text of a paragraph is there, in whatever place.
        for tag in ["<b>", "</b>", "<code>", "<!--"] {
            if !page.contains('"') && !page.contains('\'') && !page.contains("<!--") {
                prop_assert_eq!(output.matches(tag).count(), page.matches(tag).count(), "{}", &output);
            }
        }
    }
}

#[test]
fn large_paragraphs_take_no_longer_than_as_much_text() {
    // What is quadratic here takes minutes; nothing of it is for the model.
    let time = std::time::Instant::now();
    for unit in [
        "<b>a. </b>",
        "<b>",
        "<b></i>",
        "<code>x</code>{1} ",
        "a<br><i>",
        "<img>. ",
        "<code><b></i>",
        "&amp;",
    ] {
        let page = unit.repeat(400_000 / unit.len());
        assert_eq!(translate(&page), page);
    }
    assert!(time.elapsed().as_secs() < 120, "{:?}", time.elapsed());
}
