//! Signs in place of what is kept.
//!
//! The content of a kept element could be anything: code, a formula, a Chinese name, nothing that
//! a sentence splitter or a model should see. A placeholder stands for it, `{0}`, which the
//! engine's guard carries over whatever the model does.

use std::ops::Range;

use super::Piece;
use super::placement::Unit;
use super::tagged::TaggedText;

/// A text whose kept elements hold signs.
#[derive(Debug)]
pub(crate) struct Masked {
    pub(crate) text: TaggedText,
    /// Kept elements with content, and the sign of each.
    signs: Vec<(usize, String)>,
}

impl Masked {
    pub(crate) fn new(source: &TaggedText) -> Self {
        let mut signs = Vec::new();
        let mut next = 0;
        let mut sign = || loop {
            let sign = format!("{{{next}}}");
            next += 1;
            if !source.text().contains(&sign) {
                return sign;
            }
        };
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
                    let sign = sign();
                    text.text.push_str(&sign);
                    signs.extend(inside.map(|element| (element, sign)));
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
        let mut units: Vec<Unit> = self
            .signs
            .iter()
            .filter_map(|(element, sign)| {
                let at = target.find(sign.as_str())?;
                Some(Unit {
                    target: at..at + sign.len(),
                    source: self.text.range(*element),
                    kept: Some(*element),
                })
            })
            .collect();
        units.sort_by_key(|unit| unit.target.start);
        units
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
    fn push_without_signs(&self, out: &mut String, mut text: &str) {
        // Signs are few and begin alike.
        while let Some(at) = text.find('{') {
            let (head, tail) = text.split_at(at);
            let sign = self
                .signs
                .iter()
                .find(|(_, sign)| tail.starts_with(sign.as_str()));
            match sign {
                Some((_, sign)) => {
                    out.push_str(head);
                    text = &tail[sign.len()..];
                    if out.is_empty() || out.ends_with(' ') {
                        text = text.strip_prefix(' ').unwrap_or(text);
                    }
                }
                None => {
                    out.push_str(&text[..=at]);
                    text = &tail[1..];
                }
            }
        }
        out.push_str(text);
    }

    /// What follows is no part of the word before it.
    fn push_apart(&self, out: &mut String) {
        if out.ends_with(char::is_alphanumeric) {
            out.push(' ');
        }
    }
}
