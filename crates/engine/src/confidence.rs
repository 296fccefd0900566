//! How sure the model is of a translation.

/// The log-probability of a translation, or of several parts of one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Certainty {
    log_probability: f64,
    tokens: usize,
}

impl Certainty {
    /// Of a hypothesis of `len` tokens without the end of sentence, from its score: the
    /// log-probability divided by `((5 + tokens) / 6)^alpha`.
    pub(crate) fn of(score: f32, len: usize, alpha: f32) -> Self {
        let tokens = len + 1;
        let penalty = ((5.0 + tokens as f64) / 6.0).powf(f64::from(alpha));
        Self {
            log_probability: f64::from(score) * penalty,
            tokens,
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.log_probability += other.log_probability;
        self.tokens += other.tokens;
    }

    /// The geometric mean of the probabilities of all tokens: 0 to 1, higher for the more probable
    /// of two translations of one length. What was only copied is certain.
    pub(crate) fn confidence(self) -> f32 {
        if self.tokens == 0 {
            return 1.0;
        }
        let mean = self.log_probability / self.tokens as f64;
        mean.exp().clamp(0.0, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_the_mean_probability_of_a_token() {
        let penalty = (10f64 / 6.0).powf(0.6);
        let score = (0.5f64.ln() * 5.0 / penalty) as f32;
        let mut certainty = Certainty::of(score, 4, 0.6);
        assert!((certainty.confidence() - 0.5).abs() < 1e-4);
        certainty.add(Certainty::of(0.0, 4, 0.6));
        assert!((certainty.confidence() - 0.5f32.sqrt()).abs() < 1e-4);
        assert_eq!(Certainty::default().confidence(), 1.0);
    }

    #[test]
    fn confidence_grows_with_the_score() {
        let scores = [-9.0, -3.0, -1.0, -0.1, 0.0];
        let confidences = scores.map(|score| Certainty::of(score, 7, 0.6).confidence());
        assert!(confidences.is_sorted());
        assert!(confidences.iter().all(|c| (0.0..=1.0).contains(c)));
    }
}
