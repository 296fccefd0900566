use super::*;

fn sentences(line: &str) -> Vec<&str> {
    split(line).into_iter().map(|range| &line[range]).collect()
}

fn english(line: &str) -> Vec<&str> {
    SentenceSplitter::new("en")
        .split(line)
        .into_iter()
        .map(|range| &line[range])
        .collect()
}

/// Checks that the parts joined are split into the parts.
#[track_caller]
fn splits(parts: &[&str]) {
    let line = parts.concat();
    let trimmed: Vec<&str> = parts.iter().map(|part| part.trim()).collect();
    assert_eq!(sentences(&line), trimmed);
}

#[track_caller]
fn stays(line: &str) {
    assert_eq!(sentences(line), [line]);
}

#[test]
fn d1_full_width_marks_end_sentences() {
    splits(&[
        "今天下雨。",
        "我没带伞！",
        "你呢？",
        "他先走了；",
        "我们再等等。",
    ]);
    splits(&["他走了很久……", "天黑了。"]);
    splits(&["真的吗？！", "不会吧！！！", "好。"]);
}

#[test]
fn d1_half_width_mixes() {
    splits(&["你好!", "世界真大.", "对吧?", "对;", "好了."]);
    splits(&["真的!？", "是的。", "Hello!", "你好。"]);
    splits(&["我走了。 ", "你来吗? ", "好的. ", "再见"]);
}

#[test]
fn d1_full_stops_and_ellipses_of_ascii_dots() {
    splits(&["我用的是iPhone.", "你呢?", "OK.", "走吧."]);
    splits(&["他走了很久......", "天黑了。"]);
    stays("等等...我还没好");
    stays("公司(ABC Co., Ltd.)和XYZ Inc.都来了");
    stays("苹果、梨etc.都有");
    stays("见表3.中国");
}

#[test]
fn d1_closing_quotes_and_brackets_stay_with_the_sentence_before() {
    splits(&["他说：“今天很冷。”", "我点点头。"]);
    splits(&["她问：「你去吗？」", "没人回答。"]);
    splits(&["他喊：『快跑！』", "大家都跑了。"]);
    splits(&["（这是第一句。）", "这是第二句。"]);
    splits(&["【注意安全！】", "请勿靠近。"]);
    splits(&["我看完了（一共三遍）。", "很好。"]);
    splits(&["我在读《活着。》。", "很感人。"]);
    splits(&["他走了（没说再见。）！", "我很难过。"]);
    splits(&["他说:\"你好。\"", "然后走了。"]);
}

#[test]
fn d2_numbers_names_and_addresses() {
    for line in [
        "圆周率是3.14左右",
        "每公斤１２.５元",
        "请升级到v1.2.3版本",
        "访问www.a.com即可",
        "美国U.S.政府",
        "我住在No.5号楼",
        "会议12:30开始",
        "打开file.txt文件",
        "Mr. Smith来了",
        "请看https://a.com/路径?q=1&b=2!x;y.z 这个网址",
        "用&nbsp;表示空格",
        "价格是1,234.50元",
        "Node.js和ASP.NET都可以",
        "他在Yahoo! news上看到的",
    ] {
        stays(line);
    }
}

#[test]
fn d2_titles_and_quotations_inside_a_clause() {
    stays("我读过《你好。世界！》这本书");
    stays("“你好。”他说。");
    stays("“你好！我是小明。”他笑着说道。");
    stays("“你去哪儿？”妈妈问我。");
    stays("『早安。』媽媽說。");
    stays("“我不去。”他说，“你去吧。”");
    splits(&["“请进。”", "里面有人。"]);
    splits(&["“这本小说真好！”", "小说的作者很年轻。"]);
    stays("墙上写着“禁止吸烟！”几个大字。");
    stays("他写了“小心地滑！”，然后走了");
    stays("“走吧！”，他说。");
    stays("他说：“我知道。”的时候，没人说话。");
    stays("会上（有人问：为什么？没人回答。）大家沉默了");
}

#[test]
fn d4_dialogue_with_nested_quotes() {
    splits(&["“你来了？”", "“来了。”", "“坐吧。”"]);
    splits(&["他说：“老师告诉我们‘要努力。’我记住了。”", "我很感动。"]);
    splits(&["“好。”他点头说。", "“那走吧。”"]);
    // A long speech is split inside; its marks stay where they are.
    let speech = "今天天气很好我们一起去公园里散步聊天喝茶吧。".repeat(3);
    let line = format!("他说：“{speech}”大家都同意。");
    assert_eq!(sentences(&line).len(), 4);
}

#[test]
fn d4_a_forgotten_quote_does_not_swallow_the_text() {
    splits(&["他说：“今天很冷。", "我们回家吧。", "好。"]);
    splits(&["今天很冷。”", "我们回家吧。"]);
}

#[test]
fn d4_list_numbers_stay_with_their_items() {
    splits(&["一、总则。", "（二）范围。", "1. 定义。", "2. 例外。"]);
    stays("a. 第一项");
    stays("IV. 附录");
    stays("1.第一项");
}

#[test]
fn d4_stammering_is_not_a_sentence() {
    stays("我……我不知道。");
    stays("……他走了。");
}

#[test]
fn ascii_marks_need_a_space_and_a_capital() {
    assert_eq!(english("He left. She stayed."), ["He left.", "She stayed."]);
    assert_eq!(english("It is 3 p.m. now. OK"), ["It is 3 p.m. now.", "OK"]);
    assert_eq!(
        english("Dr. Smith met J. K. Rowling in the U.S. Senate."),
        ["Dr. Smith met J. K. Rowling in the U.S. Senate."]
    );
    assert_eq!(
        english("Wait... what? Yes! \"No.\" (Fine.) End"),
        ["Wait... what?", "Yes!", "\"No.\"", "(Fine.)", "End"]
    );
    assert_eq!(
        english("\"Come here.\" he said. Then he left."),
        ["\"Come here.\" he said.", "Then he left."]
    );
    assert_eq!(
        english("See https://a.com/x.html. Then go."),
        ["See https://a.com/x.html.", "Then go."]
    );
    assert_eq!(
        SentenceSplitter::new("es").split("Hola. ¿Qué tal?").len(),
        2
    );
}

#[test]
fn c5_long_sentences_are_cut_at_commas_and_nothing_is_dropped() {
    let clause = "我们今天去学校学习中文和数学，";
    let line = clause.repeat(100);
    let parts = sentences(&line);
    assert_eq!(parts.concat(), line);
    assert!(parts.len() >= 10);
    assert!(
        parts
            .iter()
            .all(|part| part.ends_with('，') && part.chars().count() <= 150)
    );
}

#[test]
fn c5_three_thousand_characters_without_punctuation() {
    let line = "中".repeat(3000);
    let parts = sentences(&line);
    assert_eq!(parts.concat(), line);
    assert!(
        parts
            .iter()
            .all(|part| (75..=150).contains(&part.chars().count()))
    );
}

#[test]
fn c5_cuts_respect_words_and_numbers() {
    let line = format!(
        "{}3,141,592元和international{}",
        "钱".repeat(147),
        "国".repeat(100)
    );
    let parts = sentences(&line);
    assert_eq!(parts.concat(), line);
    assert!(
        parts.iter().any(|part| part.contains("3,141,592")),
        "{parts:?}"
    );
    assert!(
        parts.iter().any(|part| part.contains("international")),
        "{parts:?}"
    );
}

#[test]
fn c5_max_chars_is_a_parameter() {
    let splitter = SentenceSplitter::new("zh").with_max_chars(20);
    let line = "一二三四五六七八九十，一二三四五六七八九十、一二三四五六七八九十。";
    let parts: Vec<&str> = splitter
        .split(line)
        .into_iter()
        .map(|range| &line[range])
        .collect();
    assert_eq!(
        parts,
        [
            "一二三四五六七八九十，",
            "一二三四五六七八九十、",
            "一二三四五六七八九十。"
        ]
    );
    assert!(
        SentenceSplitter::new("zh")
            .with_max_chars(0)
            .split(line)
            .len()
            > 3
    );
}

#[test]
fn a_megabyte_without_punctuation_takes_linear_time() {
    for unit in [
        "中",
        "a",
        "a ",
        "“",
        "“”",
        "(",
        "。",
        "…",
        ".",
        "\"",
        "www.",
        "&",
        "1.",
        "说：“",
        "！”",
    ] {
        let line = unit.repeat(1_000_000 / unit.len());
        let start = std::time::Instant::now();
        let parts = split(&line);
        assert!(!parts.is_empty());
        assert!(
            start.elapsed().as_secs() < 5,
            "{unit:?}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn blank_lines_have_no_sentences() {
    for line in ["", " ", "\u{3000}\t", "\u{0}\u{1e}", "\u{feff}\u{200b}"] {
        assert!(split(line).is_empty(), "{line:?}");
    }
    assert_eq!(sentences("——————"), ["——————"]);
}
