//! Batches of sentences of similar length, in a random order.

use serde::{Deserialize, Serialize};

use super::corpus::Pair;
use super::random::Random;

/// Pairs among which those of similar length are put together.
const WINDOW: usize = 4096;
const ORDER: u64 = 1;

/// The next batch of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Passes through the corpus that are complete.
    pub epoch: u64,
    /// Batches of the current pass that are done.
    pub batch: usize,
}

/// The batches of one pass after another.
#[derive(Clone, Debug)]
pub struct Batches {
    seed: u64,
    tokens: usize,
    cursor: Cursor,
    /// Of the cursor's pass: numbers of pairs.
    order: Vec<Vec<usize>>,
}

impl Batches {
    /// Goes on at `cursor`. `tokens` is the most tokens of a batch, padding and end mark included,
    /// on the longer side.
    #[must_use]
    pub fn new(pairs: &[Pair], tokens: usize, seed: u64, cursor: Cursor) -> Self {
        Self {
            seed,
            tokens,
            cursor,
            order: order(pairs, tokens, seed, cursor.epoch),
        }
    }

    /// Where the run is.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// The next batch of `pairs`, which must be those of [`Self::new`].
    pub fn next(&mut self, pairs: &[Pair]) -> Vec<Pair> {
        while self.cursor.batch >= self.order.len() {
            self.cursor = Cursor {
                epoch: self.cursor.epoch + 1,
                batch: 0,
            };
            self.order = order(pairs, self.tokens, self.seed, self.cursor.epoch);
        }
        let batch = &self.order[self.cursor.batch];
        self.cursor.batch += 1;
        batch.iter().map(|&number| pairs[number].clone()).collect()
    }
}

/// Batches of a pass: a function of the seed and the number of the pass.
fn order(pairs: &[Pair], tokens: usize, seed: u64, epoch: u64) -> Vec<Vec<usize>> {
    let mut random = Random::new(seed, ORDER, epoch);
    let mut numbers: Vec<usize> = (0..pairs.len()).collect();
    random.shuffle(&mut numbers);
    let mut batches = Vec::new();
    for window in numbers.chunks_mut(WINDOW) {
        // The shuffle decides between equal lengths.
        window.sort_by_key(|&number| (pairs[number].target.len(), pairs[number].source.len()));
        let (mut batch, mut longest) = (Vec::new(), 0);
        for &number in window.iter() {
            let pair = &pairs[number];
            let length = pair.source.len().max(pair.target.len()) + 1;
            let width = longest.max(length);
            if !batch.is_empty() && width * (batch.len() + 1) > tokens {
                batches.push(std::mem::take(&mut batch));
                longest = 0;
            }
            longest = longest.max(length);
            batch.push(number);
        }
        if !batch.is_empty() {
            batches.push(batch);
        }
    }
    random.shuffle(&mut batches);
    batches
}

#[cfg(test)]
mod tests {
    use super::{Batches, Cursor};
    use crate::train::{Pair, Random};

    fn pairs() -> Vec<Pair> {
        let mut random = Random::new(5, 0, 0);
        let mut sentence = || (0..1 + random.below(20)).map(|i| i as u32 + 1).collect();
        (0..300)
            .map(|_| Pair {
                source: sentence(),
                target: sentence(),
            })
            .collect()
    }

    #[test]
    fn a_pass_has_every_pair_once_and_keeps_to_the_limit() {
        let pairs = pairs();
        let mut batches = Batches::new(&pairs, 100, 1, Cursor::default());
        let mut found = Vec::new();
        while batches.cursor().epoch == 0 && found.len() < pairs.len() {
            let batch = batches.next(&pairs);
            let width = batch.iter().map(|p| p.source.len().max(p.target.len()) + 1);
            assert!(batch.len() == 1 || width.max().unwrap() * batch.len() <= 100);
            found.extend(batch);
        }
        let sorted = |mut pairs: Vec<Pair>| {
            pairs.sort_by(|a, b| (&a.source, &a.target).cmp(&(&b.source, &b.target)));
            pairs
        };
        assert_eq!(sorted(found), sorted(pairs));
    }

    #[test]
    fn a_cursor_finds_its_place_again() {
        let pairs = pairs();
        let mut all = Batches::new(&pairs, 64, 9, Cursor::default());
        for _ in 0..150 {
            let mut again = Batches::new(&pairs, 64, 9, all.cursor());
            assert_eq!(all.next(&pairs), again.next(&pairs));
            assert_eq!(all.cursor(), again.cursor());
        }
        assert!(all.cursor().epoch > 0, "the test passes an end");
    }
}
