//! Corpus BLEU: `BP · exp(¼ Σₙ ln pₙ)`, n = 1…4, over the words of [`tokenize_13a`].
//!
//! - `pₙ`: n-grams of the hypotheses found in their references (clipped) ÷ n-grams of the
//!   hypotheses.
//! - `BP = min(1, exp(1 − r/c))`, with r the words of all references, c those of all hypotheses.
//! - The k-th order with no match at all counts as `1 / 2ᵏ` matches ("exp" smoothing).

use super::{MetricError, clipped_matches, ngram_count, paired, tokenize_13a};

const MAX_ORDER: usize = 4;

/// Corpus BLEU, 0 to 100, case-sensitive, one reference for each hypothesis.
///
/// 0 when no word matches, or when no hypothesis has four words.
///
/// ```
/// let score = csanmt_lab::metrics::bleu(
///     &["The cat sat on the mat."],
///     &["The cat is on the mat."],
/// )?;
/// assert!((score - 48.892_302).abs() < 1e-6);
/// # Ok::<(), csanmt_lab::metrics::MetricError>(())
/// ```
///
/// # Errors
/// When the lists differ in length or are empty.
pub fn bleu(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
) -> Result<f64, MetricError> {
    let mut counts = Counts::default();
    for (hypothesis, reference) in paired(hypotheses, references)? {
        counts.add(hypothesis, reference);
    }
    Ok(counts.score())
}

/// Sums over the corpus; `matches[n - 1]` and `ngrams[n - 1]` belong to order n.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    hypothesis_words: usize,
    reference_words: usize,
    matches: [usize; MAX_ORDER],
    ngrams: [usize; MAX_ORDER],
}

impl Counts {
    /// Those of one sentence.
    pub(super) fn of(hypothesis: &str, reference: &str) -> Self {
        let mut counts = Self::default();
        counts.add(hypothesis, reference);
        counts
    }

    /// Adds those of other sentences.
    pub(super) fn sum(&mut self, other: &Self) {
        self.hypothesis_words += other.hypothesis_words;
        self.reference_words += other.reference_words;
        for order in 0..MAX_ORDER {
            self.matches[order] += other.matches[order];
            self.ngrams[order] += other.ngrams[order];
        }
    }

    /// Words of the hypotheses for each word of the references.
    pub(super) fn length_ratio(&self) -> f64 {
        self.hypothesis_words as f64 / (self.reference_words as f64).max(1.0)
    }

    fn add(&mut self, hypothesis: &str, reference: &str) {
        let hypothesis = tokenize_13a(hypothesis);
        let reference = tokenize_13a(reference);
        let hypothesis = hypothesis.words();
        let reference = reference.words();
        self.hypothesis_words += hypothesis.len();
        self.reference_words += reference.len();
        for order in 1..=MAX_ORDER {
            self.matches[order - 1] += clipped_matches(&hypothesis, &reference, order);
            self.ngrams[order - 1] += ngram_count(hypothesis.len(), order);
        }
    }

    pub(super) fn score(&self) -> f64 {
        // No word matches, hence nothing longer; or an order has no n-grams, its precision is 0.
        if self.matches[0] == 0 || self.ngrams.contains(&0) {
            return 0.0;
        }
        let mut smoothing = 1.0;
        let mut log_precisions = 0.0;
        for (&matches, &ngrams) in self.matches.iter().zip(&self.ngrams) {
            let matches = if matches == 0 {
                smoothing /= 2.0;
                smoothing
            } else {
                matches as f64
            };
            log_precisions += (100.0 * matches / ngrams as f64).ln();
        }
        let score = self.brevity_penalty() * (log_precisions / MAX_ORDER as f64).exp();
        // Rounding in `exp` takes equal texts a little above 100.
        score.min(100.0)
    }

    fn brevity_penalty(&self) -> f64 {
        if self.hypothesis_words >= self.reference_words {
            return 1.0;
        }
        (1.0 - self.reference_words as f64 / self.hypothesis_words as f64).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precisions_by_hand() {
        // 1-grams 5/7, 2-grams 3/6, 3-grams 1/5, no 4-gram: half a match of 4. No penalty.
        let score = bleu(&["the cat sat on the mat ."], &["the cat is on the mat"]).unwrap();
        let product: f64 = 5.0 / 7.0 * 3.0 / 6.0 * 1.0 / 5.0 * 0.5 / 4.0;
        assert!((score - 100.0 * product.powf(0.25)).abs() < 1e-9, "{score}");
    }

    #[test]
    fn penalty_by_hand() {
        let score = bleu(&["a b c d"], &["a b c d e f"]).unwrap();
        assert!((score - 100.0 * (-0.5_f64).exp()).abs() < 1e-9, "{score}");
    }

    #[test]
    fn equal_texts_reach_exactly_100() {
        let texts = ["one two three four five six seven", "eight , nine"];
        assert_eq!(bleu(&texts, &texts), Ok(100.0));
    }
}
