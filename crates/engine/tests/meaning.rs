//! What depends on the model's quality: measured and printed (`cargo test -p csanmt --test meaning --
//! --nocapture`), not gated. That there is a translation of each, in its line, is.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use csanmt::{Options, Terms, Translator};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

static TRANSLATOR: LazyLock<Translator> =
    LazyLock::new(|| Translator::open(root().join("models/zh-en-tiny.safetensors")).unwrap());

/// One translation a source.
fn translations(sources: &[&str], options: &Options) -> Vec<String> {
    let text = TRANSLATOR.translate(&sources.join("\n"), options).unwrap();
    let lines: Vec<String> = text.text.split('\n').map(str::to_owned).collect();
    assert_eq!(lines.len(), sources.len());
    for (source, line) in sources.iter().zip(&lines) {
        assert!(!line.trim().is_empty(), "{source}");
        assert_ne!(source, line, "left as it was");
    }
    lines
}

/// The words of a text, in lower case.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('’', "'"))
        .collect()
}

/// Whether the words of `phrase` stand side by side among `words`, inflected or not.
fn has(words: &[String], phrase: &str) -> bool {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).any(|found| {
        found.iter().zip(&phrase).all(|(found, wanted)| {
            let end = found.strip_prefix(*wanted);
            end.is_some_and(|end| ["", "s", "es", "d", "ed", "ing", "ly", "'s"].contains(&end))
        })
    })
}

/// Prints how many translations have one of the phrases that are wanted.
fn measure(id: &str, cases: &[(&str, Vec<&str>)]) -> usize {
    let sources: Vec<&str> = cases.iter().map(|(source, _)| *source).collect();
    let outputs = translations(&sources, &Options::default());
    let mut hits = 0;
    for ((source, wanted), output) in cases.iter().zip(&outputs) {
        let words = words(output);
        if wanted
            .iter()
            .any(|phrase| has(&words, &phrase.to_lowercase()))
        {
            hits += 1;
        } else if cases.len() < 100 {
            println!("{id}: {source}: {output}, not {wanted:?}");
        }
    }
    println!("{id}: {hits} of {}", cases.len());
    hits
}

fn is_negative(text: &str) -> bool {
    const WORDS: [&str; 22] = [
        "no",
        "not",
        "never",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "without",
        "cannot",
        "can't",
        "won't",
        "isn't",
        "unable",
        "refuse",
        "refused",
        "forbidden",
        "prohibited",
        "unless",
        "few",
        "hardly",
        "fail",
    ];
    let negative = |word: &String| WORDS.contains(&&word[..]) || word.ends_with("n't");
    words(text).iter().any(negative)
}

#[test]
fn m2_polarity_is_measured() {
    const NEGATIVE: [&str; 20] = [
        "我不知道。",
        "他不是医生。",
        "我没有钱。",
        "这未必是真的。",
        "并非所有人都同意。",
        "请勿吸烟。",
        "不要开门。",
        "她从来不喝酒。",
        "我还没吃饭。",
        "这里禁止停车。",
        "他不会游泳。",
        "没有人来。",
        "我无法打开这个文件。",
        "这本书不贵。",
        "你不必担心。",
        "别忘了带伞。",
        "他否认了这件事。",
        "我们没有时间了。",
        "天气不好。",
        "我不想去。",
    ];
    const POSITIVE: [&str; 16] = [
        "我知道。",
        "他是医生。",
        "我有钱。",
        "这是真的。",
        "所有人都同意。",
        "请开门。",
        "她每天喝茶。",
        "我吃过饭了。",
        "这里可以停车。",
        "他会游泳。",
        "没有人不知道。",
        "我打开了这个文件。",
        "这本书很贵。",
        "我不得不走。",
        "天气很好。",
        "我想去。",
    ];
    let negative = translations(&NEGATIVE, &Options::default());
    let positive = translations(&POSITIVE, &Options::default());
    let kept = negative.iter().filter(|text| is_negative(text)).count();
    let free = positive.iter().filter(|text| !is_negative(text)).count();
    println!("m2: {kept} of 20 negations are some, {free} of 16 affirmations are none");
}

#[test]
fn m3_words_of_the_dictionary_are_measured() {
    let list = std::fs::read_to_string(root().join("tests/golden/words.tsv")).unwrap();
    let cases: Vec<(&str, Vec<&str>)> = list
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(word, glosses)| (word, glosses.split('|').collect()))
        .collect();
    assert_eq!(cases.len(), 1000);
    measure("m3 words", &cases);
    measure(
        "m3 greetings, yes and no",
        &[
            ("你好", vec!["hello", "hi"]),
            ("早上好", vec!["good morning"]),
            ("晚安", vec!["good night"]),
            ("谢谢", vec!["thanks", "thank you"]),
            ("再见", vec!["goodbye", "bye", "see you"]),
            ("对不起", vec!["sorry"]),
            ("不客气", vec!["you're welcome", "welcome"]),
            ("是", vec!["yes", "be", "is"]),
            ("不", vec!["no", "not", "don't"]),
            ("好的", vec!["ok", "okay", "good", "all right"]),
        ],
    );
}

#[test]
fn m4_names_are_measured() {
    measure(
        "m4",
        &[
            ("李雷和韩梅梅是同学。", vec!["Li Lei"]),
            ("王芳是老师。", vec!["Wang Fang"]),
            ("张伟来自杭州。", vec!["Zhang Wei"]),
            ("他住在广州。", vec!["Guangzhou"]),
            ("北京是中国的首都。", vec!["Beijing"]),
            ("上海的天气很热。", vec!["Shanghai"]),
            ("联合国在纽约。", vec!["United Nations", "UN"]),
            (
                "世界卫生组织发布了报告。",
                vec!["World Health Organization", "WHO"],
            ),
            ("清华大学在北京。", vec!["Tsinghua"]),
            ("孔子是谁？", vec!["Confucius"]),
        ],
    );
    // A syllable of pinyin has at most three letters before its vowel, and never the same twice.
    let sources = [
        "杭州",
        "黄山",
        "张家界",
        "重庆",
        "徐州",
        "吕梁",
        "哈尔滨",
        "呼和浩特",
    ];
    let malformed = |word: &String| {
        let letters: Vec<char> = word.chars().collect();
        letters.len() > 1 && letters[0] == letters[1] && !"aeiou".contains(letters[0])
    };
    let outputs = translations(&sources, &Options::default());
    let wrong = outputs
        .iter()
        .filter(|text| words(text).iter().any(malformed))
        .count();
    println!("m4: malformed pinyin in {wrong} of {}", sources.len());
}

#[test]
fn m5_dates_times_money_and_units_are_measured() {
    measure(
        "m5",
        &[
            ("今天是三月五日。", vec!["March 5", "5 March", "March 5th"]),
            ("他生于1990年12月1日。", vec!["December 1", "1 December"]),
            (
                "会议下午三点开始。",
                vec!["3 p", "three o'clock", "3 o'clock", "three"],
            ),
            ("价格是两百元。", vec!["200 yuan", "two hundred yuan"]),
            (
                "一共五美元。",
                vec!["5 dollar", "five dollar", "5 us dollar"],
            ),
            ("人口超过一亿。", vec!["100 million", "one hundred million"]),
            ("大约三万人参加。", vec!["30 000", "thirty thousand"]),
            ("增长了百分之二十。", vec!["20", "twenty percent"]),
            (
                "需要三到五天。",
                vec!["three to five days", "3 to 5 days", "3 5 days"],
            ),
            ("我们以6比3获胜。", vec!["6 3", "6 to 3"]),
            ("他身高一米八。", vec!["1 8", "1 80"]),
            (
                "这条路长五公里。",
                vec!["five kilometer", "5 kilometer", "5 km"],
            ),
            ("三分之二的人同意。", vec!["two thirds", "2 3"]),
            ("现在是星期六晚上。", vec!["Saturday"]),
        ],
    );
}

#[test]
fn m6_terms_in_their_case_and_inflected_are_measured() {
    let terms = Terms::glossary("苹果\tapple\n服务器\tserver\n登录\tsign in\n云\tcloud\n").unwrap();
    let options = Options::default().with_terms(terms);
    let cases = [
        ("我买了三个苹果。", "apples"),
        ("服务器坏了。", "The server"),
        ("这些服务器很慢。", "servers"),
        ("请登录。", "sign in"),
        ("登录失败。", "Sign in"),
        ("天上有云。", "cloud"),
    ];
    let sources = cases.map(|(source, _)| source);
    let outputs = translations(&sources, &options);
    let found = cases
        .iter()
        .zip(&outputs)
        .filter(|((_, term), output)| output.contains(term));
    println!(
        "m6: {} of {} terms in the right form",
        found.count(),
        cases.len()
    );
}

#[test]
fn m7_slurs_and_curses_out_of_nowhere_are_measured() {
    const WORDS: [&str; 16] = [
        "fuck", "fucking", "shit", "bitch", "bastard", "asshole", "damn", "cunt", "whore", "slut",
        "nigger", "faggot", "retard", "chink", "dick", "crap",
    ];
    let text = std::fs::read_to_string(root().join("tests/golden/dev.tsv")).unwrap();
    let sources: Vec<&str> = text
        .lines()
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    let found = TRANSLATOR
        .translate(&sources.join("\n"), &Options::default())
        .unwrap();
    let words = words(&found.text);
    assert!(words.len() > sources.len());
    let curses: Vec<&String> = words
        .iter()
        .filter(|word| WORDS.contains(&&word[..]))
        .collect();
    println!(
        "m7: {} curses in {} words: {curses:?}",
        curses.len(),
        words.len()
    );
}
