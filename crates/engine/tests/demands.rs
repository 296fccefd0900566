//! What must hold of every translation, whatever the model: nothing lost, nothing altered, nothing
//! repeated. The names begin with the ids of the list of demands.
#![allow(clippy::unwrap_used)]

mod repetitions;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use csanmt::{Options, Terms, Translation, Translator, Work};
use repetitions::repetitions;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

static TRANSLATOR: LazyLock<Translator> =
    LazyLock::new(|| Translator::open(root().join("models/zh-en-tiny.safetensors")).unwrap());

fn translation(text: &str) -> Translation {
    TRANSLATOR.translate(text, &Options::default()).unwrap()
}

fn translate(text: &str) -> String {
    translation(text).text
}

/// Translates lines together and returns them in pairs with their translations.
fn lines(sources: &[String]) -> Vec<(String, String)> {
    let text = translate(&sources.join("\n"));
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines.len(), sources.len());
    sources
        .iter()
        .cloned()
        .zip(lines.into_iter().map(str::to_owned))
        .collect()
}

/// Every line has a part of itself in its translation.
fn survive(cases: &[(&str, &[&str])]) {
    let sources: Vec<String> = cases
        .iter()
        .map(|(source, _)| (*source).to_owned())
        .collect();
    for ((source, output), (_, kept)) in lines(&sources).iter().zip(cases) {
        for kept in *kept {
            assert!(output.contains(kept), "{source}: {output}: {kept}");
        }
    }
}

#[test]
fn a1_short_fragments_do_not_run_away() {
    let sources = ["缓缓走来", "奥沙利文6比3丁俊晖", "你好", "是", "男"].map(str::to_owned);
    for (source, output) in lines(&sources) {
        assert!(
            output.split_whitespace().count() <= 12,
            "{source}: {output}"
        );
        assert!(repetitions(&output) <= 2, "{source}: {output}");
    }
}

/// Short strings of common characters.
fn fragments() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let characters: Vec<char> = text
        .chars()
        .filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c))
        .collect();
    let pieces = characters.chunks(4).step_by(3).take(500);
    pieces
        .enumerate()
        .map(|(i, piece)| piece[..1 + i % 4].iter().collect())
        .collect()
}

#[test]
fn a2_a3_no_fragment_hits_the_limit_or_loops() {
    let sources = fragments();
    assert_eq!(sources.len(), 500);
    let text = translation(&sources.join("\n"));
    assert_eq!(text.sentences.len(), 500);
    for (sentence, source) in text.sentences.iter().zip(&sources) {
        assert!(!sentence.truncated, "{source}");
        let output = &text.text[sentence.target.clone()];
        assert!(repetitions(output) <= 2, "{source}: {output}");
        assert!(
            output.split_whitespace().count() <= 3 * source.chars().count() + 10,
            "{source}: {output}"
        );
        assert!(!output.is_empty(), "{source}");
    }
}

#[test]
fn a4_repeating_sources_repeat_no_more() {
    for (source, times) in [
        ("哈哈哈哈哈", 5),
        ("好好好", 3),
        ("——————", 1),
        ("……", 1),
        ("对对对对对对对！", 7),
    ] {
        let output = translate(source);
        assert!(repetitions(&output) <= times.max(2), "{source}: {output}");
    }
}

#[test]
fn a5_lines_do_not_leak() {
    let sources = ["苹果", "香蕉", "", "登录", "密码"].map(str::to_owned);
    for (source, output) in lines(&sources) {
        assert_eq!(translate(&source), output);
    }
}

#[test]
fn a8_text_of_marks_digits_and_capitals_is_echoed() {
    for text in [
        "AAAA BBBB",
        "！！！？？",
        "0123456789",
        "\u{fffd}\u{1}x\u{7f}",
        "------",
        "HTTP/1.1 200 OK",
    ] {
        assert_eq!(translate(text), text);
    }
}

#[test]
fn b1_urls_survive() {
    survive(&[
        (
            "详情请见https://example.com/docs/zh?page=2#top，谢谢。",
            &["https://example.com/docs/zh?page=2#top"],
        ),
        (
            "（见https://zh.example.org/wiki/中国）",
            &["https://zh.example.org/wiki/中国"],
        ),
        (
            "请打开“http://a.example/?id=9f3a&ref=wx”查看",
            &["http://a.example/?id=9f3a&ref=wx"],
        ),
        ("访问www.example.com。", &["www.example.com"]),
        (
            "从https://a.example/1到https://b.example/2都打不开",
            &["https://a.example/1", "https://b.example/2"],
        ),
    ]);
}

#[test]
fn b2_addresses_paths_and_identifiers_survive() {
    survive(&[
        (
            "请联系support@example.com或@some_user。",
            &["support@example.com", "@some_user"],
        ),
        ("编辑/etc/nginx/nginx.conf文件", &["/etc/nginx/nginx.conf"]),
        (
            r"文件保存在C:\Users\me\Documents里。",
            &[r"C:\Users\me\Documents"],
        ),
        (
            "服务器192.168.1.1和2001:db8::1都不通",
            &["192.168.1.1", "2001:db8::1"],
        ),
        ("网卡地址是00:1A:2b:3C:4d:5E", &["00:1A:2b:3C:4d:5E"]),
        (
            "提交da39a3ee5e6b4b0d3255bfef95601890afd80709有问题",
            &["da39a3ee5e6b4b0d3255bfef95601890afd80709"],
        ),
        (
            "编号550e8400-e29b-41d4-a716-446655440000不存在",
            &["550e8400-e29b-41d4-a716-446655440000"],
        ),
        ("关注#AI2024话题", &["#AI2024"]),
    ]);
}

#[test]
fn b3_m5_numbers_survive() {
    survive(&[
        ("湖人112比108勇士", &["112", "108"]),
        ("沪指 3128.45 ↑0.62%", &["3128.45", "↑", "0.62%"]),
        ("第３名得了９５分", &["3", "95"]),
        ("曼联 2-1 切尔西", &["2-1"]),
        ("支持Python 3.9至3.13", &["Python", "3.9", "3.13"]),
        ("2024年2月29日23:59截止", &["2024", "29", "23:59"]),
    ]);
    let output = translate("价格3.5万元。");
    assert!(
        ["35,000", "35 000", "35000", "35 thousand"]
            .iter()
            .any(|form| output.contains(form)),
        "{output}"
    );
    let output = translate("人口1.2亿。");
    assert!(
        ["120 million", "120,000,000", "0.12 billion"]
            .iter()
            .any(|form| output.contains(form)),
        "{output}"
    );
}

#[test]
fn b4_long_numbers_survive() {
    survive(&[
        ("身份证号11010519491231002X有误", &["11010519491231002X"]),
        ("电话是010-8888-6666。", &["010-8888-6666"]),
        (
            "订单1234567890123456789012345678901234567890已发货",
            &["1234567890123456789012345678901234567890"],
        ),
        (
            "卡号6222 0000 1234 5678 901已被冻结",
            &["6222 0000 1234 5678 901"],
        ),
    ]);
}

#[test]
fn b5_a_column_of_prices_keeps_every_row() {
    let sources: Vec<String> = (0..10).map(|i| format!("价格：{i}8元")).collect();
    for (i, (source, output)) in lines(&sources).into_iter().enumerate() {
        let number = if i == 0 { "8".into() } else { format!("{i}8") };
        assert!(output.contains(&number), "{source}: {output}");
    }
}

#[test]
fn b6_pictures_survive_with_the_text_behind_them() {
    survive(&[
        ("今天太开心了😂😂", &["😂😂"]),
        ("👍🏽收到，马上处理", &["👍🏽", "a"]),
        ("明天有雨☔，记得带伞。", &["☔", "umbrella"]),
        ("我们一家👨‍👩‍👧‍👦去🇨🇳旅行", &["👨‍👩‍👧‍👦", "🇨🇳"]),
        ("按1️⃣继续", &["1️⃣"]),
    ]);
}

#[test]
fn b7_placeholders_survive() {
    survive(&[
        ("已删除 %d 个文件，共 %s。", &["%d", "%s"]),
        ("%1$s邀请您加入%2$s", &["%1$s", "%2$s"]),
        ("欢迎{name}，您有{0}条消息", &["{name}", "{0}"]),
        (
            "错误{{error.code}}：${reason}",
            &["{{error.code}}", "${reason}"],
        ),
        ("点击<0/>继续，见[1]", &["<0/>", "[1]"]),
        (r"第一行\n第二行", &[r"\n"]),
        (
            "点击<a href=\"/help\">这里</a>获取帮助。",
            &["<a href=\"/help\">", "</a>"],
        ),
    ]);
}

#[test]
fn b8_b9_code_formulas_and_signs_survive() {
    survive(&[
        ("运行`ls -l /tmp`命令", &["`ls -l /tmp`"]),
        ("设$a^2+b^2=c^2$成立", &["$a^2+b^2=c^2$"]),
        ("✓ 已完成", &["✓"]),
        ("首页 → 设置", &["→"]),
        ("① 打开文件", &["①"]),
        ("版权所有 © 公司™", &["©", "™"]),
    ]);
}

#[test]
fn b10_text_that_is_no_language_is_echoed() {
    for text in [
        "12,345.67",
        "https://example.com/路径?词=中文",
        "→ ★ 😀",
        "{name}: %s",
        "`代码`",
        "《》",
    ] {
        assert_eq!(translate(text), text);
    }
}

#[test]
fn b11_english_terms_keep_their_spelling() {
    survive(&[
        ("我买了iPhone 15 Pro。", &["iPhone", "15", "Pro"]),
        ("支持TCP/IP协议", &["TCP/IP"]),
        ("代码在GitHub上", &["GitHub"]),
        ("帮我book一间meeting room", &["book", "meeting room"]),
    ]);
}

#[test]
fn c1_c2_c3_layout_is_kept() {
    for text in ["", " ", "\n\n", "\u{0}\u{1e}", "\u{3000}"] {
        assert_eq!(translate(text), text);
    }
    let output = translate("\u{3000}\u{3000}你好。\r\n\r\n\t谢谢😂 \n");
    assert!(
        output.starts_with("\u{3000}\u{3000}") && output.ends_with("😂 \n"),
        "{output:?}"
    );
    assert!(output.contains("\r\n\r\n\t"), "{output:?}");
}

#[test]
fn c9_m1_nothing_internal_and_nothing_untranslated() {
    let mut sources: Vec<String> = [
        "㐂",
        "𠮷野家",
        "一碗𰻞𰻞面",
        "魑魅魍魉",
        "龘",
        "〇",
        "㍿",
        "葛󠄀城",
        "豈不",
    ]
    .map(str::to_owned)
    .to_vec();
    // One character in some hundreds of every block of ideographs.
    for block in [
        0x3400..0x4dc0,
        0x4e00..0xa000,
        0xf900..0xfb00,
        0x2_0000..0x3_2300_u32,
    ] {
        let pairs = block.step_by(1499).filter_map(char::from_u32);
        sources.extend(pairs.map(|c| format!("这是{c}字")));
    }
    for (source, output) in lines(&sources) {
        assert!(!output.trim().is_empty(), "{source}");
        for never in ["<unk>", "@@", "@-@", "</s>", "<SENT_SPLIT>", "⁇"] {
            assert!(!output.contains(never), "{source}: {output}");
        }
    }
}

#[test]
fn l1_traditional_input_means_what_simplified_does() {
    for (traditional, simplified) in [
        ("他剛剛說了些什麼？", "他刚刚说了些什么？"),
        (
            "颱風過後，整個臺北都停電了。",
            "台风过后，整个台北都停电了。",
        ),
        ("請問捷運站怎麼走？", "请问捷运站怎么走？"),
    ] {
        assert_eq!(translate(traditional), translate(simplified));
    }
}

#[test]
fn l2_l3_l4_other_languages_are_left_alone() {
    for text in [
        "Hello, world!",
        "私は学生です。",
        "東京タワーへ行きます。",
        "안녕하세요. 한국어 漢字 입니다.",
        "Привет!",
    ] {
        assert_eq!(translate(text), text);
    }
    let output = translate("This is a test. 你好。 Another one.");
    assert!(
        output.starts_with("This is a test.") && output.ends_with("Another one."),
        "{output}"
    );
    assert!(!output.contains('你'), "{output}");
}

/// Characters of all blocks in a fixed random order, with what decides something between them.
fn random_lines(count: usize) -> Vec<String> {
    const PIECES: [&str; 12] = [
        "你好",
        "，",
        "。",
        "3.5万",
        "https://a.example/b",
        "%s",
        "{x}",
        "😂",
        "（",
        " ",
        "2月",
        "ab",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from((state >> 32) % u64::from(below)).unwrap()
    };
    let line = |_| {
        let mut line = String::new();
        for _ in 0..1 + next(8) {
            match next(3) {
                0 => line.extend(char::from_u32(next(0x2_ffff)).filter(|c| !c.is_control())),
                _ => line.push_str(PIECES[next(12) as usize]),
            }
        }
        line.replace(['\u{2028}', '\u{2029}'], "")
    };
    (0..count).map(line).collect()
}

#[test]
fn c1_b7_m1_random_text_keeps_its_lines_and_what_is_no_language() {
    for (source, output) in lines(&random_lines(300)) {
        for kept in ["https://a.example/b", "%s", "{x}", "😂"] {
            // Letters beside a placeholder may make it a part of something else.
            let (wanted, found) = (source.matches(kept).count(), output.matches(kept).count());
            assert!(found >= wanted, "{source}: {output}: {kept}");
        }
        for never in ["<unk>", "@@", "</s>", "<SENT_SPLIT>"] {
            assert!(!output.contains(never), "{source}: {output}");
        }
    }
}

#[test]
fn repaired_sentences_say_what_they_were_taken_from() {
    let source = "请发邮件至support@example.com。";
    let found = TRANSLATOR
        .translate(source, &Options::default().with_n_best(3))
        .unwrap();
    let sentence = &found.sentences[0];
    assert_eq!(
        found.text[sentence.target.clone()],
        sentence.hypotheses[0].text
    );
    assert!(sentence.hypotheses.len() <= 3);
}

fn with_terms(terms: Terms, text: &str) -> String {
    let options = Options::default().with_terms(terms);
    TRANSLATOR.translate(text, &options).unwrap().text
}

#[test]
fn c6_wrapped_lines_are_joined_when_asked_for() {
    let wrapped = "今天天气\n很好，我们去\n公园。\n\n谢谢。";
    let options = Options::default().with_wrapped_lines();
    let output = TRANSLATOR.translate(wrapped, &options).unwrap().text;
    assert_eq!(output, translate("今天天气很好，我们去公园。\n\n谢谢。"));
    assert_eq!(translate(wrapped).matches('\n').count(), 4);
}

#[test]
fn c7_a_full_stop_does_not_decide_whether_a_sentence_is_translated() {
    for source in ["我们今天去学校", "你好", "是", "请先登录", "谢谢大家的支持"]
    {
        for output in [translate(source), translate(&format!("{source}。"))] {
            let chinese = output
                .chars()
                .any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            assert!(!chinese && !output.is_empty(), "{source}: {output}");
        }
    }
}

#[test]
fn c8_l5_characters_in_disguise_are_read_as_what_they_are() {
    for (source, plain) in [
        ("人\u{ad}工\u{200b}智能\u{feff}很重要。", "人工智能很重要。"),
        ("葛\u{e0100}先生来了。", "葛先生来了。"),
        ("⼈⼯智能很重要｡", "人工智能很重要。"),
        ("共２０人，ＡＢＣ公司。", "共20人，ABC公司。"),
    ] {
        assert_eq!(translate(source), translate(plain), "{source}");
    }
    survive(&[("运行`ＡＢＣ ⼈`命令", &["`ＡＢＣ ⼈`"])]);
}

#[test]
fn m6_the_terms_of_a_glossary_are_in_the_translation() {
    let glossary = Terms::glossary(
        "机器学习\tmachine learning\n机器\tmachine\n苹果\tApple Inc.\n登录\tsign in\n数据库\tdata store\n",
    )
    .unwrap();
    for (source, term) in [
        ("我喜欢机器学习。", "machine learning"),
        ("机器学习很有用。", "Machine learning"),
        ("这台机器坏了。", "machine"),
        ("他在苹果工作。", "Apple Inc."),
        ("请先登录。", "sign in"),
        ("登录", "sign in"),
        ("数据库和机器学习都很重要。", "machine learning"),
        ("資料在数据库里。", "data store"),
    ] {
        let output = with_terms(glossary.clone(), source);
        assert!(output.contains(term), "{source}: {output}: {term}");
        assert!(!output.contains('['), "{source}: {output}");
    }
    let output = with_terms(glossary, "今天天气很好。");
    assert_eq!(output, translate("今天天气很好。"));
}

#[test]
fn b12_what_is_on_the_list_is_not_translated() {
    let list = Terms::keep_list("微信\n豆包\nopen source\n").unwrap();
    for (source, kept) in [
        ("我用微信联系你。", "微信"),
        ("豆包比微信好用吗？", "豆包"),
        ("豆包", "豆包"),
        ("这是open source软件。", "open source"),
    ] {
        let output = with_terms(list.clone(), source);
        assert!(output.contains(kept), "{source}: {output}");
    }
}

#[test]
fn m1_what_the_vocabulary_does_not_know_is_copied() {
    survive(&[
        ("他来自Malmö。", &["Malmö"]),
        ("α粒子和β射线", &["α", "β"]),
        ("首都是Москва。", &["Москва"]),
        ("读作ŋɡ的音", &["ŋɡ"]),
    ]);
}

#[test]
fn alternatives_are_sound_and_differ() {
    let options = Options::default().with_n_best(4).with_beam(4);
    let text = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let sources: Vec<&str> = text
        .lines()
        .take(60)
        .map(|l| l.split('\t').next().unwrap())
        .collect();
    let found = TRANSLATOR.translate(&sources.join("\n"), &options).unwrap();
    let mut alternatives = 0;
    for sentence in &found.sentences {
        let texts: Vec<&str> = sentence
            .hypotheses
            .iter()
            .map(|h| h.text.as_str())
            .collect();
        assert_eq!(texts[0], &found.text[sentence.target.clone()]);
        for (i, text) in texts.iter().enumerate() {
            assert!(!texts[..i].contains(text), "{texts:?}");
            assert!(
                !text.contains("[1]") || texts[0].contains("[1]"),
                "{texts:?}"
            );
        }
        alternatives += texts.len() - 1;
    }
    assert!(alternatives > sources.len());
}

#[test]
fn confidence_is_lower_for_worse_translations() {
    let text = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let pairs: Vec<(&str, &str)> = text.lines().map(|l| l.split_once('\t').unwrap()).collect();
    let sources: Vec<&str> = pairs.iter().map(|(source, _)| *source).collect();
    let options = Options::default().with_beam(1);
    let found = TRANSLATOR.translate(&sources.join("\n"), &options).unwrap();
    // Words of the reference that are in the translation.
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let mut scored: Vec<(f32, f32)> = Vec::new();
    for (output, (at, (_, reference))) in found.text.split('\n').zip(pairs.iter().enumerate()) {
        let starts: usize = sources[..at].iter().map(|s| s.len() + 1).sum();
        let own = starts..starts + sources[at].len();
        let sentences = found
            .sentences
            .iter()
            .filter(|s| own.contains(&s.source.start));
        let confidence = sentences.map(|s| s.confidence).fold(1.0, f32::min);
        let output = words(output);
        let reference = words(reference);
        let hits = reference.iter().filter(|w| output.contains(w)).count();
        scored.push((confidence, hits as f32 / reference.len().max(1) as f32));
    }
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(
        scored
            .iter()
            .all(|(confidence, _)| (0.0..=1.0).contains(confidence))
    );
    let means: Vec<f32> = scored
        .chunks(scored.len().div_ceil(4))
        .map(|part| part.iter().map(|(_, hits)| hits).sum::<f32>() / part.len() as f32)
        .collect();
    assert!(means.is_sorted(), "{means:?}");
}

#[test]
fn b13_repairs_search_for_a_tenth_of_the_text_again_at_most() {
    let text = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let sources: Vec<&str> = text
        .lines()
        .map(|l| l.split('\t').next().unwrap())
        .collect();
    let found = translation(&sources.join("\n"));
    let mut work = Work::default();
    found.sentences.iter().for_each(|s| work += &s.work);
    assert!(!work.faults.is_empty() && work.repeated_tokens > 0);
    let (again, first) = (work.repeated_tokens, work.tokens);
    assert!(again * 10 <= first, "{again} of {first} tokens");
}

#[derive(serde::Deserialize)]
struct Probe {
    id: String,
    input: String,
    must: Vec<String>,
    must_not: Vec<String>,
}

/// What has to be in the output and is in the input is kept whatever the model is; other words
/// depend on the model and are counted.
#[test]
fn m2_probes() {
    let text = std::fs::read_to_string(root().join("tests/golden/probes.jsonl")).unwrap();
    let probes: Vec<Probe> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut words, mut found) = (0, 0);
    for probe in &probes {
        let Probe {
            id,
            input,
            must,
            must_not,
        } = probe;
        let output = translate(input);
        let breaks = |text: &str| text.matches('\n').count();
        assert_eq!(breaks(&output), breaks(input), "{id}");
        for word in must {
            if input.contains(word.as_str()) {
                assert!(
                    output.contains(word.as_str()),
                    "{id}: {input}: {output}: lost {word}"
                );
            } else {
                words += 1;
                found += usize::from(output.contains(word.as_str()));
            }
        }
        for word in must_not {
            assert!(
                !output.contains(word.as_str()),
                "{id}: {input}: {output}: has {word}"
            );
        }
    }
    println!("{found} of {words} words that tell the meaning");
}
