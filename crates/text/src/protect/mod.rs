//! What is not language: addresses, code, placeholders, pictures, numbers.
//!
//! [`spans`] finds the stretches of a sentence that a translation has to carry over, [`missing`]
//! tells which of them a translation has lost. Most have to survive byte for byte; numbers may
//! change their form but not their value (see [`number`]).
//!
//! The scanners are tried one after the other at every character. Each looks a bounded distance
//! ahead, so that the whole is linear in the length of the text.

mod address;
mod chunk;
mod digits;
mod file_name;
mod missing;
pub mod number;
mod numeral;
mod pictograph;
mod placeholder;
mod quantity;
mod structure;
mod technical;
mod terms;
#[cfg(test)]
mod tests;
mod weekday;

pub use digits::in_digits;
pub use missing::missing;
pub use pictograph::sanctioned_forms;
pub use quantity::{month_name, render};
pub use terms::{Terms, TermsError, TermsProblem};
pub use weekday::weekday_name;

use std::ops::Range;

/// A stretch of a sentence that a translation has to carry over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// What stands for it in the translation, where the reader prescribes that.
    pub translation: Option<Box<str>>,
}

/// What a protected stretch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `https://example.com/路径?q=1#top`, `www.example.com`.
    Url,
    /// `name@example.com`.
    Email,
    /// `@name`.
    Handle,
    /// `#tag`.
    Hashtag,
    /// `/usr/bin`, `src/main.rs`, `C:\dir`.
    Path,
    /// IPv4 and IPv6 addresses with port or prefix length, MAC addresses.
    Host,
    /// Hashes, UUIDs, serial numbers, file names: letters mixed with digits or marks.
    Identifier,
    /// `v1.2.3`, `1.0.0-rc2`.
    Version,
    /// `%s`, `{name}`, `${v}`, `[1]`, `\n`.
    Placeholder,
    /// `<a href="/help">`, `</a>`, `<0/>`.
    Markup,
    /// Text between back-ticks.
    Code,
    /// LaTeX between dollar signs.
    Formula,
    /// One picture, whatever number of characters it is made of.
    Emoji,
    /// One sign: ✓ → ① ㎡, or a face: :)
    Symbol,
    /// Marks of Markdown and of other structure: `# `, `**`, `（一）`, `|`, brackets. The text between
    /// them is translated by itself.
    Mark,
    /// A word in another alphabet.
    Term,
    /// A number with its separators, without sign, unit and 万 or 亿.
    Number,
    /// A number with its per cent sign.
    Percentage,
    /// A number and the 万, 亿 … behind it.
    Scaled,
    /// A number in Chinese characters.
    Numeral,
    /// The number of a month and its 月.
    Month,
    /// 星期三, 周三.
    Weekday,
    /// `12:30`, `2025-03-08T14:05:00+08:00`, and dates in digits.
    Time,
    /// `2-1`, `11:9`, `16:9`, `24/7`.
    Score,
    /// `3-5`, `1995~2005`.
    Range,
    /// `-5`, `±0.05`, `+1`.
    Signed,
    /// `¥399`, `HK$128`, `$3.5万`.
    Price,
    /// Card, telephone and order numbers.
    Digits,
    /// A term that the reader prescribes.
    Prescribed,
}

impl Kind {
    /// Whether a translation may write it in another form.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(
            self,
            Self::Number
                | Self::Percentage
                | Self::Scaled
                | Self::Numeral
                | Self::Month
                | Self::Weekday
        )
    }

    /// Whether its letters and digits must keep their width and form.
    #[must_use]
    pub fn is_verbatim(self) -> bool {
        matches!(
            self,
            Self::Url
                | Self::Email
                | Self::Handle
                | Self::Hashtag
                | Self::Path
                | Self::Placeholder
                | Self::Markup
                | Self::Code
                | Self::Formula
                | Self::Emoji
        )
    }

    /// Whether nobody would expect a translation model to have learnt it.
    #[must_use]
    pub fn is_foreign(self) -> bool {
        !self.is_number()
            && !matches!(
                self,
                Self::Term
                    | Self::Version
                    | Self::Time
                    | Self::Score
                    | Self::Range
                    | Self::Signed
                    | Self::Price
            )
    }
}

/// A scanner: the end and kind of what begins at a byte of a text.
type Scanner = fn(&str, usize) -> Option<(usize, Kind)>;

const SCANNERS: [Scanner; 9] = [
    file_name::scan,
    address::scan,
    placeholder::scan,
    structure::scan,
    technical::scan,
    pictograph::scan,
    chunk::scan,
    weekday::scan,
    numeral::scan,
];

/// The protected stretches of a sentence, in order.
#[must_use]
pub fn spans(sentence: &str) -> Vec<Span> {
    spans_with(sentence, &Terms::default())
}

/// As [`spans`], with the terms that the reader prescribes. Where both begin at one place the longer
/// one counts.
#[must_use]
pub fn spans_with(sentence: &str, terms: &Terms) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(c) = sentence[at..].chars().next() {
        // What follows a stretch begins a word, whatever the stretch ends with.
        let base = spans.last().map_or(0, |last| last.range.end);
        let base = if base == at { at } else { 0 };
        let found = SCANNERS
            .iter()
            .find_map(|scan| scan(&sentence[base..], at - base))
            .map(|(end, kind)| (base + end, kind));
        let term = terms
            .find(sentence, at)
            .filter(|(len, _)| found.is_none_or(|(end, _)| at + len >= end));
        if let Some((len, translation)) = term {
            spans.push(Span {
                range: at..at + len,
                kind: Kind::Prescribed,
                translation: Some(translation.into()),
            });
            at += len;
        } else if let Some((end, kind)) = found {
            push(sentence, &mut spans, at..end, kind);
            at = end;
        } else {
            at += c.len_utf8();
        }
    }
    spans
}

/// Adds a stretch, or lengthens the last one: pictures side by side are one, and so are English words
/// with spaces between them.
fn push(sentence: &str, spans: &mut Vec<Span>, range: Range<usize>, kind: Kind) {
    if let Some(last) = spans.last_mut() {
        let between = &sentence[last.range.end..range.start];
        let phrase = |kind| {
            matches!(
                kind,
                Kind::Term | Kind::Number | Kind::Version | Kind::Identifier
            )
        };
        let pictures = last.kind == Kind::Emoji && kind == Kind::Emoji && between.is_empty();
        let words = between == " "
            && phrase(kind)
            && phrase(last.kind)
            && (last.kind == Kind::Term || kind == Kind::Term)
            && sentence[last.range.clone()].starts_with(|c: char| c.is_ascii_alphabetic());
        if pictures || words {
            last.range.end = range.end;
            if words && kind == Kind::Identifier {
                last.kind = kind;
            }
            return;
        }
    }
    spans.push(Span {
        range,
        kind,
        translation: None,
    });
}

/// The part of `text` before `at` has no letter or digit at its end that something beginning at
/// `at` would belong to.
fn at_word_start(text: &str, at: usize) -> bool {
    !text[..at]
        .chars()
        .next_back()
        .is_some_and(|c| c.is_ascii_alphanumeric())
}

/// At most `limit` bytes from `at` on.
fn window(text: &str, at: usize, limit: usize) -> &str {
    let mut end = (at + limit).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// Length of the beginning of `text` whose bytes are all of a class of ASCII characters.
fn run(text: &str, class: impl Fn(u8) -> bool) -> usize {
    text.bytes()
        .take_while(|&b| b.is_ascii() && class(b))
        .count()
}
