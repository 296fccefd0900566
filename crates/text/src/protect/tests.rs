use super::*;
use proptest::prelude::*;

fn found(sentence: &str) -> Vec<(&str, Kind)> {
    spans(sentence)
        .into_iter()
        .map(|span| (&sentence[span.range], span.kind))
        .collect()
}

/// The one span of a kind.
fn only(sentence: &str, kind: Kind, expected: &str) {
    let all = found(sentence);
    assert!(all.contains(&(expected, kind)), "{sentence}: {all:?}");
    assert_eq!(
        all.iter().filter(|(_, k)| *k == kind).count(),
        1,
        "{sentence}: {all:?}"
    );
}

fn lost(sentence: &str, output: &str) -> Vec<String> {
    missing(sentence, &spans(sentence), output)
        .into_iter()
        .map(|span| sentence[span.range.clone()].to_owned())
        .collect()
}

#[test]
fn b1_urls_end_before_the_punctuation_of_the_sentence() {
    for (sentence, url) in [
        (
            "详情请见https://example.com/docs/zh?page=2，谢谢。",
            "https://example.com/docs/zh?page=2",
        ),
        (
            "下载地址（https://dl.example.net/v1.2/app.tar.gz）已失效。",
            "https://dl.example.net/v1.2/app.tar.gz",
        ),
        (
            "请勿点击http://free-gift.example.xyz/?id=9f3a&ref=wx这类链接！",
            "http://free-gift.example.xyz/?id=9f3a&ref=wx",
        ),
        (
            "“https://example.com/a_b-c~d”打不开",
            "https://example.com/a_b-c~d",
        ),
        (
            "见 https://zh.wikipedia.org/wiki/中国#历史。",
            "https://zh.wikipedia.org/wiki/中国#历史",
        ),
        (
            "(https://en.wikipedia.org/wiki/A_(b)) 好",
            "https://en.wikipedia.org/wiki/A_(b)",
        ),
        ("访问www.example.com.cn查询", "www.example.com.cn"),
        ("打开example.com看看", "example.com"),
        ("甲%shttps://a.example/b乙", "https://a.example/b"),
        (
            "在http://localhost:8080/a?b=c#d。",
            "http://localhost:8080/a?b=c#d",
        ),
    ] {
        only(sentence, Kind::Url, url);
    }
}

#[test]
fn b2_addresses_paths_and_identifiers() {
    for (sentence, kind, text) in [
        (
            "请发邮件至support@example.com。",
            Kind::Email,
            "support@example.com",
        ),
        ("关注@some_user的账号", Kind::Handle, "@some_user"),
        ("话题#AI2024很热", Kind::Hashtag, "#AI2024"),
        (
            "编辑/etc/nginx/nginx.conf文件",
            Kind::Path,
            "/etc/nginx/nginx.conf",
        ),
        ("打开 ~/notes.txt 。", Kind::Path, "~/notes.txt"),
        ("在src/main.rs里", Kind::Path, "src/main.rs"),
        (
            r"保存到C:\Users\me\Documents。",
            Kind::Path,
            r"C:\Users\me\Documents",
        ),
        (
            r"在C:\Program Files\App里",
            Kind::Path,
            r"C:\Program Files\App",
        ),
        (r"共享\\server\share上", Kind::Path, r"\\server\share"),
        ("服务器192.168.1.1:8080正常", Kind::Host, "192.168.1.1:8080"),
        ("网段10.0.0.0/8。", Kind::Host, "10.0.0.0/8"),
        ("地址2001:db8::1可用", Kind::Host, "2001:db8::1"),
        ("地址00:1A:2b:3C:4d:5E。", Kind::Host, "00:1A:2b:3C:4d:5E"),
        (
            "提交da39a3ee5e6b4b0d3255bfef95601890afd80709。",
            Kind::Identifier,
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ),
        (
            "编号550e8400-e29b-41d4-a716-446655440000",
            Kind::Identifier,
            "550e8400-e29b-41d4-a716-446655440000",
        ),
        (
            "序列号SN：0000-1111-2222-3333-AAAA-BBBB",
            Kind::Identifier,
            "0000-1111-2222-3333-AAAA-BBBB",
        ),
        ("修改config.yaml即可", Kind::Identifier, "config.yaml"),
        ("升级到v1.2.3。", Kind::Version, "v1.2.3"),
        ("更新到1.0.0-rc2后", Kind::Version, "1.0.0-rc2"),
        ("从0.9.12更新", Kind::Version, "0.9.12"),
    ] {
        only(sentence, kind, text);
    }
}

#[test]
fn b4_long_numbers_are_taken_whole() {
    for (sentence, digits) in [
        (
            "卡号6222 0000 1234 5678 901已被冻结",
            "6222 0000 1234 5678 901",
        ),
        ("电话010-8888-6666。", "010-8888-6666"),
        ("是18446744073709551616。", "18446744073709551616"),
        ("订单号007。", "007"),
    ] {
        only(sentence, Kind::Digits, digits);
    }
    only(
        "身份证11010519491231002X。",
        Kind::Identifier,
        "11010519491231002X",
    );
}

#[test]
fn b6_pictures_are_taken_whole() {
    for (sentence, pictures) in [
        ("开心😂😂", vec!["😂😂"]),
        ("一家👨‍👩‍👧‍👦好", vec!["👨‍👩‍👧‍👦"]),
        ("👍🏽收到", vec!["👍🏽"]),
        ("🇨🇳🇺🇸", vec!["🇨🇳🇺🇸"]),
        ("按1️⃣键", vec!["1️⃣"]),
        ("有雨☔，爱❤️你🏳️‍🌈", vec!["☔", "❤️", "🏳️‍🌈"]),
    ] {
        let emoji: Vec<&str> = found(sentence)
            .into_iter()
            .filter(|(_, kind)| *kind == Kind::Emoji)
            .map(|(text, _)| text)
            .collect();
        assert_eq!(emoji, pictures, "{sentence}");
    }
}

#[test]
fn b7_placeholders() {
    let sentence = r"%s %1$s %d {0} {name} {{x.y}} ${v} [1] \n %-5.2f %(n)s %{m} %@ $HOME";
    let all: Vec<&str> = found(sentence)
        .into_iter()
        .filter(|(_, kind)| *kind == Kind::Placeholder)
        .map(|(text, _)| text)
        .collect();
    assert_eq!(all, sentence.split(' ').collect::<Vec<_>>());
    only("已删除50%的文件", Kind::Percentage, "50%");
    for (sentence, tag) in [
        ("点击<0/>继续", "<0/>"),
        ("见<a href=\"/帮助\">", "<a href=\"/帮助\">"),
    ] {
        only(sentence, Kind::Markup, tag);
    }
    assert!(
        found("如果a<b且c>d")
            .iter()
            .all(|(_, kind)| *kind != Kind::Markup)
    );
}

#[test]
fn b8_code_and_formulas() {
    only("运行`ls -l 目录`命令", Kind::Code, "`ls -l 目录`");
    only("设$a^2+b^2=c^2$成立", Kind::Formula, "$a^2+b^2=c^2$");
    assert!(
        found("从$5涨到$10")
            .iter()
            .all(|(_, kind)| *kind == Kind::Price)
    );
}

#[test]
fn b9_signs() {
    let signs: Vec<&str> = found("✓★→①№™©㎡")
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    assert_eq!(signs, ["✓", "★", "→", "①", "№", "™", "©", "㎡"]);
    assert!(lost("面积20㎡", "20 m²").is_empty());
    assert_eq!(lost("合格✓", "Qualified"), ["✓"]);
}

#[test]
fn b3_numbers_in_sanctioned_forms() {
    for (source, output) in [
        ("共1,234人", "1234 people"),
        ("共1234人", "1,234 people"),
        ("第３名", "number 3"),
        ("3.5万元", "35,000 yuan"),
        ("3.5万元", "35 000 yuan"),
        ("3.5万元", "35 thousand yuan"),
        ("1.2亿人", "120 million people"),
        ("1.2亿人", "0.12 billion"),
        ("增长50%", "up 50 percent"),
        ("2月3日", "February 3"),
        ("2月3日", "2/3"),
        ("十二个", "a dozen"),
        ("重10kg", "10 kg"),
        ("两个GPU", "two GPUs"),
        ("5千克", "5 kg"),
    ] {
        assert!(
            lost(source, output).is_empty(),
            "{source}: {output}: {:?}",
            lost(source, output)
        );
    }
    for (source, output, missing) in [
        ("112比108", "112 to 118", "108"),
        ("1.2万元", "1.2 million yuan", "1.2万"),
        ("3.5万元", "3.5 yuan", "3.5万"),
        ("涨0.62%", "0.62", "0.62%"),
        ("2月", "March", "2月"),
        ("曼联 2-1 切尔西", "United 1-2 Chelsea", "2-1"),
        ("2个", "12", "2"),
        ("%d个%d", "%d", "%d"),
        ("ChatGPT好", "Chatgpt is good", "ChatGPT"),
        ("😂😂", "😂", "😂😂"),
    ] {
        assert_eq!(lost(source, output), [missing], "{source}: {output}");
    }
}

#[test]
fn terms_times_and_scores() {
    only("支持TCP/IP协议", Kind::Term, "TCP/IP");
    only("学C++吧", Kind::Term, "C++");
    only("23:59截止", Kind::Time, "23:59");
    only(
        "2025-03-08T14:05:00+08:00 服务重启",
        Kind::Time,
        "2025-03-08T14:05:00+08:00",
    );
    only("第4局 11:9", Kind::Score, "11:9");
    assert!(
        found("需要3-5天")
            .iter()
            .all(|(_, kind)| *kind == Kind::Range)
    );
}

#[test]
fn long_text_takes_linear_time() {
    for unit in [
        "a",
        "a.",
        "a@",
        "{",
        "$",
        "`",
        "<a",
        "%",
        "1",
        "1-",
        "1 ",
        "/a",
        "a/",
        "\\",
        ":",
        "a:",
        "👨\u{200d}",
        "[1",
        "&a",
    ] {
        let text = unit.repeat(400_000 / unit.len());
        assert!(spans(&text).len() <= text.len());
    }
}

/// Text of the characters that decide something.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9@#/\\\\.~+:%{}$\\[\\]<>`&\"'(), _=?!-]{1,8}",
        "[０-９．，％万亿千百月日，。（）“”一-三]{1,4}",
        "[😂👍🏽🇨🇳❤✓→①\u{200d}\u{fe0f}\u{20e3}]{1,4}",
        Just("https://".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_are_ordered_disjoint_and_whole_characters(text in text()) {
        let mut end = 0;
        for span in spans(&text) {
            prop_assert!(span.range.start >= end && span.range.end > span.range.start);
            prop_assert!(text.get(span.range.clone()).is_some());
            prop_assert!(!render(&text, &span).is_empty());
            end = span.range.end;
        }
    }

    #[test]
    fn nothing_is_missing_from_the_text_itself_or_from_the_rendered_spans(text in text()) {
        let spans = spans(&text);
        let kept: Vec<String> = spans.iter().map(|span| render(&text, span)).collect();
        let lost = missing(&text, &spans, &kept.join("  "));
        prop_assert!(lost.is_empty(), "{lost:?}");
    }

    #[test]
    fn comparing_never_panics(source in text(), output in text()) {
        let _ = missing(&source, &spans(&source), &output);
    }
}
