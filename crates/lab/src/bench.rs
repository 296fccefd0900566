//! How fast a model file is, with the same work for every model: translations of a given length.

use std::ops::ControlFlow;

use csanmt_format::ModelFile;
use csanmt_model::{Kernels, Limits, Model, ModelError};

use crate::Stopwatch;
use crate::generated::{GENERATED_CODES, GeneratedValues, generated_vocabulary, released_config};
use crate::weights::{Weights, WeightsError};
use csanmt_format::layout::variables;
use csanmt_format::{ModelConfig, SRC_BPE, SRC_VOCAB, TRG_VOCAB};
use csanmt_text::jieba::ZH_DICTIONARY;

/// Tokens of the sentences whose latency is measured, on both sides.
pub const LENGTHS: [usize; 3] = [6, 16, 40];
/// Sentences of the batch whose throughput is measured.
pub const BATCH: usize = 32;
/// Tokens of each of them, on both sides.
pub const BATCH_LENGTH: usize = 12;
/// How often each of the lengths, and the batch, is translated at most for one number: Linux may
/// account processor time in ticks of 4 ms.
const REPEATS: [usize; 4] = [40, 20, 10, 2];
/// After so many seconds ticks do not matter any more.
const ENOUGH: f64 = 0.4;

/// Times of one model on one thread: processor time where Linux tells it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Speed {
    /// Milliseconds for one sentence of each of [`LENGTHS`], beam 4, as many tokens out as in.
    pub latency_ms: [f64; 3],
    /// Sentences of 12 tokens each second in batches of 32, beam 4.
    pub sentences_per_second: f64,
}

/// A model that is loaded, for measurements.
#[derive(Debug)]
pub struct Subject {
    model: Model,
}

impl Subject {
    /// Loads a model file with the kernels of this machine.
    ///
    /// # Errors
    /// When a tensor is missing or has another shape.
    pub fn load(file: &ModelFile) -> Result<Self, ModelError> {
        let model = Model::load(file, Kernels::detect())?;
        Ok(Self { model })
    }

    /// Translates `sentences` made-up sentences of `tokens` tokens into as many tokens, beam 4.
    ///
    /// # Errors
    /// Never: all ids are in the vocabulary.
    pub fn translate(&self, sentences: usize, tokens: usize) -> Result<(), ModelError> {
        let mut workspace = self.model.workspace();
        self.search(sentences, tokens, &mut workspace)
    }

    fn search(
        &self,
        sentences: usize,
        tokens: usize,
        workspace: &mut csanmt_model::Workspace,
    ) -> Result<(), ModelError> {
        let vocab = self.model.config().src_vocab_size.saturating_sub(1).max(1);
        let sentences: Vec<Vec<u32>> = (0..sentences)
            .map(|i| {
                let id = |j: usize| 1 + (i * 7919 + j * 104_729) % vocab.min(3000);
                (0..tokens).map(|j| id(j) as u32).collect()
            })
            .collect();
        let mut options = self.model.search_options();
        (options.beam, options.limits) = (4, Limits::Model);
        (options.min_len, options.max_len) = (tokens, tokens);
        self.model
            .search(&sentences, &options, workspace, &mut |_| {
                ControlFlow::Continue(())
            })?;
        Ok(())
    }

    /// Medians of `rounds` rounds.
    ///
    /// # Errors
    /// Never: all ids are in the vocabulary.
    pub fn speed(&self, rounds: usize) -> Result<Speed, ModelError> {
        let mut workspace = self.model.workspace();
        let mut times: [Vec<f64>; 4] = Default::default();
        for round in 0..=rounds {
            for (place, times) in times.iter_mut().enumerate() {
                let (sentences, tokens) = match LENGTHS.get(place) {
                    Some(&tokens) => (1, tokens),
                    None => (BATCH, BATCH_LENGTH),
                };
                let watch = Stopwatch::start();
                let mut repeats = 0;
                while repeats < REPEATS[place] && watch.seconds() < ENOUGH {
                    self.search(sentences, tokens, &mut workspace)?;
                    repeats += 1;
                }
                // The first round warms up.
                if round > 0 {
                    times.push(watch.seconds() / repeats as f64);
                }
            }
        }
        let [short, medium, long, batch] = times.map(median);
        Ok(Speed {
            latency_ms: [short * 1e3, medium * 1e3, long * 1e3],
            sentences_per_second: BATCH as f64 / batch,
        })
    }
}

/// The middle one.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A model with the sizes that ModelScope's first pipeline had built in: 6 encoder and 6 decoder
/// layers, hidden 512, filter 2048, 8 heads, 4 semantic-encoder layers, norms behind the sums, one
/// vocabulary of 37 006: 98 million weights.
#[must_use]
pub fn base_config() -> ModelConfig {
    ModelConfig {
        pre_norm: false,
        post_norm: true,
        ..released_config([6, 6, 512, 2048, 8, 37_006])
    }
}

/// Random weights, to see how a size performs; translates into nonsense.
///
/// # Errors
/// When the configuration is wrong.
pub fn random_weights(config: ModelConfig) -> Result<Weights, WeightsError> {
    let mut generated = GeneratedValues::new(config.hidden_size);
    let tensors = variables(&config).into_iter().map(|variable| {
        let mut values = Vec::new();
        generated.append(&variable, &mut values);
        (variable.name, values)
    });
    let tensors = tensors.collect();
    let texts = [
        (SRC_VOCAB, generated_vocabulary(config.src_vocab_size)),
        (TRG_VOCAB, generated_vocabulary(config.trg_vocab_size)),
        (SRC_BPE, GENERATED_CODES.to_vec()),
        (
            csanmt_format::SEGMENTATION_DICTIONARY,
            ZH_DICTIONARY.to_vec(),
        ),
    ];
    Weights::new(config, tensors, texts.into())
}

#[cfg(test)]
mod tests {
    use super::base_config;
    use crate::weights::Parameters;

    #[test]
    fn the_base_model_has_98_million_weights() {
        let Parameters { all, .. } = Parameters::of(&base_config());
        assert_eq!(all / 1_000_000, 98, "{all}");
    }
}
