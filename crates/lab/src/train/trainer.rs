//! One training run.

use std::collections::BTreeMap;
use std::path::Path;

use candle_core::Tensor;
use serde::{Deserialize, Serialize};

use super::adam::{Adam, Update};
use super::augmentation::Augmentation;
use super::batches::{Batches, Cursor};
use super::corpus::Pair;
use super::error::TrainError;
use super::objective::{Objective, forced, labels, sources};
use super::options::TrainOptions;
use super::state::{self, State};
use crate::reference::{ReferenceModel, trained_originally};
use crate::weights::Weights;

/// A training run: the network, the optimiser and the place in the corpus.
#[derive(Debug)]
pub struct Trainer {
    template: Weights,
    model: ReferenceModel,
    options: TrainOptions,
    adam: Adam,
    augmentation: Option<Augmentation>,
    teacher: Option<ReferenceModel>,
    batches: Batches,
    step: u64,
    progress: Progress,
}

/// What decides when to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Best chrF so far, and its step.
    pub(super) best: Option<(f64, u64)>,
    /// Evaluations since then.
    pub(super) worse: u32,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Steps done.
    pub step: u64,
    /// Mean loss of a target token.
    pub loss: f64,
    /// Norm of all gradients before clipping.
    pub norm: f64,
    /// Learning rate.
    pub rate: f64,
    /// Tokens of the pairs, both sides with end marks, without padding and repetitions.
    pub tokens: usize,
}

impl Trainer {
    /// Begins a run. Semantic encoder and semantic embeddings are frozen, as in the original.
    ///
    /// # Errors
    /// When an option is out of range, or the augmentation has no target table.
    pub fn new(
        weights: &Weights,
        pairs: &[Pair],
        options: TrainOptions,
        target_table: Option<Tensor>,
        teacher: Option<&Weights>,
    ) -> Result<Self, TrainError> {
        options.validate()?;
        let trained = |name: &str| {
            let frozen = options.frozen.iter();
            trained_originally(name) && !frozen.into_iter().any(|part| name.starts_with(part))
        };
        let mut model = ReferenceModel::from_weights(weights)?.train_where(trained)?;
        if options.quantized {
            model = model.quantized()?;
        }
        let names = model.trained_names().to_vec();
        let variables = names.into_iter().zip(model.trained_variables()).collect();
        let target_table = match target_table {
            None => model.shared_semantic_table(),
            table => table,
        };
        let augmentation = match (options.samples, target_table) {
            (0, _) => None,
            (samples, Some(target_table)) => Some(Augmentation {
                samples,
                eta: options.eta,
                target_table,
            }),
            (samples, None) => {
                return Err(TrainError::Option {
                    option: "samples",
                    found: samples.to_string(),
                    expected: "0, as there is no semantic embedding of the target",
                });
            }
        };
        // A teacher computes no gradients.
        let teacher = match teacher {
            Some(weights) => Some(ReferenceModel::from_weights(weights)?.train_where(|_| false)?),
            None => None,
        };
        Ok(Self {
            template: weights.clone(),
            adam: Adam::new(variables, options.average > 0.0)?,
            batches: Batches::new(pairs, options.batch_tokens, options.seed, Cursor::default()),
            model,
            options,
            augmentation,
            teacher,
            step: 0,
            progress: Progress::default(),
        })
    }

    /// One step on the next batch of `pairs`, which must be those the run began with.
    ///
    /// # Errors
    /// When the loss is no number any more.
    pub fn step(&mut self, pairs: &[Pair]) -> Result<StepReport, TrainError> {
        let batch = self.batches.next(pairs);
        let loss = self.loss(&batch)?;
        let value = f64::from(loss.to_scalar::<f32>()?);
        if !value.is_finite() {
            return Err(TrainError::Diverged {
                step: self.step + 1,
                loss: value,
            });
        }
        let rate = self.options.rate(self.step);
        self.step += 1;
        // Young averages forget their beginning sooner.
        let age = (1.0 + self.step as f64) / (10.0 + self.step as f64);
        let update = Update {
            rate,
            step: self.step,
            clip: self.options.clip,
            average: self.options.average.min(age),
        };
        let norm = self.adam.step(&loss.backward()?, &update)?;
        let tokens = |pair: &Pair| pair.source.len() + pair.target.len() + 2;
        Ok(StepReport {
            step: self.step,
            loss: value,
            norm,
            rate,
            tokens: batch.iter().map(tokens).sum(),
        })
    }

    /// The loss of a batch under the network as it is, with the draws of the coming step.
    ///
    /// # Errors
    /// When an id is outside the vocabularies.
    pub fn loss(&self, batch: &[Pair]) -> Result<Tensor, TrainError> {
        let teacher = match &self.teacher {
            Some(teacher) => {
                let encoded = teacher.encode(&sources(batch))?;
                let logits = forced(teacher, &encoded, batch, 1)?;
                let logits: Vec<f32> = logits.flatten_all()?.to_vec1()?;
                Some((logits, self.options.teacher_share))
            }
            None => None,
        };
        let encoded = self.model.encode(&sources(batch))?;
        let (encoded, times) = match &self.augmentation {
            Some(augmentation) => {
                let (seed, step) = (self.options.seed, self.step);
                let encoded = augmentation.apply(&self.model, &encoded, batch, seed, step)?;
                (encoded, augmentation.samples)
            }
            None => (encoded, 1),
        };
        let logits = forced(&self.model, &encoded, batch, times)?;
        let objective = Objective {
            labels: labels(batch),
            smoothing: self.options.smoothing,
            teacher,
        };
        Ok(objective.loss(&logits)?)
    }

    /// Steps done.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Passes through the corpus that are complete.
    #[must_use]
    pub fn epochs(&self) -> u64 {
        self.batches.cursor().epoch
    }

    /// The network that is trained.
    #[must_use]
    pub fn model(&self) -> &ReferenceModel {
        &self.model
    }

    /// The best chrF so far and its step, and how many evaluations were not better since.
    #[must_use]
    pub fn best(&self) -> (Option<(f64, u64)>, u32) {
        (self.progress.best, self.progress.worse)
    }

    /// Takes note of an evaluation; true when it is the best so far.
    pub fn evaluated(&mut self, chrf: f64) -> bool {
        let better = self.progress.best.is_none_or(|(best, _)| chrf > best);
        if better {
            self.progress = Progress {
                best: Some((chrf, self.step)),
                worse: 0,
            };
        } else {
            self.progress.worse += 1;
        }
        better
    }

    /// The model as it is evaluated and written: the moving average where there is one.
    ///
    /// # Errors
    /// When the network cannot be read.
    pub fn weights(&self) -> Result<Weights, TrainError> {
        let mut tensors = self.model.tensors()?;
        if self.options.average > 0.0 {
            for (name, moments) in self.adam.moments() {
                tensors.insert(name.to_owned(), moments.average);
            }
        }
        let config = self.template.config().clone();
        Ok(self.template.with_tensors(config, tensors)?)
    }

    /// Writes everything that the run needs to go on, replacing `path` when it is complete.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), TrainError> {
        let tensors = self.model.tensors()?;
        let moments = self.adam.moments();
        let header = state::Header {
            options: self.options.clone(),
            config: self.template.config().clone(),
            step: self.step,
            cursor: self.batches.cursor(),
            progress: self.progress,
        };
        let table = match &self.augmentation {
            Some(augmentation) => Some(augmentation.target_table.flatten_all()?.to_vec1()?),
            None => None,
        };
        let moments = moments.into_iter();
        let state = State {
            header,
            variables: tensors,
            moments: moments.map(|(name, m)| (name.to_owned(), m)).collect(),
            target_table: table,
        };
        state::write(path, &state)
    }

    /// Takes up a run that [`Self::save`] left. `weights` and `pairs` must be those it began with;
    /// its options are those of the file.
    ///
    /// # Errors
    /// When the file cannot be read or belongs to another model.
    pub fn resume(
        path: &Path,
        weights: &Weights,
        pairs: &[Pair],
        teacher: Option<&Weights>,
    ) -> Result<Self, TrainError> {
        let State {
            header,
            variables,
            moments,
            target_table,
        } = state::read(path)?;
        let misfit = |problem: String| TrainError::State {
            path: path.to_owned(),
            problem,
        };
        if header.config != *weights.config() {
            return Err(misfit("the run began with another model".to_owned()));
        }
        let table = match target_table {
            Some(values) => {
                let hidden = header.config.hidden_size;
                let shape = (values.len() / hidden, hidden);
                Some(Tensor::from_vec(values, shape, &candle_core::Device::Cpu)?)
            }
            None => None,
        };
        let current = weights.with_tensors(header.config, variables)?;
        let mut trainer = Self::new(&current, pairs, header.options, table, teacher)?;
        trainer
            .adam
            .restore(moments)
            .map_err(|name| misfit(format!("the moments of {name} do not fit")))?;
        let (tokens, seed) = (trainer.options.batch_tokens, trainer.options.seed);
        trainer.batches = Batches::new(pairs, tokens, seed, header.cursor);
        trainer.step = header.step;
        trainer.progress = header.progress;
        Ok(trainer)
    }
}

/// Names with values of equal length to their shape.
pub(super) type Named = BTreeMap<String, Vec<f32>>;
