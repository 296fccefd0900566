//! chrF2: the F-score of character n-grams, n = 1…6, recall weighing β² = 4 times precision.
//!
//! White space is removed first. Precision and recall are averaged over the orders for which
//! hypotheses and references have n-grams, then combined: `5 P R / (4 P + R)`.

use super::tokenize::is_white_space;
use super::{MetricError, clipped_matches, ngram_count, paired};

const MAX_ORDER: usize = 6;
const BETA: f64 = 2.0;

/// Corpus chrF2, 0 to 100, case-sensitive, one reference for each hypothesis.
///
/// ```
/// let score = csanmt_lab::metrics::chrf(
///     &["The cat sat on the mat."],
///     &["The cat is on the mat."],
/// )?;
/// assert!((score - 67.172_735).abs() < 1e-6);
/// # Ok::<(), csanmt_lab::metrics::MetricError>(())
/// ```
///
/// # Errors
/// When the lists differ in length or are empty.
pub fn chrf(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
) -> Result<f64, MetricError> {
    let mut orders = Orders::default();
    for (hypothesis, reference) in paired(hypotheses, references)? {
        orders.sum(&Orders::of(hypothesis, reference));
    }
    Ok(orders.score())
}

/// Sums over the corpus, one entry an order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Orders([Counts; MAX_ORDER]);

impl Orders {
    /// Those of one sentence.
    pub(super) fn of(hypothesis: &str, reference: &str) -> Self {
        let mut orders = Self::default();
        let hypothesis = characters(hypothesis);
        let reference = characters(reference);
        for (counts, order) in orders.0.iter_mut().zip(1..) {
            counts.add(&hypothesis, &reference, order);
        }
        orders
    }

    /// Adds those of other sentences.
    pub(super) fn sum(&mut self, other: &Self) {
        for (counts, other) in self.0.iter_mut().zip(&other.0) {
            counts.hypothesis += other.hypothesis;
            counts.reference += other.reference;
            counts.matches += other.matches;
        }
    }

    pub(super) fn score(&self) -> f64 {
        f_score(&self.0)
    }
}

/// Sums over the corpus, of one order.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    hypothesis: usize,
    reference: usize,
    matches: usize,
}

impl Counts {
    fn add(&mut self, hypothesis: &[u32], reference: &[u32], order: usize) {
        let in_reference = ngram_count(reference.len(), order);
        // A reference too short for this order does not count against its hypothesis.
        if in_reference > 0 {
            self.hypothesis += ngram_count(hypothesis.len(), order);
            self.reference += in_reference;
            self.matches += clipped_matches(hypothesis, reference, order);
        }
    }
}

/// The code points that are not white space; as integers, since slices of those hash at once.
fn characters(text: &str) -> Vec<u32> {
    let visible = text.chars().filter(|&c| !is_white_space(c));
    visible.map(u32::from).collect()
}

fn f_score(orders: &[Counts]) -> f64 {
    let mut precision = 0.0;
    let mut recall = 0.0;
    let mut effective_orders = 0.0;
    for counts in orders {
        if counts.hypothesis > 0 && counts.reference > 0 {
            precision += counts.matches as f64 / counts.hypothesis as f64;
            recall += counts.matches as f64 / counts.reference as f64;
            effective_orders += 1.0;
        }
    }
    if precision + recall == 0.0 {
        return 0.0;
    }
    precision /= effective_orders;
    recall /= effective_orders;
    let weight = BETA * BETA;
    let score = 100.0 * (1.0 + weight) * precision * recall / (weight * precision + recall);
    score.min(100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_weighs_more() {
        // Orders 1 and 2 exist on both sides. P = (2/2 + 1/1) / 2, R = (2/3 + 1/2) / 2.
        let short = chrf(&["ab"], &["abc"]).unwrap();
        let (p, r) = (1.0, 7.0 / 12.0);
        assert!((short - 100.0 * 5.0 * p * r / (4.0 * p + r)).abs() < 1e-9);
        // The other way round order 3 has no reference and is left out.
        let long = chrf(&["abc"], &["ab"]).unwrap();
        let (p, r) = (7.0 / 12.0, 1.0);
        assert!((long - 100.0 * 5.0 * p * r / (4.0 * p + r)).abs() < 1e-9);
        assert!(long > short);
    }

    #[test]
    fn white_space_does_not_count() {
        let score = chrf(&["a b\u{3000}c\u{1c}d e\tf g"], &["abcdefg"]);
        assert_eq!(score, Ok(100.0));
    }
}
