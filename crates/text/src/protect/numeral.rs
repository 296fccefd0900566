//! Numbers in Chinese characters (十二, 两百, 三千五百万, 百分之五十, 一九九八年) and in English words.
//!
//! Only what cannot well be anything else is taken for a number: 十分 and 千万 are adverbs, 三心二意 is
//! an idiom, 二三十 is no exact number.

use super::number::{Decimal, Found};
use super::{Kind, number};

/// Longest numeral in characters.
const MOST: usize = 24;

/// The value of a digit.
fn digit(c: char) -> Option<u64> {
    let place = "零一二三四五六七八九".chars().position(|d| d == c);
    match c {
        '〇' => Some(0),
        '两' | '兩' | '贰' | '貳' => Some(2),
        '壹' => Some(1),
        '叁' | '參' => Some(3),
        '肆' => Some(4),
        '伍' => Some(5),
        '陆' | '陸' => Some(6),
        '柒' => Some(7),
        '捌' => Some(8),
        '玖' => Some(9),
        _ => place.and_then(|digit| u64::try_from(digit).ok()),
    }
}

fn is_zero(c: char) -> bool {
    matches!(c, '零' | '〇')
}

/// The power of a place within four digits.
fn place(c: char) -> Option<u64> {
    match c {
        '十' | '拾' => Some(10),
        '百' | '佰' => Some(100),
        '千' | '仟' => Some(1000),
        _ => None,
    }
}

/// The power of a group of four digits.
fn group(c: char) -> Option<u64> {
    match c {
        '万' | '萬' => Some(10_000),
        '亿' | '億' => Some(100_000_000),
        _ => None,
    }
}

fn is_numeral(c: char) -> bool {
    digit(c).is_some() || place(c).is_some() || group(c).is_some()
}

/// One of 一 to 十, as items are numbered.
pub(super) fn small(c: char) -> bool {
    "一二三四五六七八九十".contains(c)
}

/// The number of an item; `None` when it is written in digits or is none.
pub(super) fn value_of_item(text: &str) -> Option<u64> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some('十'), None) => Some(10),
        (Some(c), None) if small(c) => digit(c),
        (Some(c), Some(_)) if small(c) && text.chars().all(small) => whole(text),
        _ => None,
    }
}

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let rest = &text[at..];
    if let Some(share) = rest.strip_prefix("百分之") {
        let len = numeral(share);
        // 百分之十二点五
        let fraction = share[len..].strip_prefix(['点', '點']).map_or(0, numeral);
        let point = '点'.len_utf8();
        let digits = |from: usize, len: usize| {
            len > 0 && share[from..from + len].chars().all(|c| digit(c).is_some())
        };
        let len = match fraction {
            0 => len,
            _ if digits(len + point, fraction) => len + point + fraction,
            _ => len,
        };
        value(&share[..len])?;
        return Some((at + "百分之".len() + len, Kind::Percentage));
    }
    let first = rest.chars().next().filter(|&c| is_numeral(c))?;
    let before = text[..at].chars().next_back();
    let len = numeral(rest);
    let (word, tail) = rest.split_at(len);
    // 几十 and 数十 are no exact numbers, of 3千五百 and 二点五万 this is a part.
    let is_part = before.is_some_and(|c| match c {
        '数' | '數' => first == '十',
        '点' | '點' => !word.contains('十'),
        _ => is_numeral(c) || c.is_numeric() || matches!(c, '几' | '幾'),
    });
    if is_part {
        return None;
    }
    if let Some(len) = decimal(word, tail) {
        return Some((at + len, Kind::Numeral));
    }
    let characters = word.chars().count();
    // 一九九八年
    if characters > 2 && tail.starts_with('年') && word.chars().all(|c| digit(c).is_some()) {
        return Some((at + len, Kind::Numeral));
    }
    let counts = digit(first).is_some_and(|value| value > 0) || first == '十';
    let has_place = word
        .chars()
        .any(|c| place(c).or_else(|| group(c)).is_some());
    if characters < 2
        || !counts
        || !has_place
        || value(word).is_none()
        || is_something_else(word, tail)
    {
        return None;
    }
    Some((at + len, Kind::Numeral))
}

/// 二十三点五, before a unit: 三点五十 is a time.
fn decimal(word: &str, tail: &str) -> Option<usize> {
    let fraction = tail
        .strip_prefix('点')
        .or_else(|| tail.strip_prefix('點'))?;
    let len = numeral(fraction);
    let (digits, unit) = fraction.split_at(len);
    let plain = len > 0 && digits.chars().all(|c| digit(c).is_some());
    let units = "度倍米元公千克万亿吨折升个岁成％%";
    let text_len = word.len() + '点'.len_utf8() + len;
    (plain && unit.starts_with(|c| units.contains(c)) && !word.is_empty()).then_some(text_len)
}

/// 十一黄金周, 八十年代, 二百五, 二十几, 三十而立.
fn is_something_else(word: &str, tail: &str) -> bool {
    let others = [
        "几",
        "幾",
        "年代",
        "来",
        "來",
        "而立",
        "不惑",
        "黄金周",
        "长假",
        "假期",
        "国庆",
        "分之",
    ];
    word == "二百五" || others.iter().any(|other| tail.starts_with(other))
}

/// Length in bytes of the numeral at the beginning of `text`.
fn numeral(text: &str) -> usize {
    let characters = text.chars().take(MOST).take_while(|&c| is_numeral(c));
    characters.map(char::len_utf8).sum()
}

/// The value of a numeral; `None` when it is not a well-formed one.
pub(super) fn value(text: &str) -> Option<Decimal> {
    if let Some((before, behind)) = text.split_once(['点', '點']) {
        let digits = |text: &str| -> String {
            text.chars()
                .filter_map(digit)
                .map(|d| d.to_string())
                .collect()
        };
        let before = match before.chars().count() {
            1 => digits(before).parse().ok().or_else(|| whole(before))?,
            _ => whole(before)?,
        };
        return Decimal::parse(&format!("{before}.{}", digits(behind)));
    }
    if text.chars().count() > 2 && text.chars().all(|c| digit(c).is_some()) {
        let digits: String = text
            .chars()
            .filter_map(digit)
            .map(|d| d.to_string())
            .collect();
        return Decimal::parse(&digits);
    }
    whole(text).and_then(|value| Decimal::parse(&value.to_string()))
}

/// Groups of places: 三千五百万零二十.
fn whole(text: &str) -> Option<u64> {
    let (mut total, mut section, mut pending) = (0_u64, 0_u64, None::<u64>);
    // The place before: what follows has to be lower, and a digit at the end counts tenths of it.
    let (mut last_place, mut last_group) = (u64::MAX, u64::MAX);
    let mut zero = false;
    for c in text.chars() {
        if is_zero(c) {
            if pending.is_some() {
                return None;
            }
            zero = true;
        } else if let Some(value) = digit(c) {
            if pending.replace(value).is_some() {
                return None;
            }
        } else if let Some(power) = place(c) {
            if power >= last_place {
                return None;
            }
            let times = match pending.take() {
                Some(times) => times,
                // 十二, and 一百十二.
                None if power == 10 => 1,
                None => return None,
            };
            section += times * power;
            (last_place, zero) = (power, false);
        } else if let Some(power) = group(c) {
            let sum = section + pending.take().unwrap_or(0);
            // 三千万亿 and the like.
            if power >= last_group {
                return None;
            }
            if sum == 0 {
                return None;
            }
            total += sum.checked_mul(power)?;
            section = 0;
            (last_place, last_group, zero) = (u64::MAX, power, false);
        }
    }
    let rest = match pending {
        None => 0,
        // 两万五 is 25 000, 三百五 is 350.
        Some(digit) if !zero && last_place != u64::MAX => digit * (last_place / 10).max(1),
        Some(digit) if !zero && last_group != u64::MAX && section == 0 => digit * last_group / 10,
        Some(digit) => digit,
    };
    Some(total + section + rest)
}

/// The numbers that an English text has in words: `twelve`, `two hundred and five`, `twenty-first`,
/// `a dozen`.
pub(super) fn words(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut run = Run::default();
    let mut end = 0;
    let lower = text.to_ascii_lowercase();
    for (at, word) in alphabetic(&lower) {
        let joined = lower[end..at].chars().all(|c| c == ' ' || c == '-');
        end = at + word.len();
        if !joined {
            run.finish(&mut found);
        }
        if !run.take(word, at..end) {
            run.finish(&mut found);
        }
    }
    run.finish(&mut found);
    found
}

/// Words of letters, and where they begin.
fn alphabetic(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|c: char| !c.is_ascii_alphabetic())
        .filter_map(move |word| {
            let start = at;
            at += word.len();
            // The separator is one character of any length.
            at += text[at..].chars().next().map_or(0, char::len_utf8);
            (!word.is_empty()).then_some((start, word))
        })
}

const UNITS: [(&str, &str); 20] = [
    ("zero", "zeroth"),
    ("one", "first"),
    ("two", "second"),
    ("three", "third"),
    ("four", "fourth"),
    ("five", "fifth"),
    ("six", "sixth"),
    ("seven", "seventh"),
    ("eight", "eighth"),
    ("nine", "ninth"),
    ("ten", "tenth"),
    ("eleven", "eleventh"),
    ("twelve", "twelfth"),
    ("thirteen", "thirteenth"),
    ("fourteen", "fourteenth"),
    ("fifteen", "fifteenth"),
    ("sixteen", "sixteenth"),
    ("seventeen", "seventeenth"),
    ("eighteen", "eighteenth"),
    ("nineteen", "nineteenth"),
];
const TENS: [(&str, &str); 8] = [
    ("twenty", "twentieth"),
    ("thirty", "thirtieth"),
    ("forty", "fortieth"),
    ("fifty", "fiftieth"),
    ("sixty", "sixtieth"),
    ("seventy", "seventieth"),
    ("eighty", "eightieth"),
    ("ninety", "ninetieth"),
];
const SCALES: [(&str, u64); 5] = [
    ("dozen", 12),
    ("thousand", 1000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("trillion", 1_000_000_000_000),
];

/// Words of one number.
#[derive(Default)]
struct Run {
    total: u64,
    section: u64,
    range: Option<std::ops::Range<usize>>,
}

impl Run {
    /// Adds a word; `false` when it belongs to no number.
    fn take(&mut self, word: &str, range: std::ops::Range<usize>) -> bool {
        let of = |table: &[(&str, &str)]| {
            let place = table
                .iter()
                .position(|&(cardinal, ordinal)| word == cardinal || word == ordinal);
            place.and_then(|place| u64::try_from(place).ok())
        };
        let scale = |name: &str| word == name || word.strip_suffix("th") == Some(name);
        if let Some(value) = of(&UNITS) {
            self.section = self.section.saturating_add(value);
        } else if let Some(ten) = of(&TENS) {
            self.section = self.section.saturating_add((ten + 2) * 10);
        } else if scale("hundred") {
            self.section = self.section.max(1).saturating_mul(100);
        } else if let Some(&(_, power)) = SCALES.iter().find(|(name, _)| scale(name)) {
            let sum = self.section.max(1).saturating_mul(power);
            self.total = self.total.saturating_add(sum);
            self.section = 0;
        } else {
            // two hundred and five
            return word == "and" && self.range.is_some();
        }
        let start = self.range.take().map_or(range.start, |own| own.start);
        self.range = Some(start..range.end);
        true
    }

    fn finish(&mut self, found: &mut Vec<Found>) {
        let Self {
            total,
            section,
            range,
        } = std::mem::take(self);
        if let Some(range) = range
            && let Some(value) = Decimal::parse(&total.saturating_add(section).to_string())
        {
            found.push(Found { range, value });
        }
    }
}

/// Whether a translation has the value of a numeral, in digits or in words.
pub(super) fn occurs(text: &str, output: &str, numbers: &[Found]) -> bool {
    let Some(value) = value(text) else {
        return true;
    };
    let twelve = number::Decimal::parse("12").as_ref() == Some(&value);
    numbers.iter().any(|found| found.value == value)
        || words(output).iter().any(|found| found.value == value)
        || (twelve
            && ["noon", "midnight", "December"]
                .iter()
                .any(|word| output.contains(word)))
        || (number::Decimal::parse("11").as_ref() == Some(&value) && output.contains("November"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_numerals_have_values() {
        for (text, expected) in [
            ("十二", "12"),
            ("二十", "20"),
            ("三十五", "35"),
            ("两百", "200"),
            ("一百零五", "105"),
            ("一百十二", "112"),
            ("三百五", "350"),
            ("两万五", "25000"),
            ("一千零二十", "1020"),
            ("三千五百万", "35000000"),
            ("一亿二千万", "120000000"),
            ("十万", "100000"),
            ("二〇二四", "2024"),
            ("一九九八", "1998"),
            ("二十三点五", "23.5"),
            ("零点二五", "0.25"),
            ("壹佰贰拾叁", "123"),
        ] {
            assert_eq!(value(text), Decimal::parse(expected), "{text}");
        }
        for text in ["二三十", "百十", "千万", "十百"] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn b3_what_is_no_number_is_none() {
        for (text, found) in [
            ("来了十二个人", Some("十二")),
            ("百分之五十的人", Some("百分之五十")),
            ("一九九八年", Some("一九九八")),
            ("第二十五届", Some("二十五")),
            ("二十三点五度", Some("二十三点五")),
            ("三点五十见", Some("五十")),
            ("十分好", None),
            ("千万别去", None),
            ("万一", None),
            ("三心二意", None),
            ("几十个", None),
            ("十几个", None),
            ("二十几岁", None),
            ("八十年代", None),
            ("二百五", None),
            ("一些", None),
            ("3十二", None),
            ("二三十人", None),
        ] {
            let spans = text
                .char_indices()
                .find_map(|(at, _)| scan(text, at).map(|(end, _)| &text[at..end]));
            assert_eq!(spans, found, "{text}");
        }
    }

    #[test]
    fn b3_english_words_have_values() {
        let values = |text: &str| -> Vec<Decimal> {
            words(text).into_iter().map(|found| found.value).collect()
        };
        for (text, expected) in [
            ("twelve people", &["12"][..]),
            ("Two hundred and five, thirty-five", &["205", "35"]),
            ("a dozen of the twenty-first", &["12", "21"]),
            ("thirty-five million two thousand", &["35002000"]),
            ("a hundred and more", &["100"]),
            ("someone often and", &[]),
        ] {
            let expected: Vec<Decimal> = expected
                .iter()
                .filter_map(|one| Decimal::parse(one))
                .collect();
            assert_eq!(values(text), expected, "{text}");
        }
        let found = &words("about twenty-one apples")[0];
        assert_eq!(
            &"about twenty-one apples"[found.range.clone()],
            "twenty-one"
        );
    }
}
