//! Markdown through the default model.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::LazyLock;

use csanmt::{Format, Options, Translator};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options as Extensions, Parser, Tag};

static TRANSLATOR: LazyLock<Translator> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Translator::open(root.join("models/zh-en-tiny.safetensors")).unwrap()
});

fn translate(source: &str) -> String {
    let options = Options::default().with_format(Format::Markdown);
    TRANSLATOR.translate(source, &options).unwrap().text
}

fn plain(source: &str) -> String {
    let options = Options::default();
    TRANSLATOR.translate(source, &options).unwrap().text
}

fn extensions() -> Extensions {
    Extensions::ENABLE_TABLES
        | Extensions::ENABLE_FOOTNOTES
        | Extensions::ENABLE_STRIKETHROUGH
        | Extensions::ENABLE_TASKLISTS
        | Extensions::ENABLE_HEADING_ATTRIBUTES
        | Extensions::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Extensions::ENABLE_MATH
        | Extensions::ENABLE_GFM
}

/// Blocks in order, and the inline elements of each in any.
fn structure(source: &str) -> Vec<String> {
    let (mut blocks, mut inline) = (Vec::new(), Vec::new());
    for event in Parser::new_ext(source, extensions()) {
        let name = match event {
            Event::Text(_) | Event::SoftBreak => continue,
            // Between two marks that must not become one.
            Event::InlineHtml(html) if &*html == "<!-- -->" => continue,
            Event::Start(Tag::Link { dest_url, .. }) => format!("link {dest_url}"),
            Event::Start(Tag::Image { dest_url, .. }) => format!("image {dest_url}"),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::HardBreak => format!("{event:?}"),
            Event::End(_) => continue,
            Event::Html(_) => continue,
            other => {
                inline.sort();
                blocks.append(&mut inline);
                blocks.push(format!("{other:?}"));
                continue;
            }
        };
        inline.push(name);
    }
    inline.sort();
    blocks.append(&mut inline);
    blocks
}

const DOCUMENT: &str = "\
---
title: 标题
---

# 我们的学校 #

我们**今天**去[学校](https://example.com/学校_a \"标题\")。请运行`make 全部`，然后等待。\\
公式$E=mc^2$很*有名*[^1]。

- 苹果
- [x] 香蕉和[梨][fruit]
  1. 第一
  2. ![图片](a_b.png)

> 引用的话。
> 第二句话。

| 名字 | 年龄 |
| --- | ---: |
| 汤姆 | **3**岁 |

```python
print(\"你好\")  # 注释
```

$$
\\text{中文}
$$

<div align=\"center\">
  <b>你好</b>
</div>

[^1]: 脚注。

[fruit]: https://example.com/fruit
";

#[test]
fn b8_marks_code_and_formulas_are_kept() {
    let output = translate(DOCUMENT);
    for kept in [
        "---\ntitle: 标题\n---\n\n# ",
        " #\n\n",
        "](https://example.com/学校_a \"标题\")",
        "`make 全部`",
        "\\\n",
        "$E=mc^2$",
        "[^1]",
        "\n- [x] ",
        "][fruit]",
        "\n  1. ",
        "\n  2. ![",
        "](a_b.png)\n",
        "\n> ",
        "\n| --- | ---: |\n",
        "\n```python\nprint(\"你好\")  # 注释\n```\n",
        "\n$$\n\\text{中文}\n$$\n",
        "<div align=\"center\">\n  <b>",
        "</b>\n</div>\n",
        "\n[^1]: ",
        "\n[fruit]: https://example.com/fruit\n",
    ] {
        assert!(output.contains(kept), "{kept}: {output}");
    }
    assert_eq!(structure(&output), structure(DOCUMENT), "{output}");
    assert_eq!(output.lines().count(), DOCUMENT.lines().count(), "{output}");
    for translated in ["我们", "苹果", "引用", "汤姆", "脚注", "<b>你好"] {
        assert!(!output.contains(translated), "{output}");
    }
}

#[test]
fn e2_the_text_is_translated_as_if_it_had_no_marks() {
    for (source, text) in [
        ("我们**今天**去[学校](x)。", "我们今天去学校。"),
        ("他*喜欢*读~~书~~和音乐。", "他喜欢读书和音乐。"),
        ("这是一个\n很长的**句子**。", "这是一个很长的句子。"),
        ("价格是3\\*4。", "价格是3*4。"),
    ] {
        let output = translate(source);
        let found: String = Parser::new_ext(&output, extensions())
            .filter_map(|event| match event {
                Event::Text(text) => Some(text.to_string()),
                _ => None,
            })
            .collect();
        assert_eq!(found, plain(text), "{output}");
    }
}

/// `****` and `***` between letters begin one emphasis in another of the same kind.
#[test]
fn b8_emphasis_in_emphasis_stays_two() {
    for source in [
        "**今天****今天***你好*。",
        "我们**今天****去学校***你好*。",
        "我们**今天****今天****今天**<br>。",
        "*_今天_你好*，*今天 _你好_*。",
        "**今天__你好__**。",
    ] {
        let output = translate(source);
        assert_eq!(structure(&output), structure(source), "{output}");
    }
}

#[test]
fn text_does_not_become_marks() {
    // Both begin with what Markdown would take for a list.
    let output = translate("1、苹果\n\n\\- 香蕉");
    assert_eq!(structure(&output), structure("a\n\nb"), "{output}");
}

#[test]
fn links_by_their_text_still_find_their_definition() {
    let source = "请看[文档]和[说明][]。\n\n[文档]: /a\n[说明]: /b\n";
    let output = translate(source);
    assert!(
        output.contains("][文档]") && output.contains("][说明]"),
        "{output}"
    );
    assert_eq!(structure(&output), structure(source), "{output}");
}

#[test]
fn text_that_is_not_chinese_stays_as_it_is() {
    let source = "# A *b* \\* c\n\nHard  \nwrapped\nlines & <b>more</b> [x](y)\n\n* one\n+ two\n";
    assert_eq!(translate(source), source);
}

/// Markdown as people write it.
fn document() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "我们",
        "今天",
        "去学校",
        "你好",
        "谢谢",
        "在北京",
        "3.5",
        "Tom",
        "`代码`",
        "**今天**",
        "*你好*",
        "[学校](u)",
        "![图](i.png)",
        "$x^2$",
        "$$x$$",
        "\\$5",
        "`$a`",
        "~~不好~~",
        "<b>好</b>",
        "<kbd>键</kbd>",
        "<br>",
        "[^1]",
        "[1]",
        "\\*",
        "&amp;",
        "  \n",
        "\n",
        "，",
    ]);
    let sentence = prop::collection::vec(word, 1..8).prop_map(|words| words.concat());
    let block = (
        prop::sample::select(vec![
            "",
            "# ",
            "- ",
            "1. ",
            "> ",
            "| a |\n|---|\n| ",
            "* [ ] ",
            "## ",
        ]),
        sentence,
    )
        .prop_map(|(mark, text)| match mark {
            "" | "> " => format!("{mark}{}。", text.trim()),
            "| a |\n|---|\n| " => format!("{mark}{} |", text.replace('\n', " ")),
            _ => format!("{mark}{}。", text.replace('\n', " ")),
        });
    prop::collection::vec(block, 1..5).prop_map(|blocks| blocks.join("\n\n") + "\n\n[^1]: 注。\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn b8_random_markdown_keeps_its_structure(source in document()) {
        let output = translate(&source);
        prop_assert_eq!(structure(&output), structure(&source), "{}\n=>\n{}", &source, &output);
    }

    #[test]
    fn random_characters_do_no_harm(source in r#"([*_`\[\]()<>#|~$\\!&;: \n-]|\*\*|```|<b>|</b>|你好|学校。|\PC){0,40}"#) {
        translate(&source);
    }
}
