//! How to train.

use serde::{Deserialize, Serialize};

use super::error::TrainError;

/// How to train. [`Default`] is what suits fine-tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainOptions {
    /// Highest learning rate, reached after the warm-up; it falls with 1/√step afterwards.
    pub learning_rate: f64,
    /// Steps until then.
    pub warmup: u64,
    /// Probability that the label shares with all other tokens.
    pub smoothing: f64,
    /// Largest norm of all gradients together; 0 for no limit.
    pub clip: f64,
    /// Tokens of a batch, padding included, on the longer side.
    pub batch_tokens: usize,
    /// Seed of order and sampling.
    pub seed: u64,
    /// K of the continuous semantic augmentation: semantic vectors drawn for each pair, an even
    /// number; 0 trains on the source's own vector.
    pub samples: usize,
    /// η of the augmentation: the share of the noise whose width follows the distance.
    pub eta: f64,
    /// Linear layers compute with rounded weights and activations, as they will in int8.
    pub quantized: bool,
    /// Share of the old value in the moving average of the weights, 0 for none. What is evaluated
    /// and written is the average.
    pub average: f64,
    /// Variables whose names begin so stay as they are.
    pub frozen: Vec<String>,
    /// Share of the teacher's distribution in the labels, when there is a teacher.
    pub teacher_share: f64,
}

impl Default for TrainOptions {
    fn default() -> Self {
        Self {
            learning_rate: 3e-4,
            warmup: 200,
            smoothing: 0.1,
            clip: 1.0,
            batch_tokens: 1500,
            seed: 1234,
            samples: 2,
            eta: 0.6,
            quantized: false,
            average: 0.995,
            frozen: Vec::new(),
            teacher_share: 0.5,
        }
    }
}

impl TrainOptions {
    /// Checks the ranges.
    ///
    /// # Errors
    /// Naming the first option out of range.
    pub fn validate(&self) -> Result<(), TrainError> {
        let wrong = |option, found: String, expected| {
            Err(TrainError::Option {
                option,
                found,
                expected,
            })
        };
        if !(self.learning_rate > 0.0 && self.learning_rate <= 1.0) {
            let found = self.learning_rate.to_string();
            return wrong("learning rate", found, "more than 0, at most 1");
        }
        let shares = [
            ("smoothing", self.smoothing),
            ("average", self.average),
            ("teacher share", self.teacher_share),
            ("eta", self.eta),
        ];
        for (option, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return wrong(option, value.to_string(), "0 to 1");
            }
        }
        if !(self.clip >= 0.0 && self.clip.is_finite()) {
            return wrong("clip", self.clip.to_string(), "0 or more");
        }
        if !(16..=1_000_000).contains(&self.batch_tokens) {
            let found = self.batch_tokens.to_string();
            return wrong("batch tokens", found, "16 to 1000000");
        }
        if !self.samples.is_multiple_of(2) || self.samples > 16 {
            return wrong("samples", self.samples.to_string(), "an even number to 16");
        }
        Ok(())
    }

    /// The learning rate of a step, counted from 0.
    #[must_use]
    pub fn rate(&self, step: u64) -> f64 {
        let (step, warmup) = ((step + 1) as f64, self.warmup.max(1) as f64);
        self.learning_rate * (step / warmup).min((warmup / step).sqrt())
    }
}
