//! Scores of a model in training, through the engine.

use csanmt::{AlignedBytes, Options, Translator};
use csanmt_format::Quantization;

use super::error::TrainError;
use crate::evaluate::Score;
use crate::weights::{Packing, Weights};

/// Sentences and references that decide when to stop.
#[derive(Clone, Debug)]
pub struct DevSet {
    /// Sources.
    pub sources: Vec<String>,
    /// References.
    pub references: Vec<String>,
    /// How the model is stored while it is scored.
    pub quantization: Quantization,
    /// Beam width.
    pub beam: usize,
}

impl DevSet {
    /// Translates as the original does, without guards, so that the network alone is scored.
    ///
    /// # Errors
    /// When a weight is not finite.
    pub fn score(&self, weights: &Weights) -> Result<Score, TrainError> {
        self.score_as(weights, &self.quantization.into())
    }

    /// The same for another way to store the model.
    ///
    /// # Errors
    /// When a weight is not finite.
    pub fn score_as(&self, weights: &Weights, packing: &Packing) -> Result<Score, TrainError> {
        let hypotheses = translate_all(weights, packing, self.beam, &self.sources)?;
        // Both lists have one entry a sentence.
        Ok(Score::of(&hypotheses, &self.references).unwrap_or(Score {
            bleu: 0.0,
            chrf: 0.0,
            sentences: 0,
        }))
    }
}

/// Translations of sentences, one each, without guards.
///
/// # Errors
/// When a weight is not finite.
pub fn translate_all(
    weights: &Weights,
    packing: &Packing,
    beam: usize,
    sources: &[String],
) -> Result<Vec<String>, TrainError> {
    let bytes = weights.to_bytes(packing)?;
    let translator = Translator::from_bytes(AlignedBytes::from(&bytes[..]))?;
    drop(bytes);
    let options = Options::raw().with_beam(beam);
    let translate = |source: &String| Ok(translator.translate(source, &options)?.text);
    sources.iter().map(translate).collect()
}
