//! Which target tokens go with which source tokens: IBM model 1 (Brown et al., "The Mathematics of
//! Statistical Machine Translation", 1993).
//!
//! `t(f | e)` is the probability that source token e becomes target token f. Each f of a pair comes
//! from one of its source tokens or from nothing, all equally likely beforehand; expectation
//! maximisation adds up, pair by pair, which of them it comes from under the present `t`.

use crate::train::Pair;

/// `t(f | e)` of the pairs of tokens that occur in some sentence pair together.
pub(super) struct Lexicon {
    /// Target tokens of each source token, ascending; the last source token is nothing.
    targets: Vec<u32>,
    probabilities: Vec<f32>,
    /// End of each source token's targets.
    ends: Vec<usize>,
}

/// Links are brought together when there are so many, half a gigabyte.
const LINKS_AT_ONCE: usize = 1 << 26;

impl Lexicon {
    /// Learns from pairs in so many rounds; source ids are below `sources`.
    pub(super) fn learn(pairs: &[Pair], sources: usize, rounds: usize) -> Self {
        let mut lexicon = Self::uniform(pairs, sources);
        for _ in 0..rounds {
            lexicon.improve(pairs);
        }
        lexicon
    }

    fn uniform(pairs: &[Pair], sources: usize) -> Self {
        let mut links: Vec<u64> = Vec::new();
        let mut unique = 0;
        for pair in pairs {
            for &source in pair.source.iter().chain(&[sources as u32]) {
                let link = |&target| u64::from(source) << 32 | u64::from(target);
                links.extend(pair.target.iter().map(link));
            }
            if links.len() > 2 * unique + LINKS_AT_ONCE {
                links.sort_unstable();
                links.dedup();
                unique = links.len();
            }
        }
        links.sort_unstable();
        links.dedup();
        let end = |source: usize| links.partition_point(|&link| link >> 32 <= source as u64);
        Self {
            targets: links.iter().map(|&link| link as u32).collect(),
            probabilities: vec![1.0; links.len()],
            ends: (0..=sources).map(end).collect(),
        }
    }

    /// One round of expectation maximisation.
    fn improve(&mut self, pairs: &[Pair]) {
        let nothing = [self.ends.len() as u32 - 1];
        let mut counts = vec![0f32; self.targets.len()];
        let mut places = Vec::new();
        for pair in pairs {
            for &target in &pair.target {
                places.clear();
                let sources = pair.source.iter().chain(&nothing);
                places.extend(sources.filter_map(|&source| self.place(source, target)));
                let sum: f32 = places.iter().map(|&at| self.probabilities[at]).sum();
                for &at in &places {
                    counts[at] += self.probabilities[at] / sum.max(f32::MIN_POSITIVE);
                }
            }
        }
        let mut start = 0;
        for &end in &self.ends {
            let all: f32 = counts[start..end].iter().sum();
            for count in &mut counts[start..end] {
                *count /= all.max(f32::MIN_POSITIVE);
            }
            start = end;
        }
        self.probabilities = counts;
    }

    fn range(&self, source: u32) -> std::ops::Range<usize> {
        let source = source as usize;
        let start = source.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[source]
    }

    fn place(&self, source: u32, target: u32) -> Option<usize> {
        let range = self.range(source);
        let place = self.targets[range.clone()].binary_search(&target).ok()?;
        Some(range.start + place)
    }

    /// The most probable targets of a source token, at most so many, the most probable first.
    pub(super) fn best(&self, source: u32, most: usize) -> Vec<u32> {
        let range = self.range(source);
        let targets = self.targets[range.clone()].iter().copied();
        let mut all: Vec<(u32, f32)> = targets
            .zip(self.probabilities[range].iter().copied())
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(most);
        all.into_iter().map(|(target, _)| target).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Lexicon;
    use crate::train::Pair;

    fn pair(source: &[u32], target: &[u32]) -> Pair {
        Pair {
            source: source.to_vec(),
            target: target.to_vec(),
        }
    }

    #[test]
    fn words_find_each_other_without_ever_standing_alone() {
        // Token n becomes 10 + n, and 19 stands in every target for nothing.
        let pairs = [
            pair(&[1, 2], &[19, 11, 12]),
            pair(&[2, 3], &[13, 12, 19]),
            pair(&[3, 1], &[13, 19, 11]),
            pair(&[1, 4], &[14, 11, 19]),
        ];
        let lexicon = Lexicon::learn(&pairs, 5, 10);
        for source in 1..=4 {
            assert_eq!(lexicon.best(source, 1), [10 + source], "of {source}");
        }
        assert_eq!(lexicon.best(5, 1), [19]);
        assert_eq!(lexicon.best(0, 3), [0; 0]);
        // Everything that ever stood beside it.
        assert_eq!(lexicon.best(4, 9).len(), 3);
    }

    #[test]
    fn no_pairs_give_an_empty_lexicon() {
        assert_eq!(Lexicon::learn(&[], 3, 2).best(2, 5), [0; 0]);
    }
}
