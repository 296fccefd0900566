use super::{read_page, read_titles};
use crate::passage::Units;
use crate::testing::rewritten;

fn texts(page: &str) -> Vec<String> {
    let mut units = Units::default();
    read_page(page, "", &mut units).unwrap();
    units.0.iter().map(|unit| unit.text().to_owned()).collect()
}

fn translated(page: &str, f: impl Fn(&str) -> String) -> String {
    rewritten(page, |text, sink| read_page(text, "", sink), f)
}

const PAGE: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" \"x.dtd\">\n\
    <html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>书 &amp; 名</title><style>p { }</style></head>\r\n\
    <body class='a'>\n  <h1><a id=\"c1\"/>第一章</h1>\n  <p><span>他说：<em>你好</em>，\n    世界。</span></p>\
    <p>用<code>print(\"中\")</code>。<br/>第二&nbsp;行<img src=\"a.png\" alt=\"图\"/></p>\
    <pre>代码</pre><ul><li>项<ul><li>子项</li></ul></li></ul><div translate=\"no\">不译</div><script>x = '好'</script>\n</body></html>";

#[test]
fn n3_paragraphs_are_units() {
    assert_eq!(
        texts(PAGE),
        [
            "书 & 名",
            "第一章",
            "他说：你好，世界。",
            "用print(\"中\")。\n第二\u{a0}行",
            "项",
            "子项",
        ]
    );
}

#[test]
fn n3_everything_but_the_text_stays() {
    assert_eq!(translated(PAGE, str::to_owned), PAGE);
    let out = translated(PAGE, |text| {
        text.replace("第一章", "One < Two")
            .replace("世界", "world")
            .replace("第二", "second")
    });
    let expected = PAGE
        .replace("第一章", "One &lt; Two")
        .replace("，\n    世界", "，world")
        .replace("第二&nbsp;", "second\u{a0}");
    assert_eq!(out, expected);
}

#[test]
fn elements_around_blocks_divide_the_text() {
    let page = "<body><a href=\"x\">一<p>二</p>三</a>四&unknown;五<!-- 注 --></body>";
    assert_eq!(texts(page), ["一", "二", "三", "四&unknown;五"]);
    let out = translated(page, |text| text.replace('三', "3").replace('四', "4"));
    assert_eq!(out, page.replace('三', "3").replace('四', "4"));
}

#[test]
fn n3_titles_of_the_table_of_contents() {
    let ncx = "<ncx><docTitle><text>书</text></docTitle><navMap><navPoint><navLabel><text>第一章 &amp; 序</text></navLabel>\
        <content src=\"a.xhtml\"/></navPoint></navMap></ncx>";
    let mut units = Units::default();
    read_titles(ncx, "", &mut units).unwrap();
    assert_eq!(
        units.0.iter().map(|unit| unit.text()).collect::<Vec<_>>(),
        ["书", "第一章 & 序"]
    );
    let out = rewritten(
        ncx,
        |text, sink| read_titles(text, "", sink),
        |text| text.replace('书', "Book"),
    );
    assert_eq!(out, ncx.replace('书', "Book"));
}
