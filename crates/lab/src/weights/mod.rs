//! An f32 model in memory: what pruning, training and quantisation work on.

mod error;
mod write;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use csanmt_format::layout::{Stage, Variable, variables};
use csanmt_format::{
    AlignedBytes, ModelConfig, ModelFile, Quantization, SEGMENTATION_DICTIONARY, SHORTLIST,
    SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB,
};

pub use error::WeightsError;
pub use write::{Clip, Packing};

/// Configuration, f32 variables and texts of a model.
#[derive(Clone, Debug)]
pub struct Weights {
    config: ModelConfig,
    tensors: BTreeMap<String, Vec<f32>>,
    texts: BTreeMap<&'static str, Vec<u8>>,
    /// Where the weights come from; every tool adds what it did.
    provenance: serde_json::Map<String, serde_json::Value>,
    license: Option<String>,
}

/// Texts of a model file, the dictionary last.
const TEXTS: [&str; 6] = [
    SRC_VOCAB,
    TRG_VOCAB,
    SRC_BPE,
    TRG_BPE,
    SHORTLIST,
    SEGMENTATION_DICTIONARY,
];

impl Weights {
    /// Reads an f32 model file.
    ///
    /// # Errors
    /// When it cannot be read, is no model file, or is quantised.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        let bytes = std::fs::read(path).map_err(|source| WeightsError::Io {
            path: path.to_owned(),
            source,
        })?;
        let named = |source| WeightsError::Format {
            path: path.to_owned(),
            source,
        };
        let file = ModelFile::parse(Arc::new(AlignedBytes::from(&bytes[..]))).map_err(named)?;
        drop(bytes);
        if file.quantization() != Quantization::F32 {
            return Err(WeightsError::Quantized {
                path: path.to_owned(),
                found: file.quantization().name(),
            });
        }
        Self::of_file(&file).map_err(named)
    }

    fn of_file(file: &ModelFile) -> Result<Self, csanmt_format::FormatError> {
        file.check_variables()?;
        let mut tensors = BTreeMap::new();
        for Variable { name, shape, .. } in variables(file.config()) {
            let values = file.f32(&name, &shape)?.to_vec();
            tensors.insert(name, values);
        }
        let mut texts = BTreeMap::new();
        for name in TEXTS.into_iter().filter(|name| file.has(name)) {
            texts.insert(name, file.text(name)?);
        }
        let provenance = file.provenance().and_then(|text| {
            let json: serde_json::Value = serde_json::from_str(text).ok()?;
            json.as_object().cloned()
        });
        Ok(Self {
            config: file.config().clone(),
            tensors,
            texts,
            provenance: provenance.unwrap_or_default(),
            license: file.license().map(str::to_owned),
        })
    }

    /// A model of these variables and texts.
    ///
    /// # Errors
    /// When a variable of the configuration is missing or has another size.
    pub fn new(
        config: ModelConfig,
        tensors: BTreeMap<String, Vec<f32>>,
        texts: BTreeMap<&'static str, Vec<u8>>,
    ) -> Result<Self, WeightsError> {
        let weights = Self {
            config,
            tensors,
            texts,
            provenance: serde_json::Map::new(),
            license: None,
        };
        weights.check()?;
        Ok(weights)
    }

    /// The same texts and origin with other variables.
    ///
    /// # Errors
    /// When a variable of the configuration is missing or has another size.
    pub fn with_tensors(
        &self,
        config: ModelConfig,
        tensors: BTreeMap<String, Vec<f32>>,
    ) -> Result<Self, WeightsError> {
        let weights = Self {
            config,
            tensors,
            ..self.clone_without_tensors()
        };
        weights.check()?;
        Ok(weights)
    }

    fn clone_without_tensors(&self) -> Self {
        Self {
            config: self.config.clone(),
            tensors: BTreeMap::new(),
            texts: self.texts.clone(),
            provenance: self.provenance.clone(),
            license: self.license.clone(),
        }
    }

    fn check(&self) -> Result<(), WeightsError> {
        self.config.validate()?;
        for variable in variables(&self.config) {
            let found = self.tensors.get(&variable.name).map(Vec::len);
            if found.map(|len| len as u64) != Some(variable.parameters()) {
                return Err(WeightsError::Variable {
                    name: variable.name,
                    shape: variable.shape,
                    found,
                });
            }
        }
        Ok(())
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// All variables by name.
    #[must_use]
    pub fn tensors(&self) -> &BTreeMap<String, Vec<f32>> {
        &self.tensors
    }

    /// The variables, to be changed in place; their sizes stay.
    pub fn tensors_mut(&mut self) -> impl Iterator<Item = (&str, &mut [f32])> {
        let pairs = self.tensors.iter_mut();
        pairs.map(|(name, values)| (name.as_str(), &mut values[..]))
    }

    /// A variable of the configuration.
    ///
    /// # Panics
    /// When the configuration has none of that name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> &[f32] {
        match self.tensors.get(name) {
            Some(values) => values,
            None => panic!("the configuration has no variable {name}"),
        }
    }

    /// A text of the model.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&[u8]> {
        self.texts.get(name).map(Vec::as_slice)
    }

    /// The same without a shortlist: all target tokens are candidates.
    #[must_use]
    pub fn without_shortlist(&self) -> Self {
        let mut weights = self.clone();
        weights.texts.remove(SHORTLIST);
        weights
    }

    /// Sets the merge rules of the target, which training needs.
    pub fn set_target_codes(&mut self, codes: Vec<u8>) {
        self.set_text(TRG_BPE, codes);
    }

    /// The same without the merge rules of the target, which only training reads.
    #[must_use]
    pub fn without_target_codes(&self) -> Self {
        let mut weights = self.clone();
        weights.texts.remove(TRG_BPE);
        weights
    }

    /// Sets a text of the model.
    pub fn set_text(&mut self, name: &'static str, text: Vec<u8>) {
        self.texts.insert(name, text);
    }

    /// Notes what was done to the weights.
    pub fn note(&mut self, key: &str, value: serde_json::Value) {
        self.provenance.insert(key.to_owned(), value);
    }

    /// Licence of the weights.
    pub fn set_license(&mut self, license: String) {
        self.license = Some(license);
    }

    /// Numbers of trained weights.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        Parameters::of(&self.config)
    }
}

/// Numbers of trained weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Parameters {
    /// All.
    pub all: u64,
    /// Without embedding and output tables.
    pub without_tables: u64,
}

impl Parameters {
    /// Those of a configuration.
    #[must_use]
    pub fn of(config: &ModelConfig) -> Self {
        let list = variables(config);
        let sum = |list: &mut dyn Iterator<Item = &Variable>| list.map(Variable::parameters).sum();
        Self {
            all: sum(&mut list.iter()),
            without_tables: sum(&mut list.iter().filter(|v| v.stage != Stage::Tables)),
        }
    }
}
