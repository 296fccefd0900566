//! The most probable way through the graph of all dictionary words in a run of text.
//!
//! route(i) = max over words i..j of ln(frequency / total) + route(j), from the end backwards; of
//! equal values the longer word wins. A character that begins no word counts with frequency 1.

use super::alphabet::Symbol;
use super::dictionary::Dictionary;
use super::hmm::Model;

/// Cuts runs of word characters; keeps its buffers from run to run.
pub(super) struct Graph<'d> {
    dictionary: &'d Dictionary,
    /// Byte offset and dictionary number of each character.
    characters: Vec<(usize, Option<Symbol>)>,
    /// Value of the best way from each character on, and where its first word ends.
    route: Vec<(f64, usize)>,
    model: Model,
}

impl<'d> Graph<'d> {
    pub(super) fn new(dictionary: &'d Dictionary) -> Self {
        let (characters, route) = (Vec::new(), Vec::new());
        Self {
            dictionary,
            characters,
            route,
            model: Model::default(),
        }
    }

    /// Appends the words of `text`.
    pub(super) fn cut<'t>(&mut self, text: &'t str, words: &mut Vec<&'t str>) {
        self.characters.clear();
        let numbered = text
            .char_indices()
            .map(|(at, c)| (at, self.dictionary.symbol(c)));
        self.characters.extend(numbered);
        self.find_route();
        // Consecutive single characters on the way are handled together.
        let (mut at, mut singles_start) = (0, 0);
        while at < self.characters.len() {
            let end = self.route[at].1;
            if end - at > 1 {
                self.cut_singles(singles_start, at, text, words);
                words.push(&text[self.offset(at, text)..self.offset(end, text)]);
                singles_start = end;
            }
            at = end;
        }
        self.cut_singles(singles_start, at, text, words);
    }

    fn offset(&self, index: usize, text: &str) -> usize {
        self.characters
            .get(index)
            .map_or(text.len(), |character| character.0)
    }

    /// Fills `route`. Both additions are in the reference's order: it decides between near ties.
    fn find_route(&mut self) {
        let unknown = 0.0 - self.dictionary.ln_total();
        let length = self.characters.len();
        self.route.clear();
        self.route.resize(length + 1, (0.0, length));
        for start in (0..length).rev() {
            let mut best = None;
            let first = self.characters[start].1;
            let mut next = first.and_then(|first| self.dictionary.trie(first));
            let mut end = start + 1;
            while let Some((forest, node)) = next {
                if let Some(weight) = forest.weight(node) {
                    let value = weight + self.route[end].0;
                    if best.is_none_or(|(most, _)| value >= most) {
                        best = Some((value, end));
                    }
                }
                let symbol = self.characters.get(end).and_then(|character| character.1);
                next = symbol
                    .and_then(|s| forest.child(node, s))
                    .map(|node| (forest, node));
                end += 1;
            }
            self.route[start] =
                best.unwrap_or_else(|| (unknown + self.route[start + 1].0, start + 1));
        }
    }

    /// Single characters start..end: left as they are if together they are a word that lost
    /// against its parts, otherwise handed to the model for unknown words.
    fn cut_singles<'t>(
        &mut self,
        start: usize,
        end: usize,
        text: &'t str,
        words: &mut Vec<&'t str>,
    ) {
        let singles = &text[self.offset(start, text)..self.offset(end, text)];
        let symbols = self.characters[start..end]
            .iter()
            .map(|character| character.1);
        match end - start {
            0 => {}
            1 => words.push(singles),
            _ if self.dictionary.weight(symbols).is_some() => {
                words.extend(singles.split_inclusive(|_| true));
            }
            _ => self.model.cut(singles, words),
        }
    }
}
