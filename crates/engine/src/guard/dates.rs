//! Dates of which a translation has the numbers alone: `3 5 days` for 3月5日.

use csanmt_text::protect::{Kind, Span, render};

/// Writes the name of a month in place of its number where the number of the day follows.
pub(crate) fn name_months(source: &str, spans: &[Span], text: &mut String) {
    for pair in spans.windows(2) {
        let (month, day) = (&pair[0], &pair[1]);
        let is_date = month.kind == Kind::Month
            && day.kind == Kind::Number
            && month.range.end == day.range.start
            && source[day.range.end..].starts_with(['日', '号']);
        let name = render(source, month);
        if !is_date || name.get(..3).is_none_or(|name| text.contains(name)) {
            continue;
        }
        let number = source[month.range.clone()].trim_end_matches('月');
        let wanted = format!("{number} {}", render(source, day));
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
        let place = text.match_indices(&wanted).map(|(at, _)| at).find(|&at| {
            !digit(text[..at].chars().next_back())
                && !text[at + wanted.len()..].starts_with(|c: char| c.is_ascii_digit())
        });
        if let Some(at) = place {
            let mut end = at + wanted.len();
            let unit = [" days", " day"]
                .into_iter()
                .find(|unit| text[end..].starts_with(unit));
            end += unit.map_or(0, str::len);
            text.replace_range(at..end, &format!("{name} {}", render(source, day)));
        }
    }
}

#[cfg(test)]
mod tests {
    use csanmt_text::protect::spans;

    use super::*;

    #[test]
    fn m5_months_have_their_names() {
        for (source, text, expected) in [
            ("今天是3月5日。", "Today is 3 5 days.", "Today is March 5."),
            ("12月1号", "12 1", "December 1"),
            ("3月5日", "3/5", "3/5"),
            ("3月5日", "March 5, 3 5", "March 5, 3 5"),
            ("3月5日", "13 5", "13 5"),
            ("3月5个", "3 5", "3 5"),
        ] {
            let mut text = text.to_owned();
            name_months(source, &spans(source), &mut text);
            assert_eq!(text, expected, "{source}");
        }
    }
}
