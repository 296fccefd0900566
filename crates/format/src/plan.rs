//! What a new model file will hold, in which order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::config::{ModelConfig, Precision, Quantization};
use crate::error::{FormatError, WriteError};
use crate::layout::{Role, Variable, variables};
use crate::tensor::{ElementType, TensorSpec};
use crate::text::deflate;
use crate::{
    META_CONFIG, META_DEFLATED, META_LICENSE, META_PROVENANCE, META_QUANTIZATION, META_VERSION,
    SEGMENTATION_DICTIONARY, VERSION,
};

/// Name of the bytes that align F32 data behind I8 tables of odd size.
pub(crate) const PADDING: &str = "padding";

/// The contents of a new model file: everything but the numbers of its variables.
#[derive(Clone, Debug)]
pub struct ModelPlan<'a> {
    config: ModelConfig,
    quantization: Quantization,
    provenance: Option<String>,
    license: Option<String>,
    texts: Vec<Text<'a>>,
    /// Weights kept apart, for each linear layer that has some.
    peaks: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) name: String,
    pub(crate) stored: Cow<'a, [u8]>,
    /// Length before compression.
    deflated_from: Option<usize>,
}

impl<'a> ModelPlan<'a> {
    /// All variables of `config`, no text yet.
    ///
    /// # Errors
    /// When the configuration is not valid.
    pub fn new(config: ModelConfig, quantization: Quantization) -> Result<Self, FormatError> {
        config.validate()?;
        Ok(Self {
            config,
            quantization,
            provenance: None,
            license: None,
            texts: Vec::new(),
            peaks: BTreeMap::new(),
        })
    }

    /// Says that `count` weights of the matrix `name` are kept apart.
    #[must_use]
    pub fn peaks(mut self, name: &str, count: usize) -> Self {
        if count > 0 {
            self.peaks.insert(name.to_owned(), count);
        }
        self
    }

    /// Where the model comes from, as JSON.
    #[must_use]
    pub fn provenance(mut self, json: impl Into<String>) -> Self {
        self.provenance = Some(json.into());
        self
    }

    /// The licence of the weights.
    #[must_use]
    pub fn license(mut self, license: impl Into<String>) -> Self {
        self.license = Some(license.into());
        self
    }

    /// Adds a text, compressed where that makes it smaller.
    #[must_use]
    pub fn text(mut self, name: &str, text: &'a [u8]) -> Self {
        let packed = deflate(text);
        let (stored, deflated_from) = if packed.len() < text.len() {
            (Cow::Owned(packed), Some(text.len()))
        } else {
            (Cow::Borrowed(text), None)
        };
        self.texts.push(Text {
            name: name.to_owned(),
            stored,
            deflated_from,
        });
        self
    }

    /// Adds the segmentation dictionary as it is: it is used where it lies.
    #[must_use]
    pub fn dictionary(mut self, dictionary: &'a [u8]) -> Self {
        self.texts.push(Text {
            name: SEGMENTATION_DICTIONARY.to_owned(),
            stored: Cow::Borrowed(dictionary),
            deflated_from: None,
        });
        self
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// How the variables are stored.
    #[must_use]
    pub fn quantization(&self) -> Quantization {
        self.quantization
    }

    /// The variables in the order in which their main tensors are written.
    #[must_use]
    pub fn variables(&self) -> Vec<Variable> {
        let mut list = variables(&self.config);
        if self.quantization.linears() == Precision::Int8 {
            list.sort_by_key(|variable| match variable.role {
                Role::Linear | Role::OutputTable => 0,
                Role::RowTable => 1,
                Role::Bias | Role::Norm | Role::RelativeTable => 2,
            });
        }
        list
    }

    /// The tensors that hold a variable, the main one first.
    #[must_use]
    pub fn stored(&self, variable: &Variable) -> Vec<TensorSpec> {
        let mut tensors = variable.stored(self.quantization);
        if let Some(&count) = self.peaks.get(&variable.name) {
            tensors.extend(variable.peaks(count));
        }
        tensors
    }

    /// All tensors in the order of the file, with padding and texts.
    ///
    /// # Errors
    /// When the sizes overflow.
    pub fn tensors(&self) -> Result<Vec<TensorSpec>, FormatError> {
        let (mut bytes, mut words, mut halves) = (Vec::new(), Vec::new(), Vec::new());
        for spec in self.variables().iter().flat_map(|v| self.stored(v)) {
            match spec.dtype {
                ElementType::I8 => bytes.push(spec),
                ElementType::F16 => halves.push(spec),
                _ => words.push(spec),
            }
        }
        let mut end = 0usize;
        for spec in &bytes {
            end = spec
                .bytes()
                .and_then(|b| end.checked_add(b))
                .ok_or_else(|| too_large(spec))?;
        }
        let byte_tensor = |name: &str, len| TensorSpec {
            name: name.to_owned(),
            dtype: ElementType::U8,
            shape: vec![len],
        };
        let padding = end.next_multiple_of(4) - end;
        let mut all = bytes;
        if padding > 0 {
            all.push(byte_tensor(PADDING, padding));
        }
        all.extend(words);
        all.extend(halves);
        all.extend(
            self.texts
                .iter()
                .map(|text| byte_tensor(&text.name, text.stored.len())),
        );
        Ok(all)
    }

    pub(crate) fn into_texts(self) -> Vec<Text<'a>> {
        self.texts
    }

    /// The header of the file, length included: a multiple of 64 bytes.
    pub(crate) fn header(&self, tensors: &[TensorSpec]) -> Result<Vec<u8>, WriteError> {
        let broken = |error: serde_json::Error| FormatError::Metadata {
            key: META_CONFIG,
            message: error.to_string(),
        };
        let string = |text: &str| serde_json::to_string(text).map_err(broken);
        let mut metadata = BTreeMap::from([
            (META_VERSION, VERSION.to_owned()),
            (
                META_CONFIG,
                serde_json::to_string(&self.config).map_err(broken)?,
            ),
            (META_QUANTIZATION, self.quantization.name().to_owned()),
        ]);
        if let Some(provenance) = &self.provenance {
            metadata.insert(META_PROVENANCE, provenance.clone());
        }
        if let Some(license) = &self.license {
            metadata.insert(META_LICENSE, license.clone());
        }
        let deflated: BTreeMap<&str, usize> = self
            .texts
            .iter()
            .filter_map(|text| text.deflated_from.map(|len| (&text.name[..], len)))
            .collect();
        if !deflated.is_empty() {
            metadata.insert(
                META_DEFLATED,
                serde_json::to_string(&deflated).map_err(broken)?,
            );
        }

        let metadata = serde_json::to_string(&metadata).map_err(broken)?;
        let mut json = format!("{{\"__metadata__\":{metadata}");
        let mut start = 0usize;
        for spec in tensors {
            let end = spec.bytes().and_then(|bytes| start.checked_add(bytes));
            let end = end.ok_or_else(|| too_large(spec))?;
            let (name, dtype, shape) = (string(&spec.name)?, spec.dtype, &spec.shape);
            // Writing to a string cannot fail.
            let _ = write!(
                json,
                ",{name}:{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data_offsets\":[{start},{end}]}}"
            );
            start = end;
        }
        json.push('}');
        let len = (8 + json.len()).next_multiple_of(64) - 8;
        let mut header = Vec::with_capacity(8 + len);
        header.extend_from_slice(&(len as u64).to_le_bytes());
        header.extend_from_slice(json.as_bytes());
        header.resize(8 + len, b' ');
        Ok(header)
    }
}

fn too_large(spec: &TensorSpec) -> FormatError {
    FormatError::TooLarge {
        name: spec.name.clone(),
        shape: spec.shape.clone(),
    }
}
