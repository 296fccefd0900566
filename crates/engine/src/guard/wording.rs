//! Words that turn a sentence into its opposite.

/// What is wrong with the words of a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {}

pub(crate) fn fault(_source: &str, _text: &str) -> Option<Wrong> {
    None
}

pub(crate) fn corrected(_source: &str, _text: &str) -> Option<String> {
    None
}
