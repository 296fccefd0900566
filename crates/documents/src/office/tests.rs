use super::{Dialect, levels, read};
use crate::DocumentError;
use crate::passage::{Sink, Units};
use crate::testing::rewritten;

const WORD: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";

fn document(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<w:document {WORD}><w:body>{body}<w:sectPr/></w:body></w:document>"
    )
}

fn at_level<'a>(level: usize) -> impl Fn(&'a str, &mut dyn Sink<'a>) -> Result<(), DocumentError> {
    move |text, sink| read(text, "word/document.xml", Dialect::Word, level, sink)
}

fn texts(xml: &str) -> Vec<String> {
    let mut units = Units::default();
    at_level(0)(xml, &mut units).unwrap();
    units.0.iter().map(|unit| unit.text().to_owned()).collect()
}

fn translated(xml: &str, f: impl Fn(&str) -> String) -> String {
    rewritten(xml, |text, sink| read(text, "", Dialect::Word, 0, sink), f)
}

#[test]
fn n2_runs_of_equal_formatting_are_one_text() {
    let xml = document(
        "<w:p w:rsidR=\"1\"><w:pPr><w:rPr><w:b/></w:rPr></w:pPr><w:r><w:t>我昨天</w:t></w:r><w:proofErr w:type=\"a\"/>\
         <w:r w:rsidR=\"2\"><w:t xml:space=\"preserve\">去了 </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>学校</w:t></w:r>\
         <w:r><w:t>。</w:t></w:r></w:p>",
    );
    assert_eq!(texts(&xml), ["我昨天去了 学校。"]);
    assert_eq!(translated(&xml, str::to_owned), xml);
    let out = translated(&xml, |text| {
        text.replace("学校", "<school>").replace('。', ".")
    });
    assert!(
        out.contains("<w:pPr><w:rPr><w:b/></w:rPr></w:pPr>"),
        "{out}"
    );
    assert!(
        out.contains(
            "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">&lt;school&gt;</w:t></w:r>"
        ),
        "{out}"
    );
    assert!(out.contains("<w:proofErr w:type=\"a\"/>"), "{out}");
}

#[test]
fn n2_tables_links_breaks_and_content_controls() {
    let xml = document(
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>一格</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
         <w:p><w:bookmarkStart w:id=\"0\"/><w:r><w:t>见</w:t></w:r><w:hyperlink r:id=\"r1\"><w:r><w:rPr><w:u/></w:rPr>\
         <w:t>这里</w:t></w:r></w:hyperlink><w:r><w:br/><w:t>下一行</w:t><w:tab/><w:t>列</w:t></w:r><w:bookmarkEnd w:id=\"0\"/></w:p>\
         <w:p><w:sdt><w:sdtPr><w:id w:val=\"1\"/></w:sdtPr><w:sdtContent><w:r><w:t>控件</w:t></w:r></w:sdtContent></w:sdt></w:p>\
         <w:p/><w:p><w:r><w:drawing/></w:r></w:p>",
    );
    assert_eq!(
        texts(&xml),
        [
            "一格",
            "见这里\n下一行\t列".replace('\t', "\n").as_str(),
            "控件"
        ]
    );
    let out = translated(&xml, |text| text.to_uppercase() + "x");
    for kept in [
        "<w:bookmarkStart w:id=\"0\"/><w:r><w:t xml:space=\"preserve\">见x</w:t></w:r><w:hyperlink r:id=\"r1\">",
        "<w:r><w:rPr><w:u/></w:rPr><w:t xml:space=\"preserve\">这里x</w:t></w:r></w:hyperlink>",
        "<w:r><w:br/></w:r><w:r><w:t xml:space=\"preserve\">下一行</w:t></w:r><w:r><w:tab/></w:r>",
        "<w:bookmarkEnd w:id=\"0\"/></w:p>",
        "<w:sdt><w:sdtPr><w:id w:val=\"1\"/></w:sdtPr><w:sdtContent><w:r>",
        "</w:sdtContent></w:sdt></w:p><w:p/><w:p><w:r><w:drawing/></w:r></w:p>",
    ] {
        assert!(out.contains(kept), "{kept}\n{out}");
    }
}

#[test]
fn n2_fields_stay_whole() {
    let field = |code: &str, result: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>\
             <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>{result}</w:t></w:r>\
             <w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
        )
    };
    let (page, link) = (
        field(" PAGE ", "7"),
        field(" HYPERLINK \"http://x\" ", "链接"),
    );
    let xml = document(&format!(
        "<w:p><w:r><w:t>第</w:t></w:r>{page}<w:r><w:t>页</w:t></w:r>{link}</w:p>"
    ));
    assert_eq!(texts(&xml), ["第页链接"]);
    let out = translated(&xml, |text| format!("[{text}]"));
    assert!(out.contains(&page), "{out}");
    assert!(out.contains("<w:t xml:space=\"preserve\">[链接]</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>"), "{out}");
    // A field that goes on in the next paragraph.
    let half = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> TOC </w:instrText></w:r>\
                <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>";
    let xml = document(&format!("<w:p>{half}<w:r><w:t>目录</w:t></w:r></w:p>"));
    let out = translated(&xml, |text| format!("[{text}]"));
    assert!(
        out.contains(&format!(
            "<w:p>{half}<w:r><w:t xml:space=\"preserve\">[目录]"
        )),
        "{out}"
    );
}

#[test]
fn n2_text_boxes_are_read_before_the_paragraph_around_them() {
    let shape = |text: &str| {
        format!("<w:txbxContent><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:txbxContent>")
    };
    let alternate = format!(
        "<mc:AlternateContent><mc:Choice>{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        shape("框"),
        shape("框")
    );
    let xml = document(&format!(
        "<w:p><w:r><w:t>外</w:t></w:r><w:r>{alternate}</w:r><w:r><w:t>面</w:t></w:r></w:p>"
    ));
    assert_eq!(levels(&xml, "", Dialect::Word).unwrap(), 1);
    assert_eq!(texts(&xml), ["外面"]);
    let mut units = Units::default();
    at_level(1)(&xml, &mut units).unwrap();
    assert_eq!(units.0.len(), 2);
    let add = |text: &str| format!("{text}!");
    let inside = rewritten(
        &xml,
        |text, sink| read(text, "", Dialect::Word, 1, sink),
        add,
    );
    let out = translated(&inside, add);
    assert_eq!(out.matches("框!").count(), 2, "{out}");
    assert_eq!(out.matches("mc:AlternateContent").count(), 2);
    assert!(out.contains("外!") && out.contains("面!"), "{out}");
}

#[test]
fn deleted_and_moved_text_stays() {
    let xml = document(
        "<w:p><w:del><w:r><w:delText>旧</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>移</w:t></w:r></w:moveFrom>\
         <w:ins><w:r><w:t>新</w:t></w:r></w:ins></w:p>",
    );
    assert_eq!(texts(&xml), ["新"]);
    let out = translated(&xml, |_| "new".to_owned());
    assert!(
        out.contains("<w:delText>旧</w:delText>") && out.contains("<w:t>移</w:t>"),
        "{out}"
    );
}

#[test]
fn slides_and_sheets() {
    let slide = "<p:sld xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:p><a:pPr/><a:r>\
        <a:rPr lang=\"zh-CN\"/><a:t>标题</a:t></a:r><a:br><a:rPr/></a:br><a:r><a:rPr lang=\"zh-CN\"/><a:t>二</a:t></a:r>\
        <a:fld type=\"slidenum\"><a:t>3</a:t></a:fld><a:endParaRPr/></a:p></p:sld>";
    let out = rewritten(
        slide,
        |text, sink| read(text, "", Dialect::Drawing, 0, sink),
        |text| text.replace("标题", "T"),
    );
    assert_eq!(out, slide.replace("标题", "T"));
    let strings = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><si><t>甲\n乙</t>\
        <phoneticPr fontId=\"1\"/></si><si><r><rPr><b/></rPr><t>粗</t></r><r><t>细</t></r></si><si><t/></si></sst>";
    let mut units = Units::default();
    read(strings, "", Dialect::Sheet, 0, &mut units).unwrap();
    let texts: Vec<&str> = units.0.iter().map(|unit| unit.text()).collect();
    assert_eq!(texts, ["甲\n乙", "粗细"]);
    let out = rewritten(
        strings,
        |text, sink| read(text, "", Dialect::Sheet, 0, sink),
        |text| text.replace('甲', "A").replace('粗', "bold"),
    );
    assert!(
        out.contains("<si><t xml:space=\"preserve\">A\n乙</t><phoneticPr fontId=\"1\"/></si>"),
        "{out}"
    );
    assert!(
        out.contains("<r><rPr><b/></rPr><t xml:space=\"preserve\">bold</t></r>"),
        "{out}"
    );
}
