//! Alignment by what the network looks at.
//!
//! The decoder goes once more over the finished translation, and each of its words belongs to the
//! source token that the network looked at most. What both texts have in common needs no network:
//! addresses, code and pictures belong to themselves, and so does a number or a name that is
//! written alike. A mark belongs to a mark, a word to a word.

use std::borrow::Cow;
use std::ops::Range;

use csanmt_model::AttentionMap;
use csanmt_text::protect::{self, Span};
use csanmt_text::{Piece, TargetWord, clean, narrow};

use super::offsets::Offsets;
use super::{Alignment, proportional};
use crate::Error;
use crate::shared::Shared;

/// How much less a mark at the other end of the sentence counts.
const NEARNESS: f32 = 0.6;

/// Aligns the words of translations with their sources.
///
/// # Errors
/// When the model cannot run at all.
pub(crate) fn align(shared: &Shared, pairs: &[(&str, &str)]) -> Result<Vec<Vec<Alignment>>, Error> {
    let readings: Vec<Reading> = pairs
        .iter()
        .map(|(source, target)| Reading::new(shared, source, target))
        .collect();
    let sources: Vec<&[u32]> = readings
        .iter()
        .map(|reading| &reading.source_ids[..])
        .collect();
    let targets: Vec<&[u32]> = readings
        .iter()
        .map(|reading| &reading.target_ids[..])
        .collect();
    let mut workspace = shared.take_workspace();
    let maps = shared.model.align(&sources, &targets, &mut workspace);
    shared.give_back(workspace);
    let aligned = readings.iter().zip(maps?).zip(pairs);
    Ok(aligned
        .map(|((reading, map), (source, target))| {
            let found = reading.alignment(&map, source);
            if found.is_empty() {
                proportional(source, target)
            } else {
                found
            }
        })
        .collect())
}

/// A sentence and its translation as the network reads them.
struct Reading {
    source_ids: Vec<u32>,
    /// Source tokens; their ranges are bytes of the sentence itself.
    pieces: Vec<Piece>,
    target_ids: Vec<u32>,
    /// Words of the translation; their ranges are bytes of it.
    words: Vec<Word>,
}

struct Word {
    range: Range<usize>,
    text: String,
    /// Its tokens in `target_ids`.
    tokens: Range<usize>,
    /// What it comes from, where that is known.
    source: Option<Range<usize>>,
}

impl Reading {
    fn new(shared: &Shared, source: &str, target: &str) -> Self {
        let cleaned = clean(source);
        let narrowed: Cow<'_, str> = if shared.reads_chinese {
            narrow(&cleaned)
        } else {
            Cow::Borrowed(&cleaned)
        };
        let original = Offsets::between(source, &narrowed);
        let anchors = Anchors::find(&narrowed, target);
        let masked = anchors.mask(&narrowed, |anchor| &anchor.source);
        let simplified = if shared.reads_chinese {
            shared.simplifier.simplify(&masked)
        } else {
            masked.clone()
        };
        let unsimplified = Offsets::between(&masked, &simplified);
        let place = |at: usize| {
            let at = anchors.unmask(unsimplified.original(at), |anchor| &anchor.source);
            original.original(at)
        };
        let mut pieces = shared.source.pieces(&simplified);
        for piece in &mut pieces {
            piece.range = piece
                .range
                .take()
                .map(|range| place(range.start)..place(range.end));
        }
        let (words, target_ids) = words(shared, target, &anchors, &original);
        Self {
            source_ids: pieces.iter().map(|piece| piece.id).collect(),
            pieces,
            target_ids,
            words,
        }
    }

    fn alignment(&self, map: &AttentionMap, source: &str) -> Vec<Alignment> {
        let weights = self.weights(map);
        let along = |i: usize, of: usize| (i as f32 + 0.5) / of as f32;
        self.words
            .iter()
            .zip(weights.chunks_exact(self.pieces.len().max(1)))
            .enumerate()
            .filter_map(|(number, (word, weights))| {
                let target = word.range.clone();
                if let Some(source) = &word.source {
                    let source = source.clone();
                    return Some(Alignment { source, target });
                }
                let is_word = is_word(&word.text);
                let worth = |i: usize| {
                    let off = along(i, self.pieces.len()) - along(number, self.words.len());
                    // Marks are alike, and attention is no help in telling them apart.
                    let near = if is_word {
                        1.0
                    } else {
                        1.0 - NEARNESS * off.abs()
                    };
                    weights[i] * near
                };
                let best = self
                    .candidates(word, source)
                    .into_iter()
                    .reduce(|a, b| if worth(b) > worth(a) { b } else { a })?;
                let source = self.pieces[best].range.clone()?;
                (!source.is_empty()).then_some(Alignment { source, target })
            })
            .collect()
    }

    /// How much each word looks at each source token, `[words, pieces]`, as a share of what the
    /// token gets from all words: tokens that everything looks at say nothing.
    fn weights(&self, map: &AttentionMap) -> Vec<f32> {
        let width = self.pieces.len();
        let mut weights = vec![0.0_f32; self.words.len() * width];
        let mut totals = vec![0.0_f32; width];
        for (word, row) in self
            .words
            .iter()
            .zip(weights.chunks_exact_mut(width.max(1)))
        {
            for token in word.tokens.clone() {
                for (sum, weight) in row.iter_mut().zip(map.row(token)) {
                    *sum += weight;
                }
            }
            for (total, weight) in totals.iter_mut().zip(row.iter()) {
                *total += weight;
            }
        }
        for row in weights.chunks_exact_mut(width.max(1)) {
            for (weight, total) in row.iter_mut().zip(&totals) {
                if *total > 0.0 {
                    *weight /= total;
                }
            }
        }
        weights
    }

    /// The source tokens that a word may come from.
    fn candidates(&self, word: &Word, source: &str) -> Vec<usize> {
        let text = |i: usize| {
            let range = self.pieces[i].range.clone().unwrap_or_default();
            source.get(range).unwrap_or_default()
        };
        let all = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..self.pieces.len()).filter(|&i| wanted(i)).collect()
        };
        let same = all(&|i| text(i).eq_ignore_ascii_case(&word.text));
        if !same.is_empty() {
            return same;
        }
        let kind = all(&|i| !text(i).is_empty() && is_word(text(i)) == is_word(&word.text));
        if !kind.is_empty() {
            return kind;
        }
        all(&|i| !text(i).is_empty())
    }
}

fn is_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Words of a translation and all their tokens.
fn words(
    shared: &Shared,
    target: &str,
    anchors: &Anchors,
    original: &Offsets,
) -> (Vec<Word>, Vec<u32>) {
    let masked = anchors.mask(target, |anchor| &anchor.target);
    let found = shared.target_encoder().words(&masked);
    let mut ids = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    for TargetWord { range, ids: own } in found {
        let first = ids.len();
        ids.extend(own);
        let place = |at| anchors.unmask(at, |anchor| &anchor.target);
        let range = place(range.start)..place(range.end);
        let anchor = anchors.0.iter().find(|anchor| {
            anchor.target.start < range.end.max(range.start + 1) && range.start < anchor.target.end
        });
        match anchor {
            Some(anchor) => {
                let known = words.last().is_some_and(|word| word.range == anchor.target);
                if !known {
                    let Range { start, end } = anchor.source;
                    words.push(Word {
                        range: anchor.target.clone(),
                        text: String::new(),
                        tokens: first..first,
                        source: Some(original.original(start)..original.original(end)),
                    });
                }
            }
            None if range.is_empty() => {}
            None => words.push(Word {
                text: target[range.clone()].to_owned(),
                range,
                tokens: first..ids.len(),
                source: None,
            }),
        }
    }
    (words, ids)
}

/// A stretch that both texts have, in order of the source or of the translation.
struct Anchor {
    source: Range<usize>,
    target: Range<usize>,
    /// What the network reads in its place.
    sign: String,
}

struct Anchors(Vec<Anchor>);

impl Anchors {
    /// Addresses, code, pictures … of the source that are in the translation.
    fn find(source: &str, target: &str) -> Self {
        let mut anchors: Vec<Anchor> = Vec::new();
        for span in protect::spans(source) {
            let Span { range, kind, .. } = &span;
            if !kind.is_foreign() {
                continue;
            }
            let text = protect::render(source, &span);
            let free = target.match_indices(&text).find(|(at, _)| {
                let end = at + text.len();
                anchors
                    .iter()
                    .all(|other| end <= other.target.start || other.target.end <= *at)
            });
            if let Some((at, _)) = free
                && !text.is_empty()
            {
                anchors.push(Anchor {
                    source: range.clone(),
                    target: at..at + text.len(),
                    sign: format!("[{}]", anchors.len() + 1),
                });
            }
        }
        Self(anchors)
    }

    /// One side with signs.
    fn mask<'a>(&'a self, text: &str, side: impl Fn(&'a Anchor) -> &'a Range<usize>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for anchor in self.sorted(&side) {
            let range = side(anchor);
            out.push_str(&text[end..range.start]);
            out.push_str(&anchor.sign);
            end = range.end;
        }
        out.push_str(&text[end..]);
        out
    }

    /// The byte of a side for a byte of its masked form; inside a sign its beginning or end.
    fn unmask<'a>(&'a self, at: usize, side: impl Fn(&'a Anchor) -> &'a Range<usize>) -> usize {
        // Both forms are equally long up to here, but for the signs before.
        let (mut masked, mut plain) = (0, 0);
        for anchor in self.sorted(&side) {
            let range = side(anchor);
            let start = masked + (range.start - plain);
            if at <= start {
                break;
            }
            masked = start + anchor.sign.len();
            plain = range.end;
            if at < masked {
                return range.start;
            }
        }
        plain + (at - masked.min(at))
    }

    fn sorted<'a>(&'a self, side: impl Fn(&'a Anchor) -> &'a Range<usize>) -> Vec<&'a Anchor> {
        let mut sorted: Vec<&Anchor> = self.0.iter().collect();
        sorted.sort_by_key(|anchor| side(anchor).start);
        sorted
    }
}
