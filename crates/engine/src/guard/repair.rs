//! Small corrections of a translation that has the right words and a wrong number.

use csanmt_text::protect::{Kind, Span, number, render};

/// Puts lost numbers in the place of numbers that the source does not have, one for one; inserts
/// lost per cent signs; writes number words as digits. `None` when that is not enough.
pub(crate) fn numbers(
    source: &str,
    spans: &[Span],
    lost: &[&Span],
    output: &str,
) -> Option<String> {
    if lost.is_empty() || !lost.iter().all(|span| span.kind.is_number()) {
        return None;
    }
    let mut out = output.to_owned();
    let mut left = Vec::new();
    for span in lost {
        match with_sign(source, span, &out)
            .or_else(|| without_word(source, span, &out))
            .or_else(|| other_day(source, span, &out))
        {
            Some(repaired) => out = repaired,
            None => left.push(*span),
        }
    }
    if left.is_empty() {
        return Some(out);
    }
    // A number in Chinese characters may well be one in digits in the translation.
    let mut outside = String::new();
    let mut end = 0;
    for span in spans {
        outside.push_str(&source[end..span.range.start]);
        end = span.range.end;
    }
    outside.push_str(&source[end..]);
    if outside.contains([
        '二', '两', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万', '亿', '半',
    ]) {
        return None;
    }
    let surplus = surplus(source, spans, &out);
    if surplus.len() != left.len() {
        return None;
    }
    for (span, range) in left.iter().zip(surplus).rev() {
        out.replace_range(range, &render(source, span));
    }
    Some(out)
}

/// The numbers of the output that belong to no number of the source.
fn surplus(source: &str, spans: &[Span], output: &str) -> Vec<std::ops::Range<usize>> {
    let wanted: Vec<number::Found> = spans
        .iter()
        .flat_map(|span| number::find(&render(source, span)))
        .collect();
    let mut places: Vec<(std::ops::Range<usize>, bool)> = Vec::new();
    for found in number::find(output) {
        let known = wanted.iter().any(|wanted| wanted.value == found.value);
        match places.last_mut() {
            // Readings of one place.
            Some((range, any)) if range.end > found.range.start => {
                *any |= known;
                range.start = range.start.min(found.range.start);
                range.end = range.end.max(found.range.end);
            }
            _ => places.push((found.range, known)),
        }
    }
    places
        .into_iter()
        .filter(|(_, known)| !known)
        .map(|(range, _)| range)
        .collect()
}

/// `0.62` where the source has `0.62%`.
fn with_sign(source: &str, span: &Span, output: &str) -> Option<String> {
    if span.kind != Kind::Percentage {
        return None;
    }
    let text = render(source, span);
    let number = text.trim_end_matches(['%', '‰']);
    let wanted = number::Decimal::parse(number)?;
    let found = number::find(output)
        .into_iter()
        .find(|found| found.value == wanted)?;
    let mut out = output.to_owned();
    out.insert_str(found.range.end, &text[number.len()..]);
    Some(out)
}

/// Another day of the week, if there is only one.
fn other_day(source: &str, span: &Span, output: &str) -> Option<String> {
    const DAYS: [&str; 7] = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ];
    if span.kind != Kind::Weekday {
        return None;
    }
    let mut places = DAYS.iter().flat_map(|day| output.match_indices(day));
    let (at, day) = places.next()?;
    let alone = places.next().is_none();
    let mut out = output.to_owned();
    out.replace_range(at..at + day.len(), &render(source, span));
    alone.then_some(out)
}

const WORDS: [(&str, &str, &str); 12] = [
    ("1", "one", "first"),
    ("2", "two", "second"),
    ("3", "three", "third"),
    ("4", "four", "fourth"),
    ("5", "five", "fifth"),
    ("6", "six", "sixth"),
    ("7", "seven", "seventh"),
    ("8", "eight", "eighth"),
    ("9", "nine", "ninth"),
    ("10", "ten", "tenth"),
    ("11", "eleven", "eleventh"),
    ("12", "twelve", "twelfth"),
];

/// `3` for `three`, `4th` for `fourth`.
fn without_word(source: &str, span: &Span, output: &str) -> Option<String> {
    let text = render(source, span);
    let &(digits, cardinal, ordinal) = WORDS.iter().find(|(digits, ..)| *digits == text)?;
    let suffix = match digits {
        "1" => "st",
        "2" => "nd",
        "3" => "rd",
        _ => "th",
    };
    let lower = output.to_ascii_lowercase();
    for (word, replacement) in [
        (cardinal, digits.to_owned()),
        (ordinal, format!("{digits}{suffix}")),
    ] {
        let mut places = lower.match_indices(word).filter(|(at, _)| {
            let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !joins(lower[..*at].chars().next_back())
                && !joins(lower[at + word.len()..].chars().next())
        });
        if let (Some((at, _)), None) = (places.next(), places.next()) {
            let mut out = output.to_owned();
            out.replace_range(at..at + word.len(), &replacement);
            return Some(out);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use csanmt_text::protect::{missing, spans};

    fn repaired(source: &str, output: &str) -> Option<String> {
        let spans = spans(source);
        let lost = missing(source, &spans, output);
        numbers(source, &spans, &lost, output)
    }

    #[test]
    fn wrong_numbers_are_corrected() {
        for (source, output, expected) in [
            (
                "湖人112比108勇士",
                "Lakers 112 to 118 Warriors",
                Some("Lakers 112 to 108 Warriors"),
            ),
            (
                "1.2万元起",
                "from 1.2 million yuan",
                Some("from 12,000 yuan"),
            ),
            ("上涨0.62%", "up 0.62 today", Some("up 0.62% today")),
            ("下午3点", "three p.m.", Some("3 p.m.")),
            ("第4局", "the fourth game", Some("the 4th game")),
            ("星期三", "Thursday", Some("Wednesday")),
            ("3个和三十个", "31 and 30", None),
            ("3个", "some", None),
        ] {
            assert_eq!(repaired(source, output).as_deref(), expected, "{source}");
        }
    }
}
