//! Where the elements of a text go in its translation.
//!
//! A translation is a row of *units*: words with the bytes of the source they come from. Every
//! element takes a run of units inside that of its parent: the run with the most units that come
//! from its content and the fewest that do not. Elements with content get at least one unit, so a
//! link never loses its text; empty ones go behind what they stood behind.

use std::collections::BTreeSet;
use std::ops::Range;

use super::tagged::TaggedText;

/// A word of a translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Bytes of the translation.
    pub(crate) target: Range<usize>,
    /// Bytes of the source it comes from.
    pub(crate) source: Option<Range<usize>>,
    /// The element that it stands for as a whole.
    pub(crate) kept: Option<usize>,
}

/// A sentence of a text and its translation, as bytes of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) source: Range<usize>,
    pub(crate) target: Range<usize>,
}

/// What a unit counts when runs are compared.
const WORD: i64 = 8;
const MARK: i64 = 2;
const UNALIGNED: i64 = 1;
/// More than all words of a text.
const KEPT: i64 = 1 << 32;

/// How many neighbours in the source are looked at.
const NEIGHBOURS: usize = 8;

/// The bytes of `target` that each element takes. For a kept element whose unit is not inside that
/// of its parent they are empty.
pub(crate) fn place(
    source: &TaggedText,
    target: &str,
    sentences: &[Pair],
    units: &[Unit],
) -> Vec<Range<usize>> {
    let tree = Tree::of(source);
    let mut placement = Placement::new(source, target, &tree, sentences, units.to_vec());
    placement.run();
    if placement.starved {
        let pieces = split_words(target, units);
        placement = Placement::new(source, target, &tree, sentences, pieces);
        placement.run();
    }
    placement.bytes
}

/// Every character a unit of its own: there are more elements than words.
fn split_words(target: &str, units: &[Unit]) -> Vec<Unit> {
    let mut pieces = Vec::new();
    for unit in units {
        if unit.kept.is_some() {
            pieces.push(unit.clone());
            continue;
        }
        let start = unit.target.start;
        for (at, c) in target[unit.target.clone()].char_indices() {
            pieces.push(Unit {
                target: start + at..start + at + c.len_utf8(),
                ..unit.clone()
            });
        }
    }
    pieces
}

/// How the elements of a source lie in each other.
struct Tree {
    /// Of every element and, at the end, of the text: the elements in it.
    children: Vec<Vec<usize>>,
    /// Of every element, the number behind its last descendant.
    end: Vec<usize>,
    /// Has something in it to put around units.
    solid: Vec<bool>,
    /// Units that an element and those in it want at least.
    need: Vec<usize>,
    /// Has a kept element in it, or is one.
    keeps: Vec<bool>,
    /// Bytes of the source and the innermost element around them.
    owners: Vec<(Range<usize>, Option<usize>)>,
}

impl Tree {
    fn of(source: &TaggedText) -> Self {
        let tags = source.tags();
        let count = tags.len();
        let mut tree = Self {
            children: vec![Vec::new(); count + 1],
            end: (1..=count).collect(),
            solid: Vec::with_capacity(count),
            need: vec![0; count],
            keeps: tags.iter().map(|tag| tag.kept).collect(),
            owners: Vec::new(),
        };
        for (i, tag) in tags.iter().enumerate() {
            let content = &source.text()[tag.range.clone()];
            tree.solid
                .push(!content.trim().is_empty() || (tag.kept && !content.is_empty()));
            tree.children[tag.parent.unwrap_or(count)].push(i);
        }
        for i in (0..count).rev() {
            tree.need[i] = tree.need[i].max(usize::from(tree.solid[i]));
            if let Some(parent) = tags[i].parent {
                tree.need[parent] += tree.need[i];
                tree.end[parent] = tree.end[parent].max(tree.end[i]);
                tree.keeps[parent] |= tree.keeps[i];
            }
        }
        let (mut open, mut at) = (Vec::new(), 0);
        for piece in source.pieces() {
            match piece {
                super::Piece::Open(element) => open.push(element),
                super::Piece::Close(_) => drop(open.pop()),
                super::Piece::Text(text) => {
                    let range = at..at + text.len();
                    at = range.end;
                    tree.owners.push((range, open.last().copied()));
                }
            }
        }
        tree
    }

    /// The innermost element around most of a range.
    fn owner(&self, range: &Range<usize>) -> Option<usize> {
        let first = self
            .owners
            .partition_point(|(bytes, _)| bytes.end <= range.start);
        let overlap = |bytes: &Range<usize>| {
            bytes
                .end
                .min(range.end)
                .saturating_sub(bytes.start.max(range.start))
        };
        let mut best: Option<(usize, Option<usize>)> = None;
        for (bytes, owner) in &self.owners[first..] {
            if bytes.start >= range.end {
                break;
            }
            if best.is_none_or(|(most, _)| overlap(bytes) > most) {
                best = Some((overlap(bytes), *owner));
            }
        }
        best?.1
    }
}

struct Placement<'t> {
    source: &'t TaggedText,
    tree: &'t Tree,
    sentences: &'t [Pair],
    units: Vec<Unit>,
    /// The innermost element that each unit comes from.
    owners: Vec<Option<usize>>,
    /// Letters or digits.
    words: Vec<bool>,
    /// Units that come from somewhere, by place in the source.
    by_source: Vec<usize>,
    taken: Vec<bool>,
    /// Units of every element.
    runs: Vec<Range<usize>>,
    bytes: Vec<Range<usize>>,
    target_len: usize,
    /// An element with content has found no unit.
    starved: bool,
}

impl<'t> Placement<'t> {
    fn new(
        source: &'t TaggedText,
        target: &str,
        tree: &'t Tree,
        sentences: &'t [Pair],
        units: Vec<Unit>,
    ) -> Self {
        let owners = units
            .iter()
            .map(|unit| match unit.kept {
                Some(element) => Some(element),
                None => tree.owner(unit.source.as_ref()?),
            })
            .collect();
        let words = units
            .iter()
            .map(|unit| target[unit.target.clone()].contains(char::is_alphanumeric))
            .collect();
        let mut by_source: Vec<usize> = (0..units.len())
            .filter(|&i| units[i].source.is_some())
            .collect();
        by_source.sort_by_key(|&i| units[i].source.as_ref().map(|range| range.start));
        let count = source.elements();
        Self {
            source,
            tree,
            sentences,
            taken: vec![false; units.len()],
            units,
            owners,
            words,
            by_source,
            runs: vec![0..0; count],
            bytes: vec![0..0; count],
            target_len: target.len(),
            starved: false,
        }
    }

    fn run(&mut self) {
        let root = self.source.elements();
        let mut waiting = vec![(root, 0..self.units.len(), 0..self.target_len)];
        while let Some((node, window, bytes)) = waiting.pop() {
            let tree = self.tree;
            let children = &tree.children[node];
            if children.is_empty() {
                continue;
            }
            self.place_solid(node, &window);
            let mut places: Vec<Range<usize>> = Vec::new();
            for &child in children {
                let run = self.runs[child].clone();
                if !run.is_empty() {
                    let start = self.units[run.start].target.start;
                    let end = self.units[run.end - 1].target.end;
                    self.bytes[child] = start..end;
                    places.push(start..end);
                    waiting.push((child, run, start..end));
                }
            }
            places.sort_by_key(|place| place.start);
            for &child in children {
                if self.runs[child].is_empty() {
                    let at = self.point(node, child, &window, &bytes, &places);
                    self.bytes[child] = at..at;
                    waiting.push((child, 0..0, at..at));
                }
            }
        }
    }

    /// Gives the children of a node their runs in its window.
    fn place_solid(&mut self, node: usize, window: &Range<usize>) {
        let tree = self.tree;
        let solid: Vec<usize> = tree.children[node]
            .iter()
            .copied()
            .filter(|&child| tree.solid[child])
            .collect();
        self.taken[window.clone()].fill(false);
        if let [only] = solid[..]
            && !self.source.tags()[only].kept
            && self.is_whole(node, only)
        {
            self.runs[only] = window.clone();
            self.starved |= window.is_empty();
            return;
        }
        // The first and last unit that each child would like to have.
        let mut wanted: Vec<Option<Range<usize>>> = vec![None; solid.len()];
        for unit in window.clone() {
            let child = self.child_of(unit, &solid);
            if let Some(child) = child {
                let range = wanted[child].get_or_insert(unit..unit);
                range.end = unit + 1;
            }
        }
        let mut order: Vec<(bool, bool, i64, usize)> = (0..solid.len())
            .map(|i| {
                let score = wanted[i].as_ref().map_or(0, |range| {
                    self.best_run(solid[i], range).map_or(0, |(score, _)| score)
                });
                let tag = &self.source.tags()[solid[i]];
                let held = tag.from_start || tag.to_end;
                (!held, !tree.keeps[solid[i]], -score, i)
            })
            .collect();
        order.sort_unstable();
        let mut free = window.len();
        let mut reserved: usize = solid.iter().map(|&child| tree.need[child]).sum();
        let mut places: Option<BTreeSet<usize>> = None;
        for (_, _, _, i) in order {
            let child = solid[i];
            reserved -= tree.need[child];
            let run = wanted[i]
                .as_ref()
                .and_then(|range| self.best_run(child, range))
                .map(|(_, run)| run);
            if self.source.tags()[child].kept {
                if let Some(run) = run {
                    self.take(child, run, &mut free, &mut places);
                }
                continue;
            }
            let run = run.or_else(|| {
                let places = places.get_or_insert_with(|| {
                    window.clone().filter(|&unit| !self.taken[unit]).collect()
                });
                self.nearest(child, window, places)
            });
            let Some(run) = run else {
                self.starved = true;
                continue;
            };
            let need = tree.need[child];
            let most = free.saturating_sub(reserved).max(need).max(1);
            let run = if run.len() > most && !tree.keeps[child] {
                run.start..run.start + most
            } else {
                run
            };
            let run = self.widen(child, run, need, window);
            let run = self.hold(child, run, window);
            self.take(child, run, &mut free, &mut places);
        }
        self.make_room(&solid, window);
    }

    /// Moves the runs of siblings when what is left between them is in pieces too small for one of
    /// them, though there would be units for all.
    fn make_room(&mut self, siblings: &[usize], window: &Range<usize>) {
        let need = &self.tree.need;
        let mut ahead: usize = siblings.iter().map(|&child| need[child]).sum();
        let cramped = |&child: &usize| self.runs[child].len() < need[child];
        let fixed = |unit: usize| self.units[unit].kept.is_some();
        if ahead > window.len() || !siblings.iter().any(cramped) || window.clone().any(fixed) {
            return;
        }
        let mut order = siblings.to_vec();
        order.sort_by_key(|&child| self.runs[child].start);
        let mut from = window.start;
        for child in order {
            ahead -= need[child];
            let last = window.end - ahead;
            let start = self.runs[child].start.clamp(from, last - need[child]);
            let end = self.runs[child].end.clamp(start + need[child], last);
            self.runs[child] = start..end;
            from = end;
        }
    }

    fn take(
        &mut self,
        child: usize,
        run: Range<usize>,
        free: &mut usize,
        places: &mut Option<BTreeSet<usize>>,
    ) {
        *free = free.saturating_sub(run.len());
        for unit in run.clone() {
            self.taken[unit] = true;
            if let Some(places) = places {
                places.remove(&unit);
            }
        }
        self.runs[child] = run;
    }

    /// The bytes of a node in the source.
    fn outer(&self, node: Option<usize>) -> Range<usize> {
        node.and_then(|node| self.source.range(node))
            .unwrap_or(0..self.source.text().len())
    }

    /// The only child has all the text of its parent.
    fn is_whole(&self, node: usize, child: usize) -> bool {
        let tags = self.source.tags();
        let text = self.source.text();
        let inner = tags[child].range.clone();
        let outer = self.outer(Some(node));
        text[outer.start..inner.start].trim().is_empty()
            && text[inner.end..outer.end].trim().is_empty()
    }

    /// Which of some siblings a unit comes from.
    fn child_of(&self, unit: usize, siblings: &[usize]) -> Option<usize> {
        let owner = self.owners[unit]?;
        let i = siblings
            .partition_point(|&sibling| sibling <= owner)
            .checked_sub(1)?;
        (owner < self.tree.end[siblings[i]]).then_some(i)
    }

    /// The best run of free units for an element, with what it is worth; none if it would have no
    /// unit of its own.
    fn best_run(&self, element: usize, within: &Range<usize>) -> Option<(i64, Range<usize>)> {
        let mut best: Option<(i64, Range<usize>)> = None;
        // The run that ends here, from a unit of the element on.
        let mut run: Option<(i64, usize)> = None;
        for unit in within.clone() {
            let own = self.owners[unit]
                .is_some_and(|owner| (element..self.tree.end[element]).contains(&owner));
            if !self.is_free(unit, element) {
                run = None;
                continue;
            }
            let size = if self.words[unit] { WORD } else { MARK };
            let worth = match (own, self.units[unit].kept, &self.units[unit].source) {
                (true, Some(_), _) => KEPT,
                (true, None, _) => size,
                (false, _, Some(_)) => -size,
                (false, _, None) => -UNALIGNED,
            };
            run = match run {
                Some((sum, start)) if sum + worth >= 0 => Some((sum + worth, start)),
                _ => own.then_some((worth, unit)),
            };
            let Some((sum, start)) = run.filter(|_| own) else {
                continue;
            };
            let found = start..unit + 1;
            let better = best
                .as_ref()
                .is_none_or(|(most, longest)| (sum, found.len()) > (*most, longest.len()));
            if better {
                best = Some((sum, found));
            }
        }
        best
    }

    /// Nobody has the unit, and it is no kept element outside this one.
    fn is_free(&self, unit: usize, element: usize) -> bool {
        !self.taken[unit]
            && self.units[unit]
                .kept
                .is_none_or(|kept| (element..self.tree.end[element]).contains(&kept))
    }

    /// A free unit for an element from which no unit comes: what comes from a word that it has a
    /// part of, or else what is nearest to its neighbours.
    fn nearest(
        &self,
        element: usize,
        window: &Range<usize>,
        places: &BTreeSet<usize>,
    ) -> Option<Range<usize>> {
        let range = &self.source.tags()[element].range;
        let middle = self.by_source.partition_point(|&unit| {
            self.units[unit]
                .source
                .as_ref()
                .is_some_and(|source| source.start < range.end)
        });
        let around = middle.saturating_sub(NEIGHBOURS)..(middle + 2).min(self.by_source.len());
        let distance = |unit: usize| {
            self.units[unit]
                .source
                .as_ref()
                .map_or(usize::MAX, |source| {
                    let gap = range.start.saturating_sub(source.end);
                    gap.max(source.start.saturating_sub(range.end))
                })
        };
        // As far along as the element is in its parent, in half units.
        let outer = self.outer(self.source.tags()[element].parent);
        let middle = (range.start + range.end - 2 * outer.start) * window.len();
        let expected = 2 * window.start + middle / outer.len().max(1);
        let near = self.by_source[around]
            .iter()
            .copied()
            .filter(|unit| window.contains(unit))
            .min_by_key(|&unit| {
                let off = (2 * unit + 1).abs_diff(expected);
                (distance(unit), !self.words[unit], off)
            });
        let near = near.unwrap_or(expected / 2);
        let after = places
            .range(near..)
            .find(|&&unit| self.is_free(unit, element));
        let before = places
            .range(..near)
            .rev()
            .find(|&&unit| self.is_free(unit, element));
        let unit = match (before, after) {
            (Some(&before), Some(&after)) => {
                if near - before < after - near {
                    before
                } else {
                    after
                }
            }
            (before, after) => *before.or(after)?,
        };
        Some(unit..unit + 1)
    }

    /// The run from the beginning or to the end of the window, for an element of which the other
    /// half is elsewhere. Nobody else has a run yet but a sibling at the other edge.
    fn hold(&self, element: usize, run: Range<usize>, window: &Range<usize>) -> Range<usize> {
        let tag = &self.source.tags()[element];
        let (mut start, mut end) = (run.start, run.end);
        if tag.from_start {
            start = window.start;
        }
        if tag.to_end {
            end = window.end;
        }
        // Two elements, each at its edge: the second leaves the first what it has.
        while start < run.start && self.taken[start] {
            start += 1;
        }
        while end > run.end && self.taken[end - 1] {
            end -= 1;
        }
        start..end
    }

    /// Adds free neighbours until there is a unit for everything in the element.
    fn widen(
        &self,
        element: usize,
        mut run: Range<usize>,
        need: usize,
        window: &Range<usize>,
    ) -> Range<usize> {
        while run.len() < need && run.end < window.end && self.is_free(run.end, element) {
            run.end += 1;
        }
        while run.len() < need && run.start > window.start && self.is_free(run.start - 1, element) {
            run.start -= 1;
        }
        run
    }

    /// Where an element without a run goes: behind what is before it in the source, but not into a
    /// sibling.
    fn point(
        &self,
        node: usize,
        element: usize,
        window: &Range<usize>,
        bytes: &Range<usize>,
        siblings: &[Range<usize>],
    ) -> usize {
        let tags = self.source.tags();
        let text = self.source.text();
        let at = tags[element].range.start;
        let outer = self.outer(Some(node));
        if text[outer.start..at].trim().is_empty() {
            return bytes.start;
        }
        if text[tags[element].range.end..outer.end].trim().is_empty() {
            return bytes.end;
        }
        let point = match self.beside_sentence(at) {
            Some(point) => point.clamp(bytes.start, bytes.end),
            None => self.behind_word(at, window).unwrap_or(bytes.end),
        };
        let i = siblings.partition_point(|sibling| sibling.end <= point);
        match siblings.get(i) {
            Some(sibling) if sibling.start < point => sibling.end,
            _ => point,
        }
    }

    /// The beginning or end of a translated sentence when the source has one at `at`.
    fn beside_sentence(&self, at: usize) -> Option<usize> {
        let text = self.source.text();
        let i = self.sentences.partition_point(|pair| pair.source.end <= at);
        let before = i.checked_sub(1).map(|i| &self.sentences[i]);
        if let Some(pair) = before
            && text[pair.source.end..at].trim().is_empty()
        {
            return Some(pair.target.end);
        }
        let pair = self.sentences.get(i)?;
        let begins = at <= pair.source.start || text[pair.source.start..at].trim().is_empty();
        begins.then_some(pair.target.start)
    }

    /// The end of the word that stands before `at` in the source, or the beginning of the next.
    fn behind_word(&self, at: usize, window: &Range<usize>) -> Option<usize> {
        let place = self.by_source.partition_point(|&unit| {
            self.units[unit]
                .source
                .as_ref()
                .is_some_and(|source| source.start < at)
        });
        let before = self.by_source[place.saturating_sub(NEIGHBOURS)..place]
            .iter()
            .rev()
            .find(|unit| window.contains(unit));
        let behind = self.by_source[place..]
            .iter()
            .take(NEIGHBOURS)
            .find(|unit| window.contains(unit));
        match (before, behind) {
            (Some(&unit), _) => Some(self.units[unit].target.end),
            (None, Some(&unit)) => Some(self.units[unit].target.start),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markup::{Piece, TaggedTextBuilder};
    use proptest::prelude::*;

    /// `[ab]` is an element, `*` an empty one.
    fn tagged(text: &str) -> TaggedText {
        let mut builder = TaggedTextBuilder::default();
        for part in text.split_inclusive(['[', ']', '*']) {
            let content = part.trim_end_matches(['[', ']', '*']);
            builder.text(content);
            match &part[content.len()..] {
                "[" => drop(builder.open()),
                "]" => builder.close(),
                "*" => drop(builder.empty()),
                _ => {}
            }
        }
        builder.build()
    }

    /// One unit a word; a number behind it is the character of the source it comes from.
    fn placed(source: &str, target: &[(&str, Option<usize>)]) -> String {
        let source = tagged(source);
        let bytes: Vec<usize> = source.text().char_indices().map(|(at, _)| at).collect();
        let mut text = String::new();
        let mut units = Vec::new();
        for (word, from) in target {
            if !text.is_empty() {
                text.push(' ');
            }
            let start = text.len();
            text.push_str(word);
            units.push(Unit {
                target: start..text.len(),
                source: from.map(|from| {
                    let end = bytes.get(from + 1).copied();
                    bytes[from]..end.unwrap_or(source.text().len())
                }),
                kept: None,
            });
        }
        let places = place(&source, &text, &[], &units);
        show(&source, &text, &places)
    }

    fn show(source: &TaggedText, text: &str, places: &[Range<usize>]) -> String {
        let mut placed = source.rebuild();
        for (element, place) in places.iter().enumerate() {
            placed.set(element, place.clone());
        }
        placed.text.push_str(text);
        let mut out = String::new();
        for piece in placed.build().pieces() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Open(element) => out.push_str(&format!("[{element}:")),
                Piece::Close(_) => out.push(']'),
            }
        }
        out
    }

    #[test]
    fn elements_follow_their_words() {
        let words = [
            ("d", Some(3)),
            ("b", Some(1)),
            ("c", Some(2)),
            ("a", Some(0)),
        ];
        assert_eq!(placed("甲[乙丙]丁", &words), "d [0:b c] a");
        assert_eq!(placed("[甲]乙丙[丁]", &words), "[1:d] b c [0:a]");
        assert_eq!(placed("[甲乙丙丁]", &words), "[0:d b c a]");
        assert_eq!(placed("[[甲乙]丙]丁", &words), "d [0:[1:b c a]]");
        assert_eq!(placed("甲乙[丙[丁]]", &words), "[0:[1:d] b c] a");
    }

    #[test]
    fn words_from_outside_do_not_come_in_unless_they_stand_between() {
        let words = [
            ("a", Some(0)),
            ("x", Some(3)),
            ("b", Some(1)),
            ("c", Some(1)),
        ];
        assert_eq!(placed("[甲乙]丙丁", &words), "[0:a x b c]");
        let words = [
            ("a", Some(0)),
            ("x", Some(3)),
            ("y", Some(2)),
            ("b", Some(1)),
        ];
        assert_eq!(placed("[甲乙]丙丁", &words), "[0:a] x y b");
    }

    #[test]
    fn e6_elements_with_content_are_never_empty() {
        // Nothing comes from the link.
        let words = [("a", Some(0)), ("b", Some(0)), ("c", Some(2))];
        assert_eq!(placed("甲[乙]丙", &words), "a [0:b] c");
        // Fewer words than elements.
        assert_eq!(
            placed("[甲][乙][丙]", &[("abcd", Some(0))]),
            "[0:ab][1:c][2:d]"
        );
        // Fewer letters than elements: the last stay empty and are still there.
        assert_eq!(placed("[甲][乙]", &[("a", Some(0))]), "[0:a][1:]");
        assert_eq!(placed("[甲[乙]][丙]", &[]), "[0:[1:]][2:]");
        // What the first leaves free is in pieces too small for the three in the second.
        let words = [("abc", None), ("de", Some(0)), ("f", None)];
        assert_eq!(
            placed("乙乙乙 [甲] [[乙][甲][乙]]", &words),
            "ab[0:c] [1:[2:d][3:e] [4:f]]"
        );
    }

    #[test]
    fn e6_empty_elements_stay_behind_what_they_stood_behind() {
        let words = [("c", Some(2)), ("b", Some(1)), ("a", Some(0))];
        assert_eq!(placed("*甲乙丙", &words), "[0:]c b a");
        assert_eq!(placed("甲乙丙*", &words), "c b a[0:]");
        assert_eq!(placed("甲*乙*丙", &words), "c b[1:] a[0:]");
        assert_eq!(placed("甲[*乙丙*]", &words), "[0:[1:]c b[2:]] a");
        // Not into a sibling.
        let words = [("b", Some(1)), ("a", Some(0)), ("c", Some(2))];
        assert_eq!(placed("甲*[乙丙]", &words), "[1:b a c][0:]");
    }

    proptest! {
        #[test]
        fn e1_every_element_is_placed_inside_its_parent_beside_its_siblings(
            source in "[甲乙 \\[\\]*]{0,40}",
            words in prop::collection::vec((0usize..40, any::<bool>()), 0..20),
        ) {
            let source = tagged(&source);
            let chars: Vec<(usize, char)> = source.text().char_indices().collect();
            let mut text = String::new();
            let mut units = Vec::new();
            for (i, (from, aligned)) in words.iter().enumerate() {
                let start = text.len();
                text.push_str(if i % 3 == 0 { "," } else { "ab" });
                let from = chars.get(*from).filter(|_| *aligned);
                units.push(Unit {
                    target: start..text.len(),
                    source: from.map(|(at, c)| *at..at + c.len_utf8()),
                    kept: None,
                });
                text.push(' ');
            }
            let places = place(&source, &text, &[], &units);
            let letters = text.chars().filter(|c| *c != ' ').count();
            for (i, tag) in source.tags().iter().enumerate() {
                let place = &places[i];
                prop_assert!(place.start <= place.end && place.end <= text.len());
                if let Some(parent) = tag.parent {
                    let outer = &places[parent];
                    prop_assert!(outer.start <= place.start && place.end <= outer.end);
                }
                for (j, other) in source.tags()[..i].iter().enumerate() {
                    if other.parent == tag.parent {
                        let apart = places[j].end <= place.start || place.end <= places[j].start;
                        prop_assert!(apart, "{places:?}");
                    }
                }
                let solid = !source.text()[tag.range.clone()].trim().is_empty();
                if solid && source.elements() <= letters {
                    prop_assert!(!place.is_empty(), "{i}: {places:?}");
                }
            }
            // As often as before, in nests as before.
            prop_assert_eq!(
                show(&source, &text, &places).matches('[').count(),
                source.elements()
            );
        }
    }
}
