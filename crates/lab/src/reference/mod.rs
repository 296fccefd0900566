//! The network in f32 with gradients: what training and distillation work on, and an independent
//! check of the engine.
//!
//! [`ReferenceModel`] computes batches padded to their longest sentence, as the original graph
//! does. Its parameters are candle variables in a [`VarMap`] under TensorFlow's names without
//! `NmtModel/`; [`ReferenceModel::write`] puts them back into a checkpoint.
//!
//! ```no_run
//! use candle_nn::{AdamW, Optimizer, ParamsAdamW, loss};
//! use csanmt_lab::reference::ReferenceModel;
//!
//! let model = ReferenceModel::from_checkpoint("models/zh2en".as_ref())?;
//! let mut optimizer = AdamW::new(model.trained_variables(), ParamsAdamW::default())?;
//! let encoded = model.encode(&[[5, 6, 7]])?;
//! let logits = model.decode_forced(&encoded, &[[8, 9]])?;
//! let labels = candle_core::Tensor::new(&[8u32, 9, 0], logits.device())?;
//! optimizer.backward_step(&loss::cross_entropy(&logits.squeeze(0)?, &labels)?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attention;
mod batch;
mod decoder;
mod encoder;
mod error;
mod linear;
mod norm;
mod observe;
mod position;
mod rounding;
mod semantic;
mod variables;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use candle_core::{DType, Tensor, Var};
use candle_nn::VarMap;
use csanmt_format::{ModelConfig, ModelFile, Position};

use crate::checkpoint::CheckpointWriter;
use crate::weights::Weights;
use batch::Batch;
use decoder::Decoder;
use encoder::Encoder;
pub use error::ReferenceError;
use linear::{Embedding, OutputLayer};
pub use observe::{Inputs, Observations};
use semantic::SemanticEncoder;
use variables::Scope;
pub use variables::trained_originally;

/// The f32 network.
#[derive(Clone)]
pub struct ReferenceModel {
    config: ModelConfig,
    variables: VarMap,
    trained: Vec<String>,
    layers: Layers,
}

/// Encoded sentences; B sentences of at most T ids.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Encoder output `[B, T + 1, H]`: each sentence ends with the end mark; padding behind it
    /// holds numbers that mean nothing. `[B, 0, H]` when all sentences are empty.
    pub output: Tensor,
    /// `[B, T + 1]`, 1 where there is a token and 0 where there is padding.
    pub mask: Tensor,
    /// Semantic vectors `[B, H]`.
    pub semantic: Tensor,
}

/// The parts with the tensors they compute on.
#[derive(Clone, Debug)]
struct Layers {
    source: Embedding,
    target: Embedding,
    /// On the target embedding when they are tied.
    output: OutputLayer,
    encoder: Encoder,
    semantic: SemanticEncoder,
    decoder: Decoder,
}

impl Layers {
    fn new(config: &ModelConfig, root: &Scope<'_>) -> Result<Self, ReferenceError> {
        let (source, target, semantic) = if config.shared_source_target_embedding {
            let shared = "Shared_Embedding/Weights";
            (shared, shared, "Shared_Semantic_Embedding/Weights")
        } else {
            (
                "Source_Embedding/Weights",
                "Target_Embedding/Weights",
                "Source_Semantic_Embedding/Weights",
            )
        };
        let output_table = if config.shared_embedding_and_softmax_weights {
            target
        } else {
            "Softmax"
        };
        Ok(Self {
            source: Embedding::new(root.tensor(source)?),
            target: Embedding::new(root.tensor(target)?),
            output: OutputLayer::new(root.tensor(output_table)?, root.is_quantized()),
            encoder: Encoder::new(config, root)?,
            semantic: SemanticEncoder::new(config, root, root.tensor(semantic)?)?,
            decoder: Decoder::new(config, root)?,
        })
    }
}

impl ReferenceModel {
    /// A network with these variables, which stay shared with the map. As in the original,
    /// semantic embeddings and semantic encoder are not trained; see [`Self::train_where`].
    ///
    /// # Errors
    /// When the configuration is wrong, or a variable is missing or has another type or shape.
    pub fn new(config: ModelConfig, variables: VarMap) -> Result<Self, ReferenceError> {
        config.validate()?;
        let names = variables::check(&config, &variables)?;
        let trained: Vec<String> = names
            .into_iter()
            .filter(|name| trained_originally(name))
            .collect();
        let layers = Layers::new(&config, &Scope::root(&variables, &trained))?;
        Ok(Self {
            config,
            variables,
            trained,
            layers,
        })
    }

    /// The network of an f32 model file.
    ///
    /// # Errors
    /// When the file is quantised, or a tensor is missing or has another shape.
    pub fn from_file(file: &ModelFile) -> Result<Self, ReferenceError> {
        Self::new(file.config().clone(), variables::of_file(file)?)
    }

    /// The network of a ModelScope directory: `configuration.json` and the newest checkpoint in
    /// `tf_ckpts/`.
    ///
    /// # Errors
    /// When either is missing, damaged, or does not fit the other.
    pub fn from_checkpoint(model_dir: &Path) -> Result<Self, ReferenceError> {
        let (config, variables) = variables::of_checkpoint(model_dir)?;
        Self::new(config, variables)
    }

    /// The network of weights in memory, which are copied.
    ///
    /// # Errors
    /// When candle fails.
    pub fn from_weights(weights: &Weights) -> Result<Self, ReferenceError> {
        let variables = variables::of_weights(weights)?;
        Self::new(weights.config().clone(), variables)
    }

    /// Copies of all variables by name.
    ///
    /// # Errors
    /// When candle fails.
    pub fn tensors(&self) -> Result<BTreeMap<String, Vec<f32>>, ReferenceError> {
        let map = variables::lock(&self.variables);
        let list = csanmt_format::layout::variables(&self.config);
        let values = list.into_iter().filter_map(|variable| {
            let values = map.get(&variable.name)?;
            let values = values.flatten_all().and_then(|values| values.to_vec1());
            Some(values.map(|values| (variable.name, values)))
        });
        Ok(values.collect::<candle_core::Result<_>>()?)
    }

    /// The same network with linear layers that compute as they will in int8: weights rounded to
    /// steps of their output, inputs to seven bits of their row. Gradients pass the rounding by.
    ///
    /// # Errors
    /// When candle fails.
    pub fn quantized(self) -> Result<Self, ReferenceError> {
        let scope = Scope::root(&self.variables, &self.trained).quantized();
        let layers = Layers::new(&self.config, &scope)?;
        Ok(Self { layers, ..self })
    }

    /// The same network, which tells what its linear layers read.
    ///
    /// # Errors
    /// When candle fails.
    pub fn observed(self, observations: &Observations) -> Result<Self, ReferenceError> {
        let scope = Scope::root(&self.variables, &[]).observed(observations);
        let layers = Layers::new(&self.config, &scope)?;
        Ok(Self { layers, ..self })
    }

    /// The same variables, of which those with the chosen names are trained. The others are
    /// constants: no gradients are computed for them, nor through parts that hold nothing else.
    ///
    /// # Errors
    /// When candle fails.
    pub fn train_where(self, choose: impl Fn(&str) -> bool) -> Result<Self, ReferenceError> {
        let names = csanmt_format::layout::variables(&self.config);
        let trained = names.into_iter().map(|variable| variable.name);
        let trained: Vec<String> = trained.filter(|name| choose(name)).collect();
        let layers = Layers::new(&self.config, &Scope::root(&self.variables, &trained))?;
        Ok(Self {
            trained,
            layers,
            ..self
        })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// All variables by name.
    #[must_use]
    pub fn variables(&self) -> &VarMap {
        &self.variables
    }

    /// Names of the trained variables, in the order of [`csanmt_format::layout::variables`].
    #[must_use]
    pub fn trained_names(&self) -> &[String] {
        &self.trained
    }

    /// The trained variables, for an optimiser, in the order of [`Self::trained_names`].
    #[must_use]
    pub fn trained_variables(&self) -> Vec<Var> {
        let map = variables::lock(&self.variables);
        let trained = self.trained.iter().filter_map(|name| map.get(name));
        trained.cloned().collect()
    }

    /// Adds all variables to a checkpoint, under TensorFlow's names.
    ///
    /// # Errors
    /// When the checkpoint cannot be written.
    pub fn write(&self, checkpoint: &mut CheckpointWriter) -> Result<(), ReferenceError> {
        variables::write(&self.config, &self.variables, checkpoint)
    }

    /// Encodes a batch of source sentences, ids without end mark or padding.
    ///
    /// # Errors
    /// When there is no sentence or an id is outside the vocabulary.
    pub fn encode<S: AsRef<[u32]>>(&self, sentences: &[S]) -> Result<Encoded, ReferenceError> {
        let batch = Batch::source(sentences, self.config.src_vocab_size)?;
        let mut x = self.layers.source.scaled(&batch.ids)?;
        if self.config.position == Position::Absolute && batch.width > 0 {
            x = x.broadcast_add(&position::timing(batch.width, self.config.hidden_size)?)?;
        }
        Ok(Encoded {
            output: self.layers.encoder.encode(&x, &batch.mask)?,
            semantic: self.layers.semantic.encode(&batch)?,
            mask: batch.mask,
        })
    }

    /// Semantic vectors `[B, H]` of source sentences.
    ///
    /// # Errors
    /// When there is no sentence or an id is outside the vocabulary.
    pub fn source_vectors<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
    ) -> Result<Tensor, ReferenceError> {
        let batch = Batch::source(sentences, self.config.src_vocab_size)?;
        Ok(self.layers.semantic.encode(&batch)?)
    }

    /// Semantic vectors `[B, H]` of target sentences, whose tokens have the vectors of `table`,
    /// `[V, H]`.
    ///
    /// # Errors
    /// When there is no sentence or an id is outside the table.
    pub fn semantic_vectors<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        table: &Tensor,
    ) -> Result<Tensor, ReferenceError> {
        let batch = Batch::source(sentences, table.dim(0)?)?;
        Ok(self.layers.semantic.encode_with(&batch, table)?)
    }

    /// The semantic embedding that source and target share, when they do.
    #[must_use]
    pub fn shared_semantic_table(&self) -> Option<Tensor> {
        let shared = self.config.shared_source_target_embedding;
        shared.then(|| self.layers.semantic.table())
    }

    /// Logits `[B, n + 1, V]` of given targets, one for each encoded sentence, where n is the
    /// length of the longest: position t has seen the encoded sentence and the t tokens before it.
    /// A shorter target is padded with id 0; its positions beyond its own length + 1 mean nothing.
    ///
    /// # Errors
    /// When the number of targets is not that of sentences or an id is outside the vocabulary.
    pub fn decode_forced<T: AsRef<[u32]>>(
        &self,
        encoded: &Encoded,
        targets: &[T],
    ) -> Result<Tensor, ReferenceError> {
        let sentences = encoded.output.dim(0)?;
        if targets.len() != sentences {
            return Err(ReferenceError::Targets {
                targets: targets.len(),
                sentences,
            });
        }
        let batch = Batch::target(targets, self.config.trg_vocab_size)?;
        let hidden = self.config.hidden_size;
        // Position 0 has no token before it: the zero vector.
        let start = Tensor::zeros((sentences, 1, hidden), DType::F32, batch.ids.device())?;
        let mut x = if batch.width == 0 {
            start
        } else {
            Tensor::cat(&[&start, &self.layers.target.scaled(&batch.ids)?], 1)?
        };
        if self.config.position == Position::Absolute {
            x = x.broadcast_add(&position::timing(batch.width + 1, hidden)?)?;
        }
        let states = self.layers.decoder.decode(&x, encoded)?;
        Ok(self.layers.output.forward(&states)?)
    }
}

impl fmt::Debug for ReferenceModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferenceModel")
            .field("config", &self.config)
            .field("trained", &self.trained.len())
            .finish_non_exhaustive()
    }
}
