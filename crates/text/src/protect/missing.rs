//! Comparison of a translation with what its source protects.

use std::collections::HashMap;
use std::ops::Range;

use super::number::{self, Found};
use super::{Kind, Span, month_name, numeral, quantity, render, sanctioned_forms, weekday_name};

/// The protected stretches of `sentence` that are not in `output`.
///
/// Equal stretches have to occur as often as in the sentence, numbers once. A number may change
/// its form but not its value, a sign may become the words that mean it, and short words
/// (T恤, 卡拉OK) are language.
#[must_use]
pub fn missing<'s>(sentence: &str, spans: &'s [Span], output: &str) -> Vec<&'s Span> {
    if spans.is_empty() {
        return Vec::new();
    }
    let numbers = number::find(output);
    let mut left: HashMap<&str, usize> = HashMap::new();
    let is_lost = |span: &&Span| {
        let text = &sentence[span.range.clone()];
        if span.kind.is_number() {
            return !number_occurs(text, span.kind, output, &numbers);
        }
        if span.kind == Kind::Term && is_common(text) && !stands_alone(sentence, span) {
            return false;
        }
        let rendered = render(sentence, span);
        let left = left
            .entry(text)
            .or_insert_with(|| count(&rendered, span.kind, output));
        let lost = *left == 0;
        *left = left.saturating_sub(1);
        lost
    };
    let mut lost = is_lost;
    spans.iter().filter(|span| lost(span)).collect()
}

/// Nothing touches it: a letter that is spoken of, not one of T恤 or 卡拉OK.
fn stands_alone(sentence: &str, span: &Span) -> bool {
    let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let Range { start, end } = span.range;
    let quoted = |c: Option<char>| c.is_some_and(|c| "“”‘’「」'\"".contains(c));
    let (before, behind) = (
        sentence[..start].chars().next_back(),
        sentence[end..].chars().next(),
    );
    !touches(before) && !touches(behind) && quoted(before) && quoted(behind)
}

/// Words too short to tell a term from language.
fn is_common(text: &str) -> bool {
    text.len() < 2
        || text == "OK"
        || (text.len() == 2 && text.bytes().all(|b| b.is_ascii_lowercase()))
}

fn number_occurs(text: &str, kind: Kind, output: &str, numbers: &[Found]) -> bool {
    if kind == Kind::Weekday {
        return weekday_name(text).is_some_and(|name| output.contains(&name[..3]));
    }
    if kind == Kind::Numeral {
        return numeral::occurs(text, output, numbers);
    }
    if kind == Kind::Month {
        let number = text.trim_end_matches('月');
        return month_name(number).is_some_and(|name| output.contains(&name[..3]))
            || number_occurs(number, Kind::Number, output, numbers);
    }
    let Some(value) = quantity::value(text) else {
        return output.contains(text);
    };
    let in_words = match text.starts_with("百分之") {
        true => numeral::words(output),
        false => Vec::new(),
    };
    let all = numbers.iter().chain(&in_words);
    let mut same = all.filter(|found| found.value == value);
    match kind {
        Kind::Percentage => same.any(|found| {
            let tail = output[found.range.end..].trim_start();
            ["%", "percent", "per cent", "‰", "per mil", "pc"]
                .iter()
                .any(|sign| tail.starts_with(sign))
        }),
        _ => same.next().is_some(),
    }
}

/// How often `text` occurs in the output.
fn count(text: &str, kind: Kind, output: &str) -> usize {
    let exact = occurrences(text, kind, output).count();
    if exact > 0 {
        return exact;
    }
    match kind {
        Kind::Symbol => {
            let forms = sanctioned_forms(text);
            forms
                .iter()
                .map(|form| output.matches(form).count())
                .max()
                .unwrap_or(0)
        }
        Kind::Range => ranges(text, output),
        Kind::Signed => match text.strip_prefix('-') {
            Some(number) => ["minus ", "−", "–"]
                .iter()
                .map(|sign| output.matches(&format!("{sign}{number}")).count())
                .sum(),
            None => 0,
        },
        Kind::Prescribed => {
            let (text, output) = (text.to_lowercase(), output.to_lowercase());
            occurrences(&text, Kind::Term, &output).count()
        }
        // 10kg → 10 kg
        Kind::Term => {
            let spaced = spaced(text);
            if spaced.len() > text.len() {
                occurrences(&spaced, kind, output).count()
            } else {
                0
            }
        }
        _ => 0,
    }
}

/// How often both numbers of `3-5` occur in this order with a word or mark between them.
fn ranges(text: &str, output: &str) -> usize {
    let is_digit = |c: char| c.is_ascii_digit();
    let number = |c: char| !is_digit(c) && !matches!(c, '.' | ',');
    let (Some(first), Some(second)) = (text.find(number), text.rfind(number)) else {
        return 0;
    };
    let (first, second) = (&text[..first], &text[second..]);
    let second = second.trim_start_matches(number);
    occurrences(first, Kind::Number, output)
        .filter(|range| {
            let tail = &output[range.end..];
            let between = tail.find(is_digit).filter(|&len| joins(tail[..len].trim()));
            between.is_some_and(|len| {
                let tail = &tail[len..];
                tail.starts_with(second) && !tail[second.len()..].starts_with(is_digit)
            })
        })
        .count()
}

/// The words and marks between the ends of a range.
fn joins(between: &str) -> bool {
    const WORDS: [&str; 14] = [
        "-", "–", "—", "−", "~", "/", "to", "and", "or", "till", "until", "through", "% to",
        "% and",
    ];
    WORDS.iter().any(|word| between.eq_ignore_ascii_case(word))
}

/// Where `text` stands in the output, not as a part of a longer word or number. A term may be
/// inflected.
pub(crate) fn occurrences<'o>(
    text: &'o str,
    kind: Kind,
    output: &'o str,
) -> impl Iterator<Item = Range<usize>> + 'o {
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let ends = text.ends_with(|c: char| c.is_ascii_alphanumeric());
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    output
        .match_indices(text)
        .map(|(at, _)| at..at + text.len())
        .filter(move |range| {
            let before = output[..range.start].chars().next_back();
            let mut behind = output[range.end..].chars();
            let next = behind.next();
            let plural = kind == Kind::Term && next == Some('s') && !joins(behind.next());
            let within = begins && joins(before) || ends && joins(next) && !plural;
            !within
        })
}

/// `text` with spaces between digits and letters.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    let mut previous: Option<char> = None;
    for c in text.chars() {
        if previous.is_some_and(|p| {
            p.is_ascii_digit() != c.is_ascii_digit()
                && p.is_ascii_alphanumeric()
                && c.is_ascii_alphanumeric()
        }) {
            out.push(' ');
        }
        out.push(c);
        previous = Some(c);
    }
    out
}
