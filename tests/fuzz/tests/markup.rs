//! HTML and Markdown through the whole engine.

use std::path::Path;
use std::sync::LazyLock;

use csanmt::{Format, Options, Translator};
use csanmt_fuzz::fuzz;

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
    let model = "../../models/zh-en-tiny.safetensors";
    Translator::open(Path::new(env!("CARGO_MANIFEST_DIR")).join(model))
        .expect("the default model is beside the tests")
});

/// Reads and translates; what must hold whatever the text.
fn check(bytes: &[u8], format: Format) {
    let text = String::from_utf8_lossy(bytes);
    let options = Options::default().with_format(format).with_beam(1);
    let translation = TRANSLATOR
        .translate(&text, &options)
        .expect("every text can be translated");
    for sentence in &translation.sentences {
        assert!(text.get(sentence.source.clone()).is_some());
        assert!(translation.text.get(sentence.target.clone()).is_some());
    }
    if translation.sentences.is_empty() {
        assert_eq!(translation.text, text);
    }
    // Signs in place of code.
    for sign in ["{0}", "{1}", "{2}"] {
        let found = translation.text.matches(sign).count();
        assert!(found <= text.matches(sign).count(), "{}", translation.text);
    }
    // Without Chinese nothing is changed, nor without references to it.
    let foreign = text
        .replace("&#", "x")
        .replace(|c: char| ('\u{2e80}'..='\u{3ffff}').contains(&c), "x");
    let copied = TRANSLATOR
        .translate(&foreign, &options)
        .expect("every text can be translated");
    assert_eq!(copied.text, foreign);
}

#[test]
fn html() {
    const PAGE: &str = "<!DOCTYPE html><html><head><title>你好</title><style>p{}</style></head><body>\n\
        <p class=x>我们<b>今天</b>去<a href=\"/a?b&amp;c\"><em>学</em>校</a>。<br>谢谢<img src=i>！</p><!-- 注 -->\n\
        <ul><li>一<code>f(x)</code>二<li translate=no>三</ul><pre>四\n 五</pre><script>'<p>六'</script>\n\
        <ruby>汉<rt>han</rt></ruby><svg><path/></svg>&lt;七&#20320;&nbsp;</body></html>";
    const WORDS: &[&str] = &[
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "-->",
        "<!",
        "<b>",
        "</b>",
        "<p>",
        "</p>",
        "<a href='",
        "\"",
        "'",
        "=",
        "&",
        "&#x",
        ";",
        "<br>",
        "<code>",
        "</code>",
        "<script>",
        "</script>",
        "<title>",
        "<pre>",
        "translate=no",
        "你好",
        "。",
        " ",
        "\n",
        "{0}",
        "\0",
        "<![CDATA[",
        "<svg>",
        "<td>",
        "<li>",
        "</li>",
    ];
    fuzz("html", &[PAGE.as_bytes()], WORDS, |bytes| {
        check(bytes, Format::Html)
    });
}

#[test]
fn markdown() {
    const TEXT: &str = "---\ntitle: 标题\n---\n# 我们 #\n\n今天**去[学校](a \"b\")**，`代码`$x$![图](i)[^1]<b>好</b>\\*  \n再见\n\n\
        - [x] 一\n- 二\n  1. 三\n\n> 四\n> 五\n\n| 六 | ~~七~~ |\n|---|:-:|\n| <br> | a\\|b |\n\n```\n八\n```\n\n<div>\n九\n</div>\n\n\
        [^1]: 十\n[十一]: /u\n[十一] <https://a.b> <kbd>十二</kbd>\n";
    const WORDS: &[&str] = &[
        "*", "**", "_", "`", "```", "~~", "[", "](", ")", "![", "][", "]:", "[^1]", "<", ">",
        "<b>", "</b>", "<kbd>", "<br>", "\\", "|", "|---|", "$", "$$", "#", "- ", "1. ", "> ",
        "  \n", "\\\n", "\n", "\n\n", "    ", "\t", "---", "+++", "===", "你好", "。", " ", "{0}",
        "&amp;", "\r\n", "\0",
    ];
    fuzz("markdown", &[TEXT.as_bytes()], WORDS, |bytes| {
        check(bytes, Format::Markdown)
    });
}
