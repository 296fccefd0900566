//! Words that turn a sentence into another one: a ban that became an invitation, tomorrow that
//! became today, euros that became dollars, he who became she.

use std::ops::Range;

/// Words of one meaning, in the source and in a translation; the first one is written.
struct Meaning {
    source: &'static [&'static str],
    target: &'static [&'static str],
}

/// Meanings of which a sentence is taken to have one only: a translation that has another one and
/// not its own is wrong.
const ALTERNATIVES: [&[Meaning]; 6] = [
    &[
        Meaning {
            source: &["今天", "今日"],
            target: &["today"],
        },
        Meaning {
            source: &["明天", "明日"],
            target: &["tomorrow"],
        },
        Meaning {
            source: &["昨天", "昨日", "昨晚"],
            target: &["yesterday"],
        },
        Meaning {
            source: &["今晚", "今夜"],
            target: &["tonight", "today", "evening", "night"],
        },
    ],
    &[
        Meaning {
            source: &["去年", "上周", "上个月", "上月", "上星期", "上次"],
            target: &["last"],
        },
        Meaning {
            source: &["明年", "下周", "下个月", "下月", "下星期", "下次"],
            target: &["next"],
        },
    ],
    &[
        Meaning {
            source: &["小时", "钟头"],
            target: &["hours", "hour"],
        },
        Meaning {
            source: &["分钟"],
            target: &["minutes", "minute"],
        },
    ],
    &[
        Meaning {
            source: &["上涨", "上升", "增长", "涨幅", "升至", "↑"],
            target: &[
                "rose",
                "rise",
                "risen",
                "rising",
                "higher",
                "increase",
                "increased",
                "growth",
                "grew",
                "grow",
                "grown",
            ],
        },
        Meaning {
            source: &["下跌", "下降", "跌幅", "降至", "↓"],
            target: &[
                "fell",
                "fall",
                "fallen",
                "falling",
                "lower",
                "decrease",
                "decreased",
                "decline",
                "declined",
                "drop",
                "dropped",
            ],
        },
    ],
    &[
        Meaning {
            source: &["美元", "美金", "港元", "港币", "澳元", "加元", "台币", "$"],
            target: &["dollars", "dollar", "USD"],
        },
        Meaning {
            source: &["欧元", "€"],
            target: &["euros", "euro", "EUR"],
        },
        Meaning {
            source: &["英镑", "£"],
            target: &["pounds", "pound", "GBP"],
        },
        Meaning {
            source: &["日元", "日圆"],
            target: &["yen", "JPY"],
        },
        Meaning {
            source: &["卢布"],
            target: &["rubles", "ruble", "roubles"],
        },
        Meaning {
            source: &["人民币", "万元", "亿元", "百元", "千元", "块钱", "¥", "￥"],
            target: &["yuan", "RMB", "CNY"],
        },
    ],
    &[
        Meaning {
            source: &["上午", "早上", "早晨", "凌晨", "清晨"],
            target: &["a.m.", "am", "morning"],
        },
        Meaning {
            source: &["下午"],
            target: &["p.m.", "pm", "afternoon"],
        },
        Meaning {
            source: &["晚上", "傍晚", "今晚", "昨晚", "当晚"],
            target: &["p.m.", "pm", "evening", "night", "tonight"],
        },
    ],
];

/// At the beginning of a sentence or clause: what is not to be done.
const BANS: [&str; 12] = [
    "请勿",
    "请不要",
    "请别",
    "切勿",
    "勿",
    "不要",
    "别",
    "禁止",
    "严禁",
    "不准",
    "不许",
    "不得",
];
/// One of these is in every translation of a ban.
const NEGATIVE: [&str; 24] = [
    "not",
    "n't",
    "no",
    "never",
    "none",
    "nobody",
    "nothing",
    "neither",
    "nor",
    "without",
    "cannot",
    "forbid",
    "forbidden",
    "prohibit",
    "prohibited",
    "prohibits",
    "ban",
    "banned",
    "avoid",
    "stop",
    "refrain",
    "unable",
    "refuse",
    "nowhere",
];

/// A translation with other words in it than the source asks for; `None` when they are right.
pub(crate) fn corrected(source: &str, text: &str) -> Option<String> {
    let mut out = text.to_owned();
    for meanings in ALTERNATIVES {
        if let Some(better) = other_meaning(source, &out, meanings) {
            out = better;
        }
    }
    if let Some(better) = other_person(source, &out) {
        out = better;
    }
    if let Some(better) = lost_ban(source, &out) {
        out = better;
    }
    (out != text).then_some(out)
}

fn other_meaning(source: &str, text: &str, meanings: &[Meaning]) -> Option<String> {
    let in_source = |meaning: &Meaning| meaning.source.iter().any(|word| source.contains(word));
    let mut meant = meanings.iter().filter(|meaning| in_source(meaning));
    let own = meant.next()?;
    let found = words(text);
    let has = |word: &str| {
        found
            .iter()
            .any(|range| text[range.clone()].eq_ignore_ascii_case(word))
    };
    if meant.next().is_some() || own.target.iter().any(|word| has(word)) {
        return None;
    }
    let mut out = text.to_owned();
    for range in found.into_iter().rev() {
        let word = &text[range.clone()];
        let place = meanings.iter().find_map(|other| {
            let same = |target: &&str| target.eq_ignore_ascii_case(word);
            other.target.iter().position(same)
        });
        if let Some(place) = place {
            let better = own.target[place.min(own.target.len() - 1)];
            out.replace_range(range, &in_case_of(word, better));
        }
    }
    (out != text).then_some(out)
}

fn other_person(source: &str, text: &str) -> Option<String> {
    const HE: [&str; 12] = [
        "他", "男", "爸", "爷", "哥", "弟", "父", "叔", "先生", "儿子", "丈夫", "王子",
    ];
    const SHE: [&str; 14] = [
        "她", "女", "妈", "奶奶", "姐", "妹", "母", "婆", "太太", "阿姨", "妻", "娘", "姑", "夫人",
    ];
    let has = |words: &[&str]| words.iter().any(|word| source.contains(word));
    let (he, she) = (source.contains('他'), source.contains('她'));
    let pairs: &[(&str, &str)] = if he && !has(&SHE) {
        &[
            ("she", "he"),
            ("her", "his"),
            ("hers", "his"),
            ("herself", "himself"),
            ("she's", "he's"),
        ]
    } else if she && !has(&HE) {
        &[
            ("he", "she"),
            ("his", "her"),
            ("him", "her"),
            ("himself", "herself"),
            ("he's", "she's"),
        ]
    } else {
        return None;
    };
    let found = words(text);
    let is = |range: &Range<usize>, word: &str| text[range.clone()].eq_ignore_ascii_case(word);
    if found
        .iter()
        .any(|range| pairs.iter().any(|(_, own)| is(range, own) && *own != "her"))
    {
        return None;
    }
    let mut out = text.to_owned();
    for range in found.into_iter().rev() {
        if let Some((_, own)) = pairs.iter().find(|(other, _)| is(&range, other)) {
            // her book, of her
            let last = !text[range.end..]
                .trim_start()
                .starts_with(char::is_alphabetic);
            let own = if *own == "his" && last { "him" } else { own };
            out.replace_range(range.clone(), &in_case_of(&text[range], own));
        }
    }
    (out != text).then_some(out)
}

fn lost_ban(source: &str, text: &str) -> Option<String> {
    let begins = |clause: &str| BANS.iter().any(|ban| clause.trim_start().starts_with(ban));
    // 别人, 别的: others.
    let others = ["别人", "别的", "不得不", "不得已", "不要紧", "勿忘"];
    let is_banned = begins(source)
        && !others
            .iter()
            .any(|word| source.trim_start().starts_with(word))
        && !source.contains(['？', '?']);
    if !is_banned || text.is_empty() {
        return None;
    }
    let found = words(text);
    let is_negative = |range: &Range<usize>| {
        let word = text[range.clone()].to_ascii_lowercase();
        word.ends_with("n't") || NEGATIVE.contains(&word.as_str())
    };
    if found.iter().any(is_negative) {
        return None;
    }
    const MODALS: [&str; 7] = ["may", "can", "must", "should", "will", "shall", "could"];
    let modal = found
        .iter()
        .find(|range| MODALS.contains(&&text[(*range).clone()]));
    if let Some(modal) = modal {
        return Some(format!("{} not{}", &text[..modal.end], &text[modal.end..]));
    }
    let rest = text.strip_prefix("Please ");
    let please = if rest.is_some() {
        "Please do not "
    } else {
        "Do not "
    };
    let rest = rest.unwrap_or(text);
    let mut chars = rest.chars();
    let first = chars.next()?;
    // A name or abbreviation keeps its capital.
    let lower = chars
        .as_str()
        .starts_with(|c: char| c.is_lowercase() || c == ' ');
    let first = if lower {
        first.to_ascii_lowercase()
    } else {
        first
    };
    Some(format!("{please}{first}{}", chars.as_str()))
}

/// `word` with a capital where `like` has one.
fn in_case_of(like: &str, word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) if like.starts_with(|c: char| c.is_ascii_uppercase()) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => word.to_owned(),
    }
}

/// Words with inner marks: don't, a.m.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = c.is_alphabetic() || (start.is_some() && matches!(c, '\'' | '’' | '.'));
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let word = &text[from..at];
                let whole = matches!(word.to_ascii_lowercase().as_str(), "a.m." | "p.m.");
                let len = if whole {
                    word.len()
                } else {
                    word.trim_end_matches(['.', '\'', '’']).len()
                };
                words.push(from..from + len);
                start = None;
            }
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m2_bans_stay_bans() {
        for (source, text, expected) in [
            ("请勿点击。", "Please click.", Some("Please do not click.")),
            ("不得入内", "You may enter.", Some("You may not enter.")),
            ("别碰它", "Touch it.", Some("Do not touch it.")),
            ("禁止吸烟", "No smoking.", None),
            ("别人来了", "Others came.", None),
            ("不要走", "Don't go.", None),
        ] {
            assert_eq!(corrected(source, text).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn m5_days_times_and_money_are_those_of_the_source() {
        for (source, text, expected) in [
            ("明天见", "See you today.", Some("See you tomorrow.")),
            ("昨天和今天", "Today.", None),
            (
                "下午3点开会",
                "A meeting at 3 a.m.",
                Some("A meeting at 3 p.m."),
            ),
            ("下午开会", "in the morning.", Some("in the afternoon.")),
            ("三亿欧元", "300 million dollars", Some("300 million euros")),
            ("晚上8点", "at 8 p.m.", None),
            ("今晚升级", "upgraded yesterday", Some("upgraded tonight")),
            (
                "去年的收入",
                "income of next year",
                Some("income of last year"),
            ),
            (
                "需要30分钟",
                "It takes 30 hours.",
                Some("It takes 30 minutes."),
            ),
            ("股价下跌5%", "Shares rose 5%", Some("Shares fell 5%")),
            (
                "指数↑0.62%",
                "index ↑0.62% lower",
                Some("index ↑0.62% higher"),
            ),
            ("成本下降，利润上升", "Costs rose.", None),
            ("¥399", "399 dollars", Some("399 yuan")),
        ] {
            assert_eq!(corrected(source, text).as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn m4_people_are_those_of_the_source() {
        for (source, text, expected) in [
            ("他来了", "She came.", Some("He came.")),
            ("她的书", "His book.", Some("Her book.")),
            ("他看见它", "It saw her.", Some("It saw him.")),
            ("他和妈妈", "She and mother", None),
            ("他来了", "He saw her.", None),
        ] {
            assert_eq!(corrected(source, text).as_deref(), expected, "{source}");
        }
    }
}
