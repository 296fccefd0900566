//! Learning BPE merge rules, with the results of subword-nmt's `learn_bpe`.

use std::collections::{BTreeSet, HashMap};

type Pair = (u32, u32);

/// Learns at most `merges` rules from words with their counts and gives the code file, version 0.2:
/// a pair is merged while it occurs at least twice; of equally frequent pairs the one that is
/// greater as a pair of strings comes first.
#[must_use]
pub fn learn_bpe<'w>(words: impl IntoIterator<Item = (&'w str, usize)>, merges: usize) -> String {
    let mut learner = Learner::default();
    for (word, count) in words {
        learner.add(word, count);
    }
    let mut codes = String::from("#version: 0.2\n");
    for _ in 0..merges {
        let Some(pair) = learner.best() else { break };
        let (left, right) = (
            &learner.symbols[pair.0 as usize],
            &learner.symbols[pair.1 as usize],
        );
        codes.push_str(&format!("{left} {right}\n"));
        learner.merge(pair);
    }
    codes
}

#[derive(Default)]
struct Learner {
    symbols: Vec<String>,
    ids: HashMap<String, u32>,
    words: Vec<(Vec<u32>, usize)>,
    counts: HashMap<Pair, usize>,
    /// Words that have, or once had, the pair.
    places: HashMap<Pair, BTreeSet<u32>>,
}

impl Learner {
    fn symbol(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = self.symbols.len() as u32;
        self.symbols.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        id
    }

    fn add(&mut self, word: &str, count: usize) {
        let mut symbols = Vec::new();
        let mut characters = word.chars().peekable();
        while let Some(c) = characters.next() {
            let mut symbol = c.to_string();
            if characters.peek().is_none() {
                symbol.push_str("</w>");
            }
            symbols.push(self.symbol(&symbol));
        }
        let number = self.words.len() as u32;
        for pair in symbols.windows(2) {
            let pair = (pair[0], pair[1]);
            *self.counts.entry(pair).or_default() += count;
            self.places.entry(pair).or_default().insert(number);
        }
        self.words.push((symbols, count));
    }

    fn best(&self) -> Option<Pair> {
        let text = |id: u32| &self.symbols[id as usize];
        self.counts
            .iter()
            .filter(|&(_, &count)| count >= 2)
            .max_by(|(a, m), (b, n)| {
                m.cmp(n)
                    .then_with(|| text(a.0).cmp(text(b.0)))
                    .then_with(|| text(a.1).cmp(text(b.1)))
            })
            .map(|(&pair, _)| pair)
    }

    fn merge(&mut self, pair: Pair) {
        let merged = format!(
            "{}{}",
            self.symbols[pair.0 as usize], self.symbols[pair.1 as usize]
        );
        let merged = self.symbol(&merged);
        let places = self.places.remove(&pair).unwrap_or_default();
        for number in places {
            let (symbols, count) = std::mem::take(&mut self.words[number as usize]);
            let mut joined = Vec::with_capacity(symbols.len());
            let mut i = 0;
            while i < symbols.len() {
                if symbols.get(i..i + 2) == Some(&[pair.0, pair.1][..]) {
                    joined.push(merged);
                    i += 2;
                } else {
                    joined.push(symbols[i]);
                    i += 1;
                }
            }
            if joined.len() != symbols.len() {
                for old in symbols.windows(2) {
                    if let Some(total) = self.counts.get_mut(&(old[0], old[1])) {
                        *total -= count;
                    }
                }
                for new in joined.windows(2) {
                    let new = (new[0], new[1]);
                    *self.counts.entry(new).or_default() += count;
                    self.places.entry(new).or_default().insert(number);
                }
            }
            self.words[number as usize] = (joined, count);
        }
        self.counts.remove(&pair);
    }
}

#[cfg(test)]
mod tests {
    use super::learn_bpe;

    /// Rules of subword-nmt 0.3.8 for these words: `learn_bpe(…, num_symbols=12, min_frequency=2)`.
    #[test]
    fn rules_are_those_of_subword_nmt() {
        let words = [
            ("low", 5),
            ("lower", 2),
            ("newest", 6),
            ("widest", 3),
            ("banana", 4),
            ("中文", 3),
            ("中文字", 2),
        ];
        let expected = GOLDEN;
        assert_eq!(learn_bpe(words, 12), expected);
    }

    const GOLDEN: &str = "#version: 0.2\ns t</w>\ne st</w>\na n\nl o\nw est</w>\nn e\nne west</w>\nlo w</w>\nb an\nban an\nbanan a</w>\n中 文</w>\n";

    #[test]
    fn learning_ends_when_no_pair_is_left() {
        assert_eq!(
            learn_bpe([("ab", 1), ("cd", 2)], 9),
            "#version: 0.2\nc d</w>\n"
        );
        assert_eq!(learn_bpe([], 9), "#version: 0.2\n");
    }
}
