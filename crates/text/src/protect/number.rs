//! Numbers by value: `1,234` and `1234`, `３` and `3`, `3.5万` and `35 thousand` are the same.

use std::ops::Range;

/// An exact decimal number, `0.digits × 10^exponent`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Without zeros at either end; empty for 0.
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// The value of digits (of any width) with at most one point and commas between.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut digits = String::new();
        let mut point = None;
        for c in text.chars() {
            match c {
                '.' | '．' if point.is_none() => point = Some(digits.len()),
                ',' | '，' | ' ' => {}
                _ => digits.push(super::quantity::digit(c)?),
            }
        }
        if digits.is_empty() {
            return None;
        }
        let whole = point.unwrap_or(digits.len());
        let zeros = digits.bytes().take_while(|&b| b == b'0').count();
        let digits = digits[zeros..].trim_end_matches('0').to_owned();
        let exponent = if digits.is_empty() {
            0
        } else {
            whole as i64 - zeros as i64
        };
        Some(Self { digits, exponent })
    }

    /// The number times a power of ten.
    #[must_use]
    pub fn scaled(mut self, power: u32) -> Self {
        if !self.digits.is_empty() {
            self.exponent += i64::from(power);
        }
        self
    }

    /// The number times a power of ten, which may be below 1.
    #[must_use]
    pub(super) fn shifted(mut self, power: i64) -> Self {
        if !self.digits.is_empty() {
            self.exponent += power;
        }
        self
    }

    /// The number in English: `35,000`, `120 million`.
    #[must_use]
    pub fn to_english(&self) -> String {
        let words = [
            (13, 12, " trillion"),
            (10, 9, " billion"),
            (7, 6, " million"),
        ];
        let word = words.into_iter().find(|&(least, power, _)| {
            self.exponent >= least && self.digits.len() as i64 - (self.exponent - power) <= 2
        });
        match word {
            Some((_, power, word)) => self.plain(self.exponent - power) + word,
            None => self.plain(self.exponent),
        }
    }

    /// Digits with the point behind the first `whole` of them, and commas.
    fn plain(&self, whole: i64) -> String {
        if self.digits.is_empty() {
            return "0".into();
        }
        let mut out = String::new();
        let digit = |i: i64| {
            usize::try_from(i)
                .ok()
                .and_then(|i| self.digits.as_bytes().get(i))
                .map_or('0', |&b| char::from(b))
        };
        if whole <= 0 {
            out.push('0');
        }
        // Longer numbers than this are read as digits, not as quantities.
        for i in 0..whole.min(400) {
            if i > 0 && (whole - i) % 3 == 0 && whole > 3 {
                out.push(',');
            }
            out.push(digit(i));
        }
        let len = self.digits.len() as i64;
        if len > whole {
            out.push('.');
            (whole.max(-400)..len).for_each(|i| out.push(digit(i)));
        }
        out
    }
}

/// Words behind a number that multiply it, with the power of ten.
const SCALES: [(&str, u32); 12] = [
    ("hundred", 2),
    ("thousand", 3),
    ("million", 6),
    ("billion", 9),
    ("trillion", 12),
    ("mln", 6),
    ("bn", 9),
    ("k", 3),
    ("m", 6),
    ("万", 4),
    ("亿", 8),
    ("千", 3),
];

/// A number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its bytes, with a word that multiplies it.
    pub range: Range<usize>,
    /// Its value.
    pub value: Decimal,
}

/// The numbers of an English text: each run of digits, alone and with what multiplies it, and
/// groups of three digits written with spaces as one number.
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut grouped: Option<Range<usize>> = None;
    while let Some(c) = text[at..].chars().next() {
        if super::quantity::digit(c).is_none() {
            at += c.len_utf8();
            continue;
        }
        let length = super::quantity::number(&text[at..]);
        let mut range = at..at + length;
        at = range.end;
        // 1.75.5 is no number, and neither are its parts.
        let more = pointed(&text[at..]);
        if more > 0 {
            at += more;
            grouped = None;
            continue;
        }
        push(text, range.clone(), &mut found);
        // 35 000
        let continues = grouped.as_ref().is_some_and(|group| {
            &text[group.end..range.start] == " "
                && text[range.clone()]
                    .bytes()
                    .take_while(u8::is_ascii_digit)
                    .count()
                    == 3
                && text[group.clone()]
                    .split(' ')
                    .next()
                    .is_some_and(|head| head.len() <= 3)
        });
        if let (true, Some(group)) = (continues, &grouped) {
            range.start = group.start;
            push(text, range.clone(), &mut found);
        }
        grouped = Some(range);
    }
    found
}

/// Length of further points with digits behind a number that has one.
fn pointed(text: &str) -> usize {
    let mut end = 0;
    while let Some(rest) = text[end..].strip_prefix('.') {
        match super::run(rest, |b| b.is_ascii_digit()) {
            0 => break,
            digits => end += 1 + digits,
        }
    }
    end
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Found>) {
    let Some(value) = Decimal::parse(&text[range.clone()]) else {
        return;
    };
    let tail = &text[range.end..];
    let word = tail.trim_start_matches([' ', '-']);
    let length: usize = word
        .chars()
        .take_while(|c| c.is_alphabetic())
        .map(char::len_utf8)
        .sum();
    let lower = word[..length].to_ascii_lowercase();
    let scale = SCALES
        .into_iter()
        .find(|&(name, _)| lower.strip_suffix('s').unwrap_or(&lower) == name);
    if let Some((_, power)) = scale
        && tail.len() - word.len() <= 1
    {
        let end = range.end + (tail.len() - word.len()) + length;
        found.push(Found {
            range: range.start..end,
            value: value.clone().scaled(power),
        });
    }
    found.push(Found { range, value });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn forms_of_one_value_are_equal() {
        assert_eq!(value("1,234"), value("1234"));
        assert_eq!(value("１２．５0"), value("12.5"));
        assert_eq!(value("3.5").scaled(4), value("35,000"));
        assert_eq!(value("1.2").scaled(8), value("120").scaled(6));
        assert_eq!(value("0.00"), value("0"));
        assert_ne!(value("0.5"), value("5"));
        assert_ne!(value("100"), value("10"));
    }

    #[test]
    fn english_forms() {
        for (number, power, english) in [
            ("3.5", 4, "35,000"),
            ("1.2", 8, "120 million"),
            ("12", 8, "1.2 billion"),
            ("1.2", 4, "12,000"),
            ("5", 12, "5 trillion"),
            ("1234567.5", 0, "1,234,567.5"),
            ("0.05", 0, "0.05"),
            ("300", 4, "3 million"),
            ("0", 4, "0"),
        ] {
            assert_eq!(value(number).scaled(power).to_english(), english);
        }
    }

    #[test]
    fn b3_a_number_with_two_points_is_none() {
        assert_eq!(find("1.75.5 meters and 8848.86.8.86"), []);
        assert_eq!(find("1.75. 5").len(), 2);
    }

    #[test]
    fn numbers_of_a_text_with_their_scales() {
        let values: Vec<Decimal> = find("35 000 of 1.2 million, 3rd, 7k")
            .into_iter()
            .map(|f| f.value)
            .collect();
        for wanted in ["35000", "1200000", "3", "7000"] {
            assert!(values.contains(&value(wanted)), "{wanted}: {values:?}");
        }
    }
}
