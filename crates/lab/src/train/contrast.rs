//! Training of the semantic encoder: a sentence and its translation are near, others far.

use candle_core::{D, Device, Tensor, Var};

use super::adam::{Adam, Update};
use super::batches::{Batches, Cursor};
use super::corpus::Pair;
use super::error::TrainError;
use super::objective::{Objective, sources};
use super::random::Random;
use crate::reference::ReferenceModel;
use crate::weights::Weights;

const TABLE: u64 = 4;

/// How to train a semantic encoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContrastOptions {
    /// Steps.
    pub steps: u64,
    /// Highest learning rate; it is reached after a tenth of the steps and then falls to 0.
    pub learning_rate: f64,
    /// Tokens of a batch: more pairs make the task harder and the vectors better.
    pub batch_tokens: usize,
    /// Similarities are divided by this before they compete.
    pub temperature: f64,
    /// Seed.
    pub seed: u64,
}

impl Default for ContrastOptions {
    fn default() -> Self {
        Self {
            steps: 1000,
            learning_rate: 1e-3,
            batch_tokens: 2000,
            temperature: 0.1,
            seed: 1234,
        }
    }
}

/// Trains semantic encoder and semantic embeddings: in a batch, the cosine of the vectors of a
/// source and its own translation should win over all others, in both directions. Gives the model
/// and the semantic embedding of the target `[V, H]`, which is the source's where they are shared.
///
/// # Errors
/// When an id is outside the vocabularies.
pub fn train_semantic_encoder(
    weights: &Weights,
    pairs: &[Pair],
    options: &ContrastOptions,
    mut observe: impl FnMut(u64, f64, f64),
) -> Result<(Weights, Tensor), TrainError> {
    let semantic = |name: &str| !crate::reference::trained_originally(name);
    let model = ReferenceModel::from_weights(weights)?.train_where(semantic)?;
    let config = weights.config();
    let (rows, hidden) = (config.trg_vocab_size, config.hidden_size);
    let mut variables: Vec<(String, Var)> = model
        .trained_names()
        .iter()
        .cloned()
        .zip(model.trained_variables())
        .collect();
    let table = match model.shared_semantic_table() {
        Some(table) => table,
        None => {
            let mut random = Random::new(options.seed, TABLE, 0);
            let deviation = 1.0 / (hidden as f64).sqrt();
            let values = (0..rows * hidden).map(|_| (random.normal() * deviation) as f32);
            let table = Var::from_vec(values.collect(), (rows, hidden), &Device::Cpu)?;
            variables.push(("target table".to_owned(), table.clone()));
            table.as_tensor().clone()
        }
    };
    let adam = Adam::new(variables, false)?;
    let mut batches = Batches::new(pairs, options.batch_tokens, options.seed, Cursor::default());
    for step in 0..options.steps {
        let batch = batches.next(pairs);
        let x = unit(&model.source_vectors(&sources(&batch))?)?;
        let targets: Vec<&[u32]> = batch.iter().map(|pair| &pair.target[..]).collect();
        let y = unit(&model.semantic_vectors(&targets, &table)?)?;
        let similar = (x.matmul(&y.t()?)? / options.temperature)?;
        let own = || Objective {
            labels: (0..batch.len()).map(|i| u32::try_from(i).ok()).collect(),
            smoothing: 0.0,
            teacher: None,
        };
        if batch.len() < 2 {
            continue;
        }
        let loss = (own().loss(&similar)? + own().loss(&similar.t()?)?)?;
        let warmup = (options.steps / 10).max(1);
        let progress = (step + 1) as f64;
        let rise = progress / warmup as f64;
        let fall = (options.steps - step) as f64 / options.steps as f64;
        let update = Update {
            rate: options.learning_rate * rise.min(1.0) * fall,
            step: step + 1,
            clip: 1.0,
            average: 0.0,
        };
        adam.step(&loss.backward()?, &update)?;
        let winners: Vec<u32> = similar.argmax(D::Minus1)?.to_vec1()?;
        let right = winners
            .iter()
            .enumerate()
            .filter(|&(i, &winner)| i == winner as usize)
            .count();
        let loss = f64::from(loss.to_scalar::<f32>()?) / 2.0;
        observe(step + 1, loss, right as f64 / batch.len() as f64);
    }
    let trained = weights.with_tensors(config.clone(), model.tensors()?)?;
    Ok((trained, table.detach()))
}

/// Rows of length 1.
fn unit(x: &Tensor) -> candle_core::Result<Tensor> {
    let norm = (x.sqr()?.sum_keepdim(D::Minus1)? + 1e-12)?.sqrt()?;
    x.broadcast_div(&norm)
}
