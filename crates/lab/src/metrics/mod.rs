//! How near translations come to their references: corpus [`bleu`] and [`chrf`], 0 to 100.
//!
//! Both give the numbers of sacreBLEU 2.6 with its default settings and one reference a
//! sentence. Counts are summed over the sentences first, then made into one score; the score of
//! a corpus is not the mean of the scores of its sentences.

mod bleu;
mod bootstrap;
mod chrf;
mod tokenize;

use std::collections::HashMap;
use std::hash::Hash;

pub use bleu::bleu;
pub use bootstrap::{Comparison, Interval, Sampled, compare, length_ratio, sampled};
pub use chrf::chrf;
pub use tokenize::tokenize_13a;

/// Why there is no score.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// The two lists are of different lengths.
    #[error(
        "{hypotheses} hypotheses but {references} references; \
         give one reference for each hypothesis, in the same order"
    )]
    Unpaired {
        /// How many hypotheses there are.
        hypotheses: usize,
        /// How many references there are.
        references: usize,
    },
    /// There are no sentences.
    #[error("no sentences to score; give at least one hypothesis and its reference")]
    Empty,
}

/// Pairs each hypothesis with its reference.
fn paired<'a, H: AsRef<str>, R: AsRef<str>>(
    hypotheses: &'a [H],
    references: &'a [R],
) -> Result<impl Iterator<Item = (&'a str, &'a str)>, MetricError> {
    if hypotheses.len() != references.len() {
        return Err(MetricError::Unpaired {
            hypotheses: hypotheses.len(),
            references: references.len(),
        });
    }
    if hypotheses.is_empty() {
        return Err(MetricError::Empty);
    }
    let pairs = hypotheses.iter().zip(references);
    Ok(pairs.map(|(hypothesis, reference)| (hypothesis.as_ref(), reference.as_ref())))
}

/// How many n-grams a sequence of `len` items has.
fn ngram_count(len: usize, order: usize) -> usize {
    (len + 1).saturating_sub(order)
}

/// How many n-grams of the hypothesis the reference has too, each counted at most as often as
/// the reference has it: `Σ_g min(count_hyp(g), count_ref(g))`.
fn clipped_matches<T: Eq + Hash>(hypothesis: &[T], reference: &[T], order: usize) -> usize {
    if hypothesis.len() < order || reference.len() < order {
        return 0;
    }
    let mut unmatched = HashMap::with_capacity(ngram_count(reference.len(), order));
    for ngram in reference.windows(order) {
        *unmatched.entry(ngram).or_insert(0_usize) += 1;
    }
    let mut matches = 0;
    for ngram in hypothesis.windows(order) {
        if let Some(count) = unmatched.get_mut(ngram)
            && *count > 0
        {
            *count -= 1;
            matches += 1;
        }
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_clipped_to_the_reference() {
        assert_eq!(clipped_matches(b"aaaa", b"aab", 1), 2);
        assert_eq!(clipped_matches(b"aaaa", b"aab", 2), 1);
        assert_eq!(clipped_matches(b"abab", b"babab", 2), 3);
        assert_eq!(clipped_matches(b"ab", b"abc", 3), 0);
        assert_eq!(clipped_matches(b"", b"", 1), 0);
    }

    #[test]
    fn rejects_lists_that_do_not_pair() {
        let unpaired = MetricError::Unpaired {
            hypotheses: 2,
            references: 1,
        };
        assert_eq!(bleu(&["a", "b"], &["a"]), Err(unpaired.clone()));
        assert_eq!(chrf(&["a", "b"], &["a"]), Err(unpaired));
        let none: [&str; 0] = [];
        assert_eq!(bleu(&none, &none), Err(MetricError::Empty));
        assert_eq!(chrf(&none, &none), Err(MetricError::Empty));
    }
}
