//! Characters that print nothing: where they stay, where they go.
//!
//! Outside sentences everything is copied. Inside a sentence the model would see a soft hyphen or
//! zero-width space as an unknown token that also breaks the word around it, so [`clean`] takes
//! them out; a tab becomes a space. Joiners that shape emoji and Indic text (U+200C, U+200D) stay.

use crate::whitespace::is_space;
use std::borrow::Cow;

/// Whether `c` can only stand between sentences, never begin or end one.
pub(crate) fn is_gap(c: char) -> bool {
    is_space(c) || c.is_control() || is_zero_width(c)
}

/// Soft hyphen, zero-width space, word joiner, byte order mark, directional marks.
fn is_zero_width(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'
            ..='\u{202e}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

/// `text` without gap characters at its ends.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_gap)
}

/// `sentence` as the model should see it.
#[must_use]
pub fn clean(sentence: &str) -> Cow<'_, str> {
    let strange = |c: char| is_zero_width(c) || c.is_control();
    if !sentence.contains(strange) {
        return Cow::Borrowed(sentence);
    }
    let mut out = String::with_capacity(sentence.len());
    for c in sentence.chars() {
        if is_space(c) && c.is_control() {
            out.push(' ');
        } else if !strange(c) {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c8_soft_hyphen_zero_width_space_and_bom_go_inside_sentences() {
        assert_eq!(clean("人\u{ad}工\u{200b}智能\u{feff}。"), "人工智能。");
        assert_eq!(clean("你\u{202e}好\u{202c}吗"), "你好吗");
        assert_eq!(clean("a\tb\u{0}c\u{1f}d"), "a bc d");
        assert!(matches!(clean("你好 \u{fffd}👨‍👩‍👧"), Cow::Borrowed(_)));
    }
}
