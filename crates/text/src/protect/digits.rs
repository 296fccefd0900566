//! Numbers in Chinese characters as digits, where nothing but a number can be meant: models confuse
//! 两万五千 more than 25000, and digits can be compared with those of a translation.

use std::borrow::Cow;

use super::number::Decimal;
use super::{Kind, Span, numeral, spans};

/// `sentence` with digits for years (二〇二四年), dates (十月一日), shares (百分之五, 三分之二), numbers of
/// several places (两万五千, 第一百二十三条, （三）) and times of day (14时28分). What is no language
/// stays as it is.
#[must_use]
pub fn in_digits(sentence: &str) -> Cow<'_, str> {
    if !sentence.contains(|c| numeral::small(c) || "〇零两百千万时点".contains(c)) {
        return Cow::Borrowed(sentence);
    }
    let spans = spans(sentence);
    let mut out = String::new();
    let (mut end, mut at) = (0, 0);
    while let Some(c) = sentence[at..].chars().next() {
        let span = spans.binary_search_by_key(&at, |span| span.range.start);
        let span = span.ok();
        let span_end = span.map(|i| spans[i].range.end);
        let found = match span {
            Some(i) => clock(sentence, &spans[i..]).or_else(|| number(sentence, &spans[i])),
            None => None,
        };
        let free = span.is_none_or(|i| spans[i].kind == Kind::Numeral);
        let found = found
            .or_else(|| date(sentence, at).filter(|_| free))
            .or_else(|| share(sentence, at).filter(|_| free))
            .or_else(|| item(sentence, at).filter(|_| free));
        match found {
            Some((len, digits)) => {
                out += &sentence[end..at];
                out += &digits;
                at += len;
                end = at;
            }
            None => at = span_end.unwrap_or(at + c.len_utf8()),
        }
    }
    if end == 0 {
        return Cow::Borrowed(sentence);
    }
    out += &sentence[end..];
    Cow::Owned(out)
}

/// Digits without commas; `None` for numbers that are written with a word.
fn digits(value: &Decimal) -> Option<String> {
    let text = value.to_english().replace(',', "");
    (!text.contains(' ')).then_some(text)
}

/// A span that is a number in characters: its length and its digits.
fn number(sentence: &str, span: &Span) -> Option<(usize, String)> {
    let text = &sentence[span.range.clone()];
    if let Some(share) = text.strip_prefix("百分之") {
        return Some((text.len(), digits(&numeral::value(share)?)? + "%"));
    }
    if span.kind != Kind::Numeral {
        return None;
    }
    let value = digits(&numeral::value(text)?)?;
    let places = text.chars().any(|c| "十百千万亿".contains(c));
    // Models know 二十六 well.
    let long = value.len() > 2 && value.trim_end_matches('0').len() > 1;
    let certain = !places || long;
    certain.then_some((text.len(), value))
}

/// `14时28分04秒`, `9点5分`.
fn clock(sentence: &str, spans: &[Span]) -> Option<(usize, String)> {
    let value = |span: &Span, below: u32| -> Option<u32> {
        let text = &sentence[span.range.clone()];
        // 04 is a number with a leading zero.
        let numeric = matches!(span.kind, Kind::Number | Kind::Digits);
        let value = text.parse().ok().filter(|_| numeric)?;
        (value < below && text.len() < 3).then_some(value)
    };
    let [hour, minute, rest @ ..] = spans else {
        return None;
    };
    let between = |a: &Span, b: &Span| &sentence[a.range.end..b.range.start];
    let (hours, minutes) = (value(hour, 25)?, value(minute, 60)?);
    if !matches!(between(hour, minute), "时" | "点" | "時" | "點")
        || !sentence[minute.range.end..].starts_with('分')
    {
        return None;
    }
    let start = hour.range.start;
    let minute_end = minute.range.end + '分'.len_utf8();
    let second = rest.first().filter(|second| {
        between(minute, second) == "分" && sentence[second.range.end..].starts_with('秒')
    });
    if let Some((second, seconds)) = second.and_then(|second| Some((second, value(second, 60)?))) {
        let end = second.range.end + '秒'.len_utf8();
        return Some((end - start, format!("{hours:02}:{minutes:02}:{seconds:02}")));
    }
    let goes_on = sentence[minute_end..].starts_with(|c: char| c.is_ascii_digit());
    (!goes_on).then(|| (minute_end - start, format!("{hours}:{minutes:02}")))
}

/// The numeral at the beginning of `text` with its length, if its value is in the range.
fn small(text: &str, range: std::ops::RangeInclusive<u64>) -> Option<(usize, u64)> {
    let len: usize = text
        .chars()
        .take(4)
        .take_while(|&c| numeral::small(c))
        .map(char::len_utf8)
        .sum();
    let value = numeral::value_of_item(&text[..len])?;
    range.contains(&value).then_some((len, value))
}

/// `十月一日`, but not by the moon.
fn date(sentence: &str, at: usize) -> Option<(usize, String)> {
    let before = &sentence[..at];
    let lunar = ["农历", "阴历", "農曆", "陰曆", "闰"];
    if before.ends_with(numeral::small) || lunar.iter().any(|word| before.ends_with(word)) {
        return None;
    }
    let rest = &sentence[at..];
    let (month_len, month) = small(rest, 1..=12)?;
    let day_text = rest[month_len..].strip_prefix('月')?;
    let (day_len, day) = small(day_text, 1..=31)?;
    let mark = day_text[day_len..]
        .chars()
        .next()
        .filter(|c| matches!(c, '日' | '号' | '號'))?;
    let len = month_len + '月'.len_utf8() + day_len + mark.len_utf8();
    Some((len, format!("{month}月{day}{mark}")))
}

/// `三分之二`, `千分之五`, `万分之三`.
fn share(sentence: &str, at: usize) -> Option<(usize, String)> {
    const PARTS: &str = "分之";
    if sentence[..at].ends_with(|c| numeral::small(c) || "百千万".contains(c)) {
        return None;
    }
    let rest = &sentence[at..];
    for (whole, shift) in [("千", -1), ("万", -2)] {
        if let Some(text) = rest.strip_prefix(whole).and_then(|r| r.strip_prefix(PARTS)) {
            let (len, value) = small(text, 1..=99)?;
            let value = Decimal::parse(&value.to_string())?.shifted(shift);
            let len = whole.len() + PARTS.len() + len;
            return Some((len, value.to_english() + "%"));
        }
    }
    let (whole_len, whole) = small(rest, 2..=99)?;
    let text = rest[whole_len..].strip_prefix(PARTS)?;
    let (len, count) = small(text, 1..=99)?;
    Some((whole_len + PARTS.len() + len, format!("{count}/{whole}")))
}

/// `（三）` behind 第.
fn item(sentence: &str, at: usize) -> Option<(usize, String)> {
    let rest = &sentence[at..];
    let open = rest.chars().next().filter(|c| matches!(c, '（' | '('))?;
    if !sentence[..at].ends_with('第') {
        return None;
    }
    let text = &rest[open.len_utf8()..];
    let (len, value) = small(text, 1..=99)?;
    let close = text[len..]
        .chars()
        .next()
        .filter(|c| matches!(c, '）' | ')'))?;
    let len = open.len_utf8() + len + close.len_utf8();
    Some((len, format!("{open}{value}{close}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_what_can_only_be_a_number_becomes_digits() {
        for (text, expected) in [
            ("二〇二四年十月一日", "2024年10月1日"),
            ("一九四九年", "1949年"),
            ("十二月三十一日", "12月31日"),
            ("百分之十二点五", "12.5%"),
            ("三分之二的人", "2/3的人"),
            ("千分之五，万分之三", "0.5%，0.03%"),
            ("两万五千块", "25000块"),
            ("第一百二十三条第（三）项", "第123条第（3）项"),
            ("2008年5月12日14时28分04秒", "2008年5月12日14:28:04"),
            ("9点5分到", "9:05到"),
        ] {
            assert_eq!(in_digits(text), expected);
        }
    }

    #[test]
    fn b3_what_may_be_something_else_stays() {
        for text in [
            "三百人",
            "十二个",
            "二百五",
            "二十六人",
            "农历八月十五日",
            "三亿五千万",
            "千万别去",
            "一心一意",
            "五六百人",
            "`二〇二四年`",
            "他（三）走了",
            "百分之百",
            "需要3小时28分",
            "十分之",
        ] {
            assert_eq!(in_digits(text), text);
        }
    }
}
