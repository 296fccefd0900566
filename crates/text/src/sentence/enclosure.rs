//! Matching pairs of quotes and brackets.

use super::long;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 《》: the name of a work.
    Title,
    Bracket,
    Quotation,
}

/// A pair with the text between.
#[derive(Debug, Clone)]
pub(super) struct Enclosure {
    pub(super) kind: Kind,
    /// Byte of the opening mark.
    pub(super) start: usize,
    /// The bytes between the marks.
    pub(super) inner: Range<usize>,
    /// Byte behind the closing mark.
    pub(super) end: usize,
    /// Length in the measure of [`long::weight`].
    pub(super) weight: usize,
}

/// All pairs of a line, by their opening mark.
#[derive(Debug)]
pub(super) struct Enclosures {
    pairs: Vec<Enclosure>,
    /// Pairs before this one begin before every later question.
    cursor: usize,
}

/// Pairs by place; a mark closes the nearest open one of its own pair.
const PAIRS: [(char, char, Kind); 15] = [
    ('《', '》', Kind::Title),
    ('〈', '〉', Kind::Title),
    ('（', '）', Kind::Bracket),
    ('(', ')', Kind::Bracket),
    ('【', '】', Kind::Bracket),
    ('〔', '〕', Kind::Bracket),
    ('［', '］', Kind::Bracket),
    ('[', ']', Kind::Bracket),
    ('｛', '｝', Kind::Bracket),
    ('{', '}', Kind::Bracket),
    ('“', '”', Kind::Quotation),
    ('‘', '’', Kind::Quotation),
    ('「', '」', Kind::Quotation),
    ('『', '』', Kind::Quotation),
    ('"', '"', Kind::Quotation),
];

impl Enclosures {
    /// Matches the marks of `line`. Marks without a partner are no enclosure, so that a forgotten
    /// quote does not swallow the rest of the text.
    pub(super) fn find(line: &str) -> Self {
        let mut pairs: Vec<Enclosure> = Vec::new();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut open_of_pair = [0_usize; PAIRS.len()];
        let mut weight = 0;
        for (at, c) in line.char_indices() {
            weight += long::weight(c);
            let Some(pair) = PAIRS
                .iter()
                .position(|&(left, right, _)| c == left || c == right)
            else {
                continue;
            };
            let (left, right, kind) = PAIRS[pair];
            let end = at + c.len_utf8();
            if c == right && open_of_pair[pair] > 0 {
                while let Some((other, index)) = open.pop() {
                    open_of_pair[other] -= 1;
                    if other == pair {
                        let enclosure = &mut pairs[index];
                        enclosure.inner.end = at;
                        enclosure.end = end;
                        enclosure.weight = weight - enclosure.weight;
                        break;
                    }
                }
            } else if c == left {
                open.push((pair, pairs.len()));
                open_of_pair[pair] += 1;
                // Until it is closed, `end` is 0 and `weight` is what was before.
                pairs.push(Enclosure {
                    kind,
                    start: at,
                    inner: end..end,
                    end: 0,
                    weight,
                });
            }
        }
        pairs.retain(|pair| pair.end > 0);
        Self { pairs, cursor: 0 }
    }

    /// The pair whose opening mark is at byte `at`. Questions come in rising order, give or take
    /// the marks of one stop.
    pub(super) fn opening_at(&mut self, at: usize) -> Option<Enclosure> {
        while self
            .pairs
            .get(self.cursor)
            .is_some_and(|pair| pair.start < at)
        {
            self.cursor += 1;
        }
        while self.cursor > 0 && self.pairs[self.cursor - 1].start >= at {
            self.cursor -= 1;
        }
        self.pairs
            .get(self.cursor)
            .filter(|pair| pair.start == at)
            .cloned()
    }
}
