use super::{Dialect, read};
use crate::DocumentError;
use crate::passage::{Sink, Units};
use crate::testing::{rewritten, upside_down};

fn srt<'a>(text: &'a str, sink: &mut dyn Sink<'a>) -> Result<(), DocumentError> {
    read(text, Dialect::SubRip, sink)
}

fn vtt<'a>(text: &'a str, sink: &mut dyn Sink<'a>) -> Result<(), DocumentError> {
    read(text, Dialect::WebVtt, sink)
}

fn texts(text: &str, dialect: Dialect) -> Vec<String> {
    let mut units = Units::default();
    read(text, dialect, &mut units).unwrap();
    units.0.iter().map(|unit| unit.text().to_owned()).collect()
}

const FILM: &str = "1\r\n00:00:01,000 --> 00:00:02,500\r\n我昨天去了\r\n学校。\r\n\r\n\
    2\r\n00:00:03,000 --> 00:00:04,000 X1:10\r\n<i>- 你好！</i>\r\n- {\\an8}再见\r\n\r\n\r\n\
    3\r\n00:00:05,000 --> 00:00:06,000\r\n\r\n4\r\n00:00:07,000 --> 00:00:08,000\r\n完";

#[test]
fn d6_a_sentence_over_two_lines_is_one_unit() {
    assert_eq!(
        texts(FILM, Dialect::SubRip),
        ["我昨天去了学校。", "- 你好！", "再见", "完"]
    );
    let english = "1\n00:00:01,000 --> 00:00:02,000\nHello\nworld\n";
    assert_eq!(texts(english, Dialect::SubRip), ["Hello world"]);
}

#[test]
fn d6_numbers_time_codes_order_and_tags_stay() {
    assert_eq!(rewritten(FILM, srt, str::to_owned), FILM);
    let english = rewritten(FILM, srt, |text| match text {
        "我昨天去了学校。" => "I went to school yesterday.".to_owned(),
        "- 你好！" => "- Hello!".to_owned(),
        "再见" => "Bye".to_owned(),
        "- " => "- ".to_owned(),
        _ => "End".to_owned(),
    });
    assert_eq!(
        english,
        "1\r\n00:00:01,000 --> 00:00:02,500\r\nI went to school\r\nyesterday.\r\n\r\n\
         2\r\n00:00:03,000 --> 00:00:04,000 X1:10\r\n<i>- Hello!</i>\r\n- {\\an8}Bye\r\n\r\n\r\n\
         3\r\n00:00:05,000 --> 00:00:06,000\r\n\r\n4\r\n00:00:07,000 --> 00:00:08,000\r\nEnd"
    );
}

#[test]
fn d6_webvtt_keeps_header_notes_styles_and_settings() {
    let file = "WEBVTT - 标题\nKind: captions\n\nNOTE 这是注释\n还是注释\n\nSTYLE\n::cue { color: red }\n\n\
        第一\n00:01.000 --> 00:02.000 align:start\n<v 玛丽>甲 &amp; 乙\n丙 &lt;丁</v>\n\n\
        00:03.000 --> 00:04.000\n<c.red>一</c><00:03.500>二\n";
    assert_eq!(texts(file, Dialect::WebVtt), ["甲 & 乙丙 <丁", "一二"]);
    assert_eq!(rewritten(file, vtt, str::to_owned), file);
    let out = rewritten(file, vtt, |text| {
        text.replace('甲', "A >").replace("乙", "B ")
    });
    assert_eq!(
        out,
        file.replace("甲 &amp; 乙\n丙 &lt;丁", "A &gt; &amp; B\n丙 &lt;丁")
    );
}

#[test]
fn d6_cues_without_blank_lines_and_blank_lines_in_cues() {
    let file =
        "1\n00:00:01,000 --> 00:00:02,000\n一\n2\n00:00:03,000 --> 00:00:04,000\n二\n\n又二\n";
    assert_eq!(texts(file, Dialect::SubRip), ["一", "二", "又二"]);
    let out = rewritten(file, srt, upside_down);
    assert_eq!(out.matches("-->").count(), 2);
    assert_eq!(out.lines().count(), file.lines().count());
}

#[test]
fn a_translation_of_nothing_leaves_the_cue() {
    assert_eq!(rewritten(FILM, srt, |_| String::new()), FILM);
}

#[test]
fn text_without_time_codes_is_no_subtitle_file() {
    let error = read("你好\n世界\n", Dialect::SubRip, &mut Units::default()).unwrap_err();
    assert!(error.to_string().contains("-->"), "{error}");
    assert!(texts("", Dialect::SubRip).is_empty());
    assert!(texts("WEBVTT\n", Dialect::WebVtt).is_empty());
}
