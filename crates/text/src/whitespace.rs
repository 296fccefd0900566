//! White space as Python's `str.split`, `str.strip` and `\s` understand it.
//!
//! Beyond Unicode's property it includes the four information separators U+001C..=U+001F.

/// Whether Python's `str.isspace` holds for `c`.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, '\u{1c}'..='\u{1f}') || c.is_whitespace()
}

/// `text.strip()`.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `text.split()`.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}
