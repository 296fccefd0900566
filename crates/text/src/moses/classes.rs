//! Character classes of the Moses rules.

use super::class_tables as tables;

/// A set of characters as two inversion lists, one for each width of code point.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) bmp: &'static [u16],
    pub(super) astral: &'static [u32],
}

impl Class {
    /// Whether `c` is a member: an odd number of bounds lies at or below it.
    pub(super) fn contains(&self, c: char) -> bool {
        let code = u32::from(c);
        let bounds_below = match u16::try_from(code) {
            Ok(code) => self.bmp.partition_point(|&bound| bound <= code),
            Err(_) => self.astral.partition_point(|&bound| bound <= code),
        };
        bounds_below % 2 == 1
    }
}

/// `[IsAlpha]` of the detokenizer.
pub(super) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    tables::ALPHA.contains(c)
}

/// `[IsAlpha]` of the tokenizer: letters, viramas and nuktas, and Han when `han` is set.
pub(super) fn is_alpha(c: char, han: bool) -> bool {
    is_letter(c) || (!c.is_ascii() && (tables::MARKS.contains(c) || (han && is_han(c))))
}

/// `[IsAlnum]` of the tokenizer.
pub(super) fn is_alnum(c: char, han: bool) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    is_alpha(c, han) || tables::ALNUM_REST.contains(c)
}

/// `[IsN]`: digits, fractions, numerals.
pub(super) fn is_number(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    tables::NUMBER.contains(c)
}

/// `[IsLower]`.
pub(super) fn is_lower(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_lowercase();
    }
    tables::LOWER.contains(c)
}

/// `[IsSc]`.
pub(super) fn is_currency(c: char) -> bool {
    tables::CURRENCY.contains(c)
}

/// Python's `\d`.
pub(super) fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    tables::DIGIT.contains(c)
}

/// The scripts the detokenizer writes without spaces.
pub(super) fn is_cjk(c: char) -> bool {
    tables::CJK.contains(c)
}

fn is_han(c: char) -> bool {
    tables::HAN.contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn golden_classes_over_all_of_unicode() {
        let golden: HashMap<String, Vec<(u32, u32)>> =
            serde_json::from_str(include_str!("../../tests/golden/moses_classes.json")).unwrap();
        let set = |name: &str| {
            let mut members = vec![false; 0x11_0000];
            for &(start, end) in &golden[name] {
                members[start as usize..end as usize].fill(true);
            }
            members
        };
        let (alpha, marks, rest) = (set("alpha"), set("marks"), set("alnum_rest"));
        let (number, lower, currency) = (set("number"), set("lower"), set("currency"));
        let (han, digit, cjk) = (set("han"), set("digit"), set("cjk"));
        for c in '\0'..=char::MAX {
            if c.is_whitespace() {
                continue;
            }
            let i = c as usize;
            assert_eq!(is_letter(c), alpha[i], "alpha {c:?}");
            assert_eq!(
                is_alpha(c, false),
                alpha[i] || marks[i],
                "alpha, marks {c:?}"
            );
            assert_eq!(
                is_alnum(c, true),
                alpha[i] || marks[i] || rest[i] || han[i],
                "alnum with Han {c:?}"
            );
            assert_eq!(is_number(c), number[i], "number {c:?}");
            assert_eq!(is_lower(c), lower[i], "lower {c:?}");
            assert_eq!(is_currency(c), currency[i], "currency {c:?}");
            assert_eq!(is_digit(c), digit[i], "digit {c:?}");
            assert_eq!(is_cjk(c), cjk[i], "cjk {c:?}");
        }
    }
}
