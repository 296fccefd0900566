//! Items of a list on one line: `①苹果 ②香蕉 ③橘子`.

use csanmt_text::protect::Span;
use csanmt_text::script::is_han;

/// The first sign of each row of numbers, with how many there are.
const ROWS: [(char, u32); 9] = [
    ('①', 20),
    ('⑴', 20),
    ('⒈', 20),
    ('⒜', 26),
    ('㈠', 10),
    ('㊀', 10),
    ('❶', 10),
    ('➀', 10),
    ('➊', 10),
];

/// The spans that number items: signs of one row, one behind the other from some number on, with
/// words behind each. `由①和②可得` refers to something.
pub(crate) fn items(source: &str, spans: &[Span]) -> Vec<bool> {
    let numbers: Vec<Option<(usize, u32)>> = spans
        .iter()
        .map(|span| number(&source[span.range.clone()]))
        .collect();
    let has_words = |i: usize| {
        let end = spans
            .get(i + 1)
            .map_or(source.len(), |next| next.range.start);
        let words = &source[spans[i].range.end..end];
        words.chars().filter(|&c| is_han(c)).count() > 1
    };
    let mut chosen = vec![false; spans.len()];
    let mut last: Option<(usize, (usize, u32))> = None;
    for (i, found) in numbers.iter().enumerate() {
        let Some((row, number)) = *found else {
            continue;
        };
        if !has_words(i) {
            last = None;
            continue;
        }
        if let Some((before, (same, previous))) = last
            && same == row
            && number == previous + 1
        {
            chosen[before] = true;
            chosen[i] = true;
        }
        last = Some((i, (row, number)));
    }
    chosen
}

fn number(sign: &str) -> Option<(usize, u32)> {
    let mut chars = sign.chars();
    let c = u32::from(chars.next().filter(|_| chars.next().is_none())?);
    ROWS.iter().enumerate().find_map(|(row, &(first, count))| {
        let number = c.checked_sub(u32::from(first))?;
        (number < count).then_some((row, number))
    })
}

#[cfg(test)]
mod tests {
    use csanmt_text::protect::spans;

    use super::*;

    #[test]
    fn items_are_told_from_references() {
        for (source, expected) in [
            ("①苹果 ②香蕉 ③橘子", 3),
            ("请先㈠登录㈡付款", 2),
            ("由①和②可得结论", 0),
            ("见图③所示的位置", 0),
            ("①苹果③橘子", 0),
        ] {
            let chosen = items(source, &spans(source));
            let count = chosen.iter().filter(|chosen| **chosen).count();
            assert_eq!(count, expected, "{source}");
        }
    }
}
