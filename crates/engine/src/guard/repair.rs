//! Small corrections of a translation that has the right words and a wrong number or term.

use csanmt_text::protect::{Kind, Span, number, render};

/// Mends what was lost: text that only its spaces or letter case differ from, per cent signs, days
/// and number words, numbers and terms that are garbled, and numbers that the source does not have
/// in the place of lost ones, one for one. `None` when that is not enough.
pub(crate) fn lost(source: &str, spans: &[Span], lost: &[&Span], output: &str) -> Option<String> {
    let mut out = output.to_owned();
    let mut left = Vec::new();
    for span in lost {
        let repaired = respaced(&render(source, span), &out)
            .or_else(|| with_sign(source, span, &out))
            .or_else(|| without_word(source, span, &out))
            .or_else(|| other_day(source, span, &out))
            .or_else(|| garbled(source, spans, span, &out));
        match repaired {
            Some(repaired) => out = repaired,
            None => left.push(*span),
        }
    }
    if left.is_empty() {
        return Some(out);
    }
    if !left.iter().all(|span| span.kind.is_number()) || has_numerals(source, spans) {
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

/// `8 million` is `8` where the source has 8 and no large number at all.
pub(crate) fn without_scales(source: &str, spans: &[Span], output: &str) -> Option<String> {
    let large = |c: char| "百千万亿萬億佰仟".contains(c);
    let latin = |c: char| c.is_ascii_alphabetic();
    let unscaled = spans.iter().any(|span| span.kind.is_number())
        && !source.contains(large)
        && !spans
            .iter()
            .any(|span| span.kind.is_number() && source[span.range.clone()].contains(latin))
        && !source.to_ascii_lowercase().contains("illion");
    if !unscaled {
        return None;
    }
    let values: Vec<number::Decimal> = spans
        .iter()
        .flat_map(|span| number::find(&render(source, span)))
        .map(|found| found.value)
        .collect();
    let mut out = output.to_owned();
    // Both readings of one place, the scaled one first.
    for pair in number::find(output).windows(2).rev() {
        let (scaled, plain) = (&pair[0], &pair[1]);
        let same = scaled.range.start == plain.range.start && scaled.range.end > plain.range.end;
        let word = same && output[plain.range.end..scaled.range.end].contains("illion");
        if word && values.contains(&plain.value) && !values.contains(&scaled.value) {
            out.replace_range(plain.range.end..scaled.range.end, "");
        }
    }
    (out != output).then_some(out)
}

/// Numbers in Chinese characters, which may well be in digits in the translation.
fn has_numerals(source: &str, spans: &[Span]) -> bool {
    let in_span = |at: usize| spans.iter().any(|span| span.range.contains(&at));
    source
        .char_indices()
        .any(|(at, c)| "二两三四五六七八九十百千万亿半".contains(c) && !in_span(at))
}

/// `9: 30` for `9:30`, `Github` for `GitHub`.
fn respaced(text: &str, output: &str) -> Option<String> {
    let wanted: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (begins, ends) = (
        joins(wanted.first().copied()),
        joins(wanted.last().copied()),
    );
    let mut previous = None;
    for (start, first) in output.char_indices() {
        let word_start = !(begins && joins(previous));
        previous = Some(first);
        if !word_start || !first.eq_ignore_ascii_case(wanted.first()?) {
            continue;
        }
        let mut matched = 0;
        let mut end = start;
        for c in output[start..].chars() {
            match wanted.get(matched) {
                Some(wanted) if wanted.eq_ignore_ascii_case(&c) => matched += 1,
                Some(_) if c == ' ' => {}
                _ => break,
            }
            end += c.len_utf8();
            if matched == wanted.len() {
                break;
            }
        }
        let next = output[end..].chars().next();
        let unit = text.ends_with(|c: char| c.is_ascii_digit())
            && next.is_some_and(|c| c.is_ascii_alphabetic());
        if matched == wanted.len() && (unit || !(ends && joins(next))) {
            let mut out = output.to_owned();
            out.replace_range(start..end, text);
            return Some(out);
        }
    }
    None
}

/// The word or number that is most like the lost one and not in the source: `Optiontional` for
/// `Optional`, `1149` for `1.149`.
fn garbled(source: &str, spans: &[Span], span: &Span, output: &str) -> Option<String> {
    let text = render(source, span);
    let is_word = |c: char| c.is_alphanumeric() || "._-/'".contains(c);
    if span.kind == Kind::Weekday || !text.chars().all(is_word) {
        return None;
    }
    let numeric = span.kind.is_number();
    if numeric && text.len() < 3 && has_numerals(source, spans) {
        return None;
    }
    let lower = text.to_lowercase();
    let places: Vec<std::ops::Range<usize>> = if numeric {
        surplus(source, spans, output)
    } else {
        words(output)
    };
    let known = |word: &str| {
        let same = |span: &Span| render(source, span).eq_ignore_ascii_case(word);
        spans.iter().any(same)
    };
    let best = places
        .into_iter()
        .filter(|range| numeric || !known(&output[range.clone()]))
        .map(|range| {
            (
                similarity(&lower, &output[range.clone()].to_lowercase()),
                range,
            )
        })
        .max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let (similarity, range) = best;
    let mut out = output.to_owned();
    out.replace_range(range, &text);
    (similarity >= ALIKE).then_some(out)
}

/// How much of two words must be the same, in the same order.
const ALIKE: f32 = 0.5;

/// The share of characters that two words have in common, in the same order.
fn similarity(a: &str, b: &str) -> f32 {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut common = vec![0_usize; b.len() + 1];
    for x in &a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = common[j + 1];
            common[j + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(common[j])
            };
            diagonal = above;
        }
    }
    2.0 * common[b.len()] as f32 / (a.len() + b.len()).max(1) as f32
}

/// The words of a text.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, c.is_alphanumeric() || "._-/'".contains(c)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let len = text[from..at].trim_end_matches(['.', '-', '\'']).len();
                words.push(from..from + len);
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// How many numbers an output has that the source does not know.
pub(crate) fn invented(source: &str, spans: &[Span], output: &str) -> usize {
    if has_numerals(source, spans) || source.contains('一') {
        return 0;
    }
    surplus(source, spans, output).len()
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
        let missing = missing(source, &spans, output);
        lost(source, &spans, &missing, output)
    }

    #[test]
    fn b3_words_that_make_a_number_larger_go() {
        for (source, output, expected) in [
            ("可乐 8元", "Cola 8 million yuan", Some("Cola 8 yuan")),
            ("8万元", "80 thousand yuan", None),
            ("8 million元", "8 million yuan", None),
            ("3个", "3 thousand", None),
            ("第3名", "3rd of 5 million", None),
        ] {
            let spans = spans(source);
            let found = without_scales(source, &spans, output);
            assert_eq!(found.as_deref(), expected, "{source}");
        }
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
            // 30 belongs to the source in characters: 31 is the wrong one.
            ("3个和三十个", "31 and 30", Some("3 and 30")),
            ("3个", "some", None),
            ("营业时间：9:30", "Business: 9: 30", Some("Business: 9:30")),
            ("代码在GitHub上", "on the Github", Some("on the GitHub")),
            (
                "Optional适合",
                "The Optiontional is",
                Some("The Optional is"),
            ),
            (
                "支持A3和A4",
                "supports AA3 and AAA4.",
                Some("supports A3 and A4."),
            ),
            ("升至1.149", "rose to 1149", Some("rose to 1.149")),
            ("请在EOD之前", "before noon", None),
        ] {
            assert_eq!(repaired(source, output).as_deref(), expected, "{source}");
        }
    }
}
