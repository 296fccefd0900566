//! Numbers in Chinese text with what belongs to them: 50%, 3.5万, 2月.

use super::number::Decimal;
use super::{Kind, Span, numeral, structure};

/// The ASCII digit for a digit of any width.
pub(super) fn digit(c: char) -> Option<char> {
    match c {
        '0'..='9' => Some(c),
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10),
        _ => None,
    }
}

/// Length of the number at the beginning of `rest`: digits, groups behind commas, a fraction.
pub(super) fn number(rest: &str) -> usize {
    let run = |text: &str| -> usize {
        text.chars()
            .take_while(|&c| digit(c).is_some())
            .map(char::len_utf8)
            .sum()
    };
    let mut end = run(rest);
    let first = rest[..end].chars().count();
    while first <= 3
        && let Some(mark) = rest[end..]
            .chars()
            .next()
            .filter(|c| matches!(c, ',' | '，'))
    {
        let start = end + mark.len_utf8();
        let group = run(&rest[start..]);
        if rest[start..start + group].chars().count() != 3 {
            break;
        }
        end = start + group;
    }
    if let Some(mark) = rest[end..]
        .chars()
        .next()
        .filter(|c| matches!(c, '.' | '．'))
    {
        let start = end + mark.len_utf8();
        let fraction = run(&rest[start..]);
        if fraction > 0 {
            end = start + fraction;
        }
    }
    end
}

/// The power of ten of 万, 千万, 亿 … and the length in bytes.
pub(super) fn scale(rest: &str) -> Option<(u32, usize)> {
    let (mut power, mut end) = (0, 0);
    for c in rest.chars() {
        power += match c {
            '百' => 2,
            '千' => 3,
            '万' | '萬' => 4,
            '亿' | '億' => 8,
            _ => break,
        };
        end += c.len_utf8();
    }
    // 千克 and the like are units, 百分 is a percentage.
    let units = ['克', '米', '瓦', '卡', '帕', '赫', '伏', '分', '字', '吨'];
    if rest[..end].ends_with(['千', '百']) && rest[end..].starts_with(units) {
        let last = rest[..end].chars().next_back()?;
        end -= last.len_utf8();
        power -= if last == '千' { 3 } else { 2 };
    }
    (power > 0).then_some((power, end))
}

/// The quantity at the beginning of `rest`.
pub(super) fn scan(rest: &str) -> Option<(usize, Kind)> {
    let end = number(rest);
    if end == 0 {
        return None;
    }
    let tail = &rest[end..];
    if let Some(sign) = tail
        .chars()
        .next()
        .filter(|c| matches!(c, '%' | '％' | '‰'))
    {
        return Some((end + sign.len_utf8(), Kind::Percentage));
    }
    if let Some((_, length)) = scale(tail) {
        return Some((end + length, Kind::Scaled));
    }
    if tail.starts_with('月') && month_name(&rest[..end]).is_some() {
        return Some((end + '月'.len_utf8(), Kind::Month));
    }
    Some((end, Kind::Number))
}

/// The English name of the month with a number.
#[must_use]
pub fn month_name(number: &str) -> Option<&'static str> {
    let ascii: Option<String> = number.chars().map(digit).collect();
    let number = ascii
        .filter(|digits| digits.len() <= 2)?
        .parse::<usize>()
        .ok()?;
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    NAMES.get(number.checked_sub(1)?).copied()
}

/// The value of a number, percentage or scaled number.
pub(super) fn value(text: &str) -> Option<Decimal> {
    if let Some(share) = text.strip_prefix("百分之") {
        return numeral::value(share);
    }
    let end = number(text);
    let power = scale(&text[end..]).map_or(0, |(power, _)| power);
    Decimal::parse(&text[..end]).map(|value| value.scaled(power))
}

/// How a span is written in English.
#[must_use]
pub fn render(sentence: &str, span: &Span) -> String {
    let text = &sentence[span.range.clone()];
    match span.kind {
        Kind::Scaled => value(text).map_or_else(|| text.to_owned(), |value| value.to_english()),
        Kind::Numeral => numeral::value(text).map_or_else(
            || text.to_owned(),
            |value| match text
                .chars()
                .all(|c| c == '〇' || !"十百千万亿萬億".contains(c))
            {
                // A year has no commas.
                true => value.to_english().replace(',', ""),
                false => value.to_english(),
            },
        ),
        Kind::Percentage if text.starts_with("百分之") => {
            value(text).map_or_else(|| text.to_owned(), |value| value.to_english() + "%")
        }
        Kind::Month => {
            let number = text.trim_end_matches('月');
            month_name(number).unwrap_or(number).to_owned()
        }
        Kind::Weekday => super::weekday_name(text).unwrap_or(text).to_owned(),
        Kind::Number | Kind::Percentage | Kind::Range => half_width(text),
        Kind::Mark => structure::render(text),
        Kind::Price => price(text),
        Kind::Digits => text.replace('（', "(").replace('）', ")"),
        Kind::Prescribed => span.translation.as_deref().unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    }
}

/// The sign as it is, and the number without 万 and 亿.
fn price(text: &str) -> String {
    let start = text.find(|c| digit(c).is_some()).unwrap_or(text.len());
    let (sign, amount) = text.split_at(start);
    let scaled = number(amount) < amount.len();
    match value(amount).filter(|_| scaled) {
        Some(value) => sign.to_owned() + &value.to_english(),
        None => sign.to_owned() + &half_width(amount),
    }
}

fn half_width(text: &str) -> String {
    let narrow = |c| match c {
        '．' => '.',
        '，' => ',',
        '％' => '%',
        '～' => '~',
        '－' => '-',
        _ => digit(c).unwrap_or(c),
    };
    text.chars().map(narrow).collect()
}
