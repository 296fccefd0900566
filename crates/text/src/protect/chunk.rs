//! Words and numbers in ASCII: terms, versions, identifiers, times, quantities.

use super::{Kind, at_word_start, quantity, run, window};
use crate::script::is_han;

/// Longest chunk; what is longer is no word.
const MAX_BYTES: usize = 512;

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let first = text[at..].chars().next()?;
    if !at_word_start(text, at) {
        return None;
    }
    if first.is_ascii_digit() {
        let rest = window(text, at, MAX_BYTES);
        return time(rest)
            .or_else(|| digit_groups(rest))
            .or_else(|| lettered(rest))
            .or_else(|| dotted(rest))
            .or_else(|| score(rest))
            .or_else(|| range(rest))
            .or_else(|| quantity::scan(rest))
            .map(|(len, kind)| (at + len, kind));
    }
    if quantity::digit(first).is_some() {
        return quantity::scan(window(text, at, MAX_BYTES)).map(|(len, kind)| (at + len, kind));
    }
    if matches!(first, '(' | '（') {
        let rest = window(text, at, MAX_BYTES);
        return area_code(rest).map(|len| (at + len, Kind::Digits));
    }
    if first.is_ascii_alphabetic() {
        let rest = window(text, at, MAX_BYTES);
        return lettered(rest).map(|(len, kind)| (at + len, kind));
    }
    None
}

/// Letters and digits with single marks between them.
fn joined(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut end = 0;
    while let Some(&b) = bytes.get(end) {
        let next_joins = bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        // A&amp;B
        let escaped = rest[end..].starts_with("&amp;");
        if escaped {
            if !bytes
                .get(end + "&amp;".len())
                .is_some_and(u8::is_ascii_alphanumeric)
            {
                break;
            }
            end += "&amp;".len();
            continue;
        }
        if b.is_ascii_alphanumeric() || (b"-_./+&'@~=".contains(&b) && next_joins) || b == b'_' {
            end += 1;
        } else {
            break;
        }
    }
    // C++, C#, A+
    let marks = run(&rest[end..], |b| b == b'+' || b == b'#').min(2);
    if bytes
        .get(end + marks)
        .is_some_and(u8::is_ascii_alphanumeric)
    {
        return end;
    }
    end + marks
}

/// A chunk with at least one letter.
fn lettered(rest: &str) -> Option<(usize, Kind)> {
    let length = joined(rest);
    let chunk = &rest[..length];
    let bytes = chunk.as_bytes();
    if !chunk.contains(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    let numbered = chunk
        .strip_prefix(['v', 'V'])
        .unwrap_or(chunk)
        .split(['.', '-'])
        .next()
        .is_some_and(|major| !major.is_empty() && major.bytes().all(|b| b.is_ascii_digit()));
    let slashes = bytes.iter().filter(|&&b| b == b'/').count();
    let extension = chunk.rsplit_once('.').map(|(_, extension)| extension);
    let named_file = extension.is_some_and(|e| {
        (1..=5).contains(&e.len()) && e.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let kind = if numbered && (chunk.starts_with(['v', 'V']) || chunk.contains('.')) {
        Kind::Version
    } else if slashes > 1 || (slashes == 1 && named_file) {
        Kind::Path
    } else if digits == 0 && !chunk.contains(['_', '@', '=', '.', '~']) {
        Kind::Term
    } else if digits > 0 && length < 16 && bytes.iter().all(u8::is_ascii_alphanumeric) {
        // 5G, 10kg, iPhone15: words the model may well know.
        Kind::Term
    } else {
        Kind::Identifier
    };
    Some((length, kind))
}

/// Digits and dots, at least three numbers: 1.0.12.
fn dotted(rest: &str) -> Option<(usize, Kind)> {
    let length = run(rest, |b| b.is_ascii_digit() || b == b'.');
    let text = rest[..length].trim_end_matches('.');
    (text.matches('.').count() > 1 && !text.contains("..")).then_some((text.len(), Kind::Version))
}

/// A run of `min..=max` digits.
fn digits(rest: &str, min: usize, max: usize) -> Option<usize> {
    let length = run(rest, |b| b.is_ascii_digit());
    (min..=max).contains(&length).then_some(length)
}

/// `12:30`, `12:30:45`, `2025-03-08`, `2025/3/8`, `2025-03-08T14:05:00+08:00`.
fn time(rest: &str) -> Option<(usize, Kind)> {
    let date = date(rest);
    let clock_start = match date {
        Some(date) if rest[date..].starts_with(['T', ' ']) => date + 1,
        Some(date) => return Some((date, Kind::Time)),
        None => 0,
    };
    match clock(&rest[clock_start..]) {
        Some(clock) => Some((clock_start + clock, Kind::Time)),
        None => date.map(|date| (date, Kind::Time)),
    }
}

fn date(rest: &str) -> Option<usize> {
    let year = digits(rest, 4, 4)?;
    let mark = rest[year..]
        .chars()
        .next()
        .filter(|c| matches!(c, '-' | '/' | '.'))?;
    let month = digits(&rest[year + 1..], 1, 2)?;
    let second = year + 1 + month;
    if !rest[second..].starts_with(mark) {
        return None;
    }
    let day = digits(&rest[second + 1..], 1, 2)?;
    let end = second + 1 + day;
    (!rest[end..].starts_with(mark)).then_some(end)
}

fn clock(rest: &str) -> Option<usize> {
    let mut end = digits(rest, 1, 2)?;
    let mut parts = 0;
    while parts < 2 && rest[end..].starts_with(':') {
        let Some(length) = digits(&rest[end + 1..], 2, 2) else {
            break;
        };
        end += 1 + length;
        parts += 1;
    }
    if parts == 0 || rest[end..].starts_with(':') {
        return None;
    }
    if rest[end..].starts_with('.') {
        let fraction = run(&rest[end + 1..], |b| b.is_ascii_digit());
        end += if fraction > 0 { fraction + 1 } else { 0 };
    }
    let tail = &rest[end..];
    if tail.starts_with('Z') {
        end += 1;
    } else if tail.starts_with(['+', '-'])
        && let Some(hours) = digits(&tail[1..], 2, 4)
    {
        let zone = 1 + hours;
        let minutes = tail[zone..]
            .strip_prefix(':')
            .and_then(|tail| digits(tail, 2, 2));
        end += zone + minutes.map_or(0, |length| length + 1);
    }
    Some(end)
}

/// Card and telephone numbers: groups of digits with single spaces or hyphens, nine digits and
/// more in all; and such numbers in one piece. A leading zero also shows that no quantity is meant.
pub(super) fn digit_groups(rest: &str) -> Option<(usize, Kind)> {
    let first = run(rest, |b| b.is_ascii_digit());
    let (mut end, mut count, mut groups) = (first, first, 1);
    while let Some(b' ' | b'-') = rest.as_bytes().get(end) {
        let length = run(&rest[end + 1..], |b| b.is_ascii_digit());
        if length < 2 {
            break;
        }
        end += 1 + length;
        count += length;
        groups += 1;
    }
    // 6552-1234, but 1995-2005 is a range.
    let local = groups == 2
        && first + 5 == end
        && (3..=4).contains(&first)
        && rest.as_bytes()[first] == b'-'
        && !rest.starts_with("19")
        && !rest.starts_with("20");
    let whole = groups > 1 && (count >= 9 || local);
    if !whole {
        (end, count) = (first, first);
    }
    let tail = &rest[end..];
    let goes_on = tail.starts_with(|c: char| c.is_ascii_alphanumeric())
        || (tail.starts_with(['.', ',', '-', '_', '/'])
            && tail[1..].starts_with(|c: char| c.is_ascii_alphanumeric()));
    let zero = !whole && first > 1 && rest.starts_with('0');
    (!goes_on && (count >= 9 || zero || whole)).then_some((end, Kind::Digits))
}

/// `(010) 6552-9988`
fn area_code(rest: &str) -> Option<usize> {
    let open = rest.chars().next()?.len_utf8();
    let code = run(&rest[open..], |b| b.is_ascii_digit());
    let close = rest[open + code..]
        .chars()
        .next()
        .filter(|c| matches!(c, ')' | '）'))?;
    let mut start = open + code + close.len_utf8();
    start += run(&rest[start..], |b| b == b' ').min(1);
    let number = &rest[start..];
    let plain = run(number, |b| b.is_ascii_digit());
    let len = match digit_groups(number) {
        Some((len, _)) => len,
        None if (7..=8).contains(&plain) => plain,
        None => return None,
    };
    let area = (3..=4).contains(&code) && rest[open..].starts_with('0');
    (area && len >= 7).then_some(start + len)
}

/// `2-1`, `11:9`, `16:9`, `1/3`: with a hyphen only if no unit follows, since 3-5天 is a range.
fn score(rest: &str) -> Option<(usize, Kind)> {
    let mut first = digits(rest, 1, 4)?;
    // 2.5:1
    if rest[first..].starts_with('.') {
        let fraction = run(&rest[first + 1..], |b| b.is_ascii_digit());
        let ratio = fraction > 0 && rest[first + 1 + fraction..].starts_with(':');
        first += if ratio { fraction + 1 } else { 0 };
    }
    let mark = rest[first..].chars().next()?;
    if !matches!(mark, '-' | ':' | '/') {
        return None;
    }
    let second = digits(&rest[first + 1..], 1, 4)?;
    let mut end = first + 1 + second;
    // 1:7.25
    if mark == ':' && rest[end..].starts_with('.') {
        let fraction = run(&rest[end + 1..], |b| b.is_ascii_digit());
        end += if fraction > 0 { fraction + 1 } else { 0 };
    }
    let next = rest[end..].chars().next();
    let goes_on = |c: char| {
        (mark == '-' && is_han(c))
            || (c.is_alphanumeric() && !is_han(c))
            || matches!(c, '-' | ':' | '/' | '%' | '％')
    };
    let point =
        rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit());
    (!next.is_some_and(goes_on) && !point).then_some((end, Kind::Score))
}

/// `3-5`, `100~200`, `0.5～1.5`.
fn range(rest: &str) -> Option<(usize, Kind)> {
    let first = quantity::number(rest);
    let mark = rest[first..].chars().next()?;
    if !matches!(mark, '-' | '－' | '~' | '～' | '–' | '—') {
        return None;
    }
    let start = first + mark.len_utf8();
    let end = start + quantity::number(&rest[start..]);
    let next = rest[end..].chars().next();
    let scaled = quantity::scale(&rest[end..]).is_some();
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '％' | '~' | '-' | '月');
    (end > start && !scaled && !next.is_some_and(goes_on)).then_some((end, Kind::Range))
}
