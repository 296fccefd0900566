//! Markdown and HTML: the engine takes the paragraphs out.

use csanmt::Format;
use csanmt::markup::excerpts;

use crate::DocumentError;
use crate::passage::{Passage, Sink};

/// Reads the paragraphs of a text in a markup language.
pub(crate) fn read<'a>(
    text: &'a str,
    format: Format,
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let mut copied = 0;
    for paragraph in excerpts(text, format) {
        let range = paragraph.range();
        sink.copy(&text[copied..range.start])?;
        copied = range.end;
        sink.passage(Passage {
            source: &text[range],
            unit: paragraph.text().clone(),
            write: Box::new(move |translation, out| paragraph.write(translation, out)),
        })?;
    }
    sink.copy(&text[copied..])
}

#[cfg(test)]
mod tests {
    use csanmt::Format;

    use super::read;
    use crate::testing::rewritten;

    #[test]
    fn n1_markdown_keeps_its_marks() {
        let text = "# 标题\r\n\r\n* 一**二**三\n* `代码`\n\n```\n代码\n```\n\n| 甲 | 乙 |\n|---|---|\n| 丙 | 丁 |\n";
        let out = |f: fn(&str) -> String| {
            rewritten(text, |text, sink| read(text, Format::Markdown, sink), f)
        };
        assert_eq!(out(str::to_owned), text);
        let changed = out(|text| text.replace('二', "two").replace('标', "head"));
        assert_eq!(changed, text.replace('二', "two").replace('标', "head"));
    }

    #[test]
    fn n1_html_keeps_its_tags() {
        let text = "<!doctype html>\n<HTML><p class=x>一<b>二</b>三<br>四 &amp; 五</P>\n<script>'中'</script><pre>\n代</pre>";
        let out =
            |f: fn(&str) -> String| rewritten(text, |text, sink| read(text, Format::Html, sink), f);
        assert_eq!(out(str::to_owned), text);
        let changed = out(|text| text.replace('二', "<two>"));
        assert_eq!(changed, text.replace('二', "&lt;two&gt;"));
    }
}
