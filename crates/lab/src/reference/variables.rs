//! The network's variables: from model files and checkpoints, into checkpoints, and to the layers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{MutexGuard, PoisonError};

use candle_core::{DType, Device, Tensor, Var};
use candle_nn::VarMap;
use csanmt_format::layout;
use csanmt_format::{ModelConfig, ModelFile, Quantization};

use super::error::ReferenceError;
use super::observe::Observations;
use crate::checkpoint::{Checkpoint, CheckpointWriter};
use crate::convert::{SCOPE, configuration};
use crate::weights::Weights;

/// Whether the original's trainer changes the variable of this name. It keeps semantic embeddings
/// and semantic encoder as they are.
#[must_use]
pub fn trained_originally(name: &str) -> bool {
    !name.contains("Semantic_Embedding") && !name.contains("mini_xlm_encoder")
}

/// The map behind its lock. A panic elsewhere cannot leave it half changed.
pub(super) fn lock(variables: &VarMap) -> MutexGuard<'_, HashMap<String, Var>> {
    variables
        .data()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// The f32 tensors of a model file.
pub(super) fn of_file(file: &ModelFile) -> Result<VarMap, ReferenceError> {
    if file.quantization() != Quantization::F32 {
        return Err(ReferenceError::Quantized);
    }
    file.check_variables()?;
    let variables = VarMap::new();
    for layout::Variable { name, shape, .. } in layout::variables(file.config()) {
        let weights = file.f32(&name, &shape)?;
        let variable = Var::from_slice(&weights, &shape[..], &Device::Cpu)?;
        lock(&variables).insert(name, variable);
    }
    Ok(variables)
}

/// Copies of weights in memory.
pub(super) fn of_weights(weights: &Weights) -> Result<VarMap, ReferenceError> {
    let variables = VarMap::new();
    for layout::Variable { name, shape, .. } in layout::variables(weights.config()) {
        let variable = Var::from_slice(weights.tensor(&name), &shape[..], &Device::Cpu)?;
        lock(&variables).insert(name, variable);
    }
    Ok(variables)
}

/// Configuration and newest checkpoint of a ModelScope directory.
pub(super) fn of_checkpoint(model_dir: &Path) -> Result<(ModelConfig, VarMap), ReferenceError> {
    let config = configuration::read(&model_dir.join("configuration.json"))?.model;
    let mut checkpoint = Checkpoint::open(&model_dir.join("tf_ckpts"))?;
    let list = layout::variables(&config);
    let names: Vec<String> = list.iter().map(|v| format!("{SCOPE}{}", v.name)).collect();
    checkpoint.check(
        names
            .iter()
            .zip(&list)
            .map(|(name, v)| (&name[..], &v.shape[..])),
    )?;
    let variables = VarMap::new();
    for (full, layout::Variable { name, shape, .. }) in names.iter().zip(list) {
        let mut weights = Vec::new();
        checkpoint.read(full, &shape, &mut weights)?;
        let variable = Var::from_vec(weights, &shape[..], &Device::Cpu)?;
        lock(&variables).insert(name, variable);
    }
    Ok((config, variables))
}

/// Checks that every variable of the configuration is there and gives their names.
pub(super) fn check(
    config: &ModelConfig,
    variables: &VarMap,
) -> Result<Vec<String>, ReferenceError> {
    let map = lock(variables);
    let mut names = Vec::new();
    for layout::Variable { name, shape, .. } in layout::variables(config) {
        let Some(variable) = map.get(&name) else {
            return Err(ReferenceError::Missing { name, shape });
        };
        if variable.dtype() != DType::F32 || variable.dims() != shape {
            let found = format!("{:?} {:?}", variable.dtype(), variable.dims());
            let expected = format!("{:?} {shape:?}", DType::F32);
            return Err(ReferenceError::Misfit {
                name,
                found,
                expected,
            });
        }
        names.push(name);
    }
    Ok(names)
}

/// Writes every variable of the configuration.
pub(super) fn write(
    config: &ModelConfig,
    variables: &VarMap,
    checkpoint: &mut CheckpointWriter,
) -> Result<(), ReferenceError> {
    let map = lock(variables);
    for layout::Variable { name, shape, .. } in layout::variables(config) {
        let Some(variable) = map.get(&name) else {
            return Err(ReferenceError::Missing { name, shape });
        };
        let weights: Vec<f32> = variable.flatten_all()?.to_vec1()?;
        checkpoint.float(&format!("{SCOPE}{name}"), &shape, &weights)?;
    }
    Ok(())
}

/// A place in the tree of names, from which layers take their tensors.
pub(super) struct Scope<'a> {
    variables: &'a VarMap,
    trained: &'a [String],
    path: String,
    /// Linear layers compute as in int8.
    quantized: bool,
    /// Told what linear layers read.
    observations: Option<&'a Observations>,
}

impl<'a> Scope<'a> {
    pub(super) fn root(variables: &'a VarMap, trained: &'a [String]) -> Self {
        Self {
            variables,
            trained,
            path: String::new(),
            quantized: false,
            observations: None,
        }
    }

    pub(super) fn quantized(self) -> Self {
        Self {
            quantized: true,
            ..self
        }
    }

    pub(super) fn observed(self, observations: &'a Observations) -> Self {
        Self {
            observations: Some(observations),
            ..self
        }
    }

    /// The full name of `name` with what is told of it.
    pub(super) fn observations(&self, name: &str) -> Option<(String, Observations)> {
        let observations = self.observations?.clone();
        Some((format!("{}{name}", self.path), observations))
    }

    pub(super) fn is_quantized(&self) -> bool {
        self.quantized
    }

    /// The scope `name` below this one.
    pub(super) fn enter(&self, name: &str) -> Self {
        Self {
            path: format!("{}{name}/", self.path),
            ..*self
        }
    }

    /// The variable `name`. Unless it is trained, a constant over the same storage, so that
    /// gradients end there.
    pub(super) fn tensor(&self, name: &str) -> Result<Tensor, ReferenceError> {
        let name = format!("{}{name}", self.path);
        let map = lock(self.variables);
        let Some(variable) = map.get(&name) else {
            let shape = Vec::new();
            return Err(ReferenceError::Missing { name, shape });
        };
        Ok(if self.trained.contains(&name) {
            variable.as_tensor().clone()
        } else {
            variable.as_detached_tensor()
        })
    }
}
