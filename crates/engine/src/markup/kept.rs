//! Signs in place of what is kept.
//!
//! The content of a kept element could be anything: code, a formula, a Chinese name, nothing that
//! a sentence splitter or a model should see. A placeholder stands for it, `{0}`, which the
//! engine's guard carries over whatever the model does.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Piece;
use super::placement::Unit;
use super::tagged::TaggedText;

/// A text whose kept elements hold signs.
#[derive(Debug)]
pub(crate) struct Masked {
    pub(crate) text: TaggedText,
    /// Kept elements with content, by the number in their sign.
    signs: HashMap<usize, usize>,
}

impl Masked {
    pub(crate) fn new(source: &TaggedText) -> Self {
        let used: HashSet<usize> = signs(source.text()).map(|(_, number)| number).collect();
        let mut numbers = (0..).filter(|number| !used.contains(number));
        let mut signs = HashMap::new();
        let mut text = source.rebuild();
        let mut inside = None;
        for piece in source.pieces() {
            match piece {
                Piece::Open(element) => {
                    text.open(element);
                    if source.is_kept(element) {
                        inside = Some(element);
                    }
                }
                Piece::Text(_) if inside.is_some() => {
                    if let (Some(element), Some(number)) = (inside, numbers.next()) {
                        text.text.push_str(&format!("{{{number}}}"));
                        signs.insert(number, element);
                    }
                }
                Piece::Text(content) => text.text.push_str(content),
                Piece::Close(element) => {
                    text.close(element);
                    inside = None;
                }
            }
        }
        Self {
            text: text.build(),
            signs,
        }
    }

    /// The units of the signs in a translation, in order.
    pub(crate) fn units(&self, target: &str) -> Vec<Unit> {
        let mut found = HashSet::new();
        signs(target)
            .filter_map(|(range, number)| {
                let element = *self.signs.get(&number)?;
                found.insert(element).then(|| Unit {
                    target: range,
                    source: self.text.range(element),
                    kept: Some(element),
                })
            })
            .collect()
    }

    /// The translation `target` with the elements of `source` at `places`, and what was kept in
    /// place of the signs.
    pub(crate) fn restore(
        &self,
        source: &TaggedText,
        target: &str,
        places: &[Range<usize>],
    ) -> TaggedText {
        let mut placed = self.text.rebuild();
        for (element, place) in places.iter().enumerate() {
            placed.set(element, place.clone());
        }
        placed.text.push_str(target);
        let placed = placed.build();
        let mut out = source.rebuild();
        // A kept element that is not where its sign is: the content follows the element.
        let mut inside = false;
        for piece in placed.pieces() {
            match piece {
                Piece::Open(element) => {
                    inside = source.is_kept(element);
                    let content = source.range(element).unwrap_or_default();
                    let content = &source.text()[content];
                    let detached = places[element].is_empty();
                    if inside && detached && !content.is_empty() {
                        self.push_apart(&mut out.text);
                    }
                    out.open(element);
                    if inside {
                        out.text.push_str(content);
                    }
                }
                Piece::Text(_) if inside => {}
                Piece::Text(text) => self.push_without_signs(&mut out.text, text),
                Piece::Close(element) => {
                    inside = false;
                    out.close(element);
                }
            }
        }
        out.build()
    }

    /// Adds text without signs that have lost their element or are there once more.
    fn push_without_signs(&self, out: &mut String, text: &str) {
        let mut done = 0;
        for (range, number) in signs(text) {
            if !self.signs.contains_key(&number) {
                continue;
            }
            out.push_str(&text[done..range.start]);
            done = range.end;
            let spaced = out.is_empty() || out.ends_with(' ');
            if spaced && text[done..].starts_with(' ') {
                done += 1;
            }
        }
        out.push_str(&text[done..]);
    }

    /// What follows is no part of the word before it.
    fn push_apart(&self, out: &mut String) {
        if out.ends_with(char::is_alphanumeric) {
            out.push(' ');
        }
    }
}

/// What looks like a sign, and its number.
fn signs(text: &str) -> impl Iterator<Item = (Range<usize>, usize)> + '_ {
    text.match_indices('{').filter_map(|(at, _)| {
        let digits = text[at + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .take(MAX_DIGITS)
            .count();
        let end = at + 1 + digits;
        let number = text[at + 1..end].parse().ok()?;
        // One way only to write a number.
        let plain = digits == 1 || !text[at + 1..].starts_with('0');
        (plain && text[end..].starts_with('}')).then_some((at..end + 1, number))
    })
}

/// More digits than any sign has.
const MAX_DIGITS: usize = 9;
