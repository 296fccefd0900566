//! Which words of a translation come from which of its source.

mod attention;
mod offsets;

use std::ops::Range;

use csanmt_text::script::is_han;

pub(crate) use attention::align;

/// A word of a translation, or a mark, and what it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Alignment {
    /// Bytes of the source sentence.
    pub source: Range<usize>,
    /// Bytes of its translation.
    pub target: Range<usize>,
}

/// The words of a text, marks apart from letters, every Chinese character by itself.
pub(crate) fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let class = Class::of(c);
        let joins = match (last, class) {
            (Some(Class::Letter), Class::Letter) => true,
            // Within a word: 3.5, don't, e-mail.
            (Some(Class::Letter), Class::Inner) => text[end..]
                .chars()
                .next()
                .is_some_and(|c| Class::of(c) == Class::Letter),
            _ => false,
        };
        match words.last_mut() {
            Some(word) if joins => word.end = end,
            _ if class != Class::Space => words.push(at..end),
            _ => {}
        }
        last = Some(if joins { Class::Letter } else { class });
    }
    words
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Letter,
    /// A mark that may stand between the letters of one word.
    Inner,
    Other,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_whitespace() => Self::Space,
            _ if is_han(c) => Self::Other,
            _ if c.is_alphanumeric() => Self::Letter,
            '\'' | '’' | '-' | '.' | ',' | '_' => Self::Inner,
            _ => Self::Other,
        }
    }
}

/// Every word comes from itself.
pub(crate) fn same(text: &str) -> Vec<Alignment> {
    words(text)
        .into_iter()
        .map(|word| Alignment {
            source: word.clone(),
            target: word,
        })
        .collect()
}

/// The n-th part of the translation comes from the n-th part of the source.
pub(crate) fn proportional(source: &str, target: &str) -> Vec<Alignment> {
    let from = words(source);
    let to = words(target);
    let count = to.len();
    to.into_iter()
        .enumerate()
        .filter_map(|(i, target)| {
            let source = from.get((2 * i + 1) * from.len() / (2 * count))?.clone();
            Some(Alignment { source, target })
        })
        .collect()
}
