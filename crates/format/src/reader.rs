//! Reading a model file in place.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytemuck::AnyBitPattern;
use safetensors::SafeTensors;

use crate::bytes::SharedBytes;
use crate::config::{ModelConfig, Quantization};
use crate::error::FormatError;
use crate::layout::{GROUP, PANEL, packed_shape, variables};
use crate::slab::{Blob, Slab};
use crate::tensor::{ElementType, TensorInfo, TensorSpec};
use crate::text::inflate;
use crate::{
    META_CONFIG, META_DEFLATED, META_LICENSE, META_PROVENANCE, META_QUANTIZATION, META_VERSION,
    VERSION,
};

/// A model file whose header has been checked. Cheap to clone.
#[derive(Clone)]
pub struct ModelFile(Arc<Contents>);

struct Contents {
    bytes: SharedBytes,
    config: ModelConfig,
    quantization: Quantization,
    provenance: Option<String>,
    license: Option<String>,
    /// Length when unpacked, for each compressed text.
    deflated: BTreeMap<String, usize>,
    /// In the order of the file.
    tensors: Vec<TensorInfo>,
    /// Name → place in `tensors`.
    index: BTreeMap<String, usize>,
}

/// Packed int8 weights: `y[n] = Σ_k w[n, k] x[k] · scale[n]`.
#[derive(Clone, Debug)]
pub struct PackedMatrix {
    /// `[ceil(n/16), ceil(k/4), 16, 4]`, zero-padded.
    pub data: Slab<i8>,
    /// `[n]`.
    pub scale: Slab<f32>,
    /// `[n]`: sums of the int8 weights over k.
    pub colsum: Slab<i32>,
    /// Outputs.
    pub n: usize,
    /// Inputs.
    pub k: usize,
}

/// Weights of a linear layer that are kept apart from the packed ones:
/// `y[place[p][0]] += weight[p] · x[place[p][1]]`. See [`crate::int8`].
#[derive(Clone, Debug)]
pub struct Peaks {
    /// `[peaks]`.
    pub weight: Slab<f32>,
    /// `[peaks, 2]`: output below `n` and input below `k`.
    pub place: Slab<i32>,
}

impl PackedMatrix {
    /// The int8 weight between an input and an output.
    ///
    /// # Panics
    /// When `output >= n` or `input >= k`.
    #[must_use]
    pub fn weight(&self, output: usize, input: usize) -> i8 {
        assert!(
            output < self.n && input < self.k,
            "weight ({output}, {input}) is outside"
        );
        let groups = self.k.div_ceil(GROUP);
        let group = (output / PANEL * groups + input / GROUP) * PANEL * GROUP;
        self.data[group + output % PANEL * GROUP + input % GROUP]
    }
}

/// An int8 table with one scale a row.
#[derive(Clone, Debug)]
pub struct QuantizedRowsTable {
    /// `[rows, cols]`.
    pub data: Slab<i8>,
    /// `[rows]`.
    pub scale: Slab<f32>,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
}

impl ModelFile {
    /// Checks header, metadata and configuration. Reads no tensor data.
    ///
    /// # Errors
    /// When the bytes are not a complete model file of a known version.
    pub fn parse(bytes: SharedBytes) -> Result<Self, FormatError> {
        let whole: &[u8] = (*bytes).as_ref();
        let (header, metadata) = SafeTensors::read_metadata(whole)
            .map_err(|error| FormatError::Header(error.to_string()))?;
        let entries = metadata.metadata().as_ref();
        let optional = |key: &str| entries.and_then(|e| e.get(key)).map(String::as_str);
        let required =
            |key: &'static str| optional(key).ok_or(FormatError::MissingMetadata { key });

        let version = required(META_VERSION)?;
        if version != VERSION {
            return Err(FormatError::Version {
                found: version.to_owned(),
                expected: VERSION,
            });
        }
        let config: ModelConfig = json(META_CONFIG, required(META_CONFIG)?)?;
        config.validate()?;
        let found = required(META_QUANTIZATION)?;
        let known = Quantization::ALL.into_iter().find(|q| q.name() == found);
        let quantization = known.ok_or_else(|| FormatError::Metadata {
            key: META_QUANTIZATION,
            message: format!(
                "{found:?}, expected one of {:?}",
                Quantization::ALL.map(Quantization::name)
            ),
        })?;
        let deflated = match optional(META_DEFLATED) {
            Some(text) => json(META_DEFLATED, text)?,
            None => BTreeMap::new(),
        };

        let start = header + 8;
        let mut tensors = Vec::new();
        for (name, info) in metadata.tensors() {
            let Some(dtype) = ElementType::from_safetensors(info.dtype) else {
                let found = format!("{:?}", info.dtype);
                return Err(FormatError::UnknownElementType { name, found });
            };
            let (from, to) = info.data_offsets;
            let range = start + from..start + to;
            tensors.push(TensorInfo {
                name,
                dtype,
                shape: info.shape.clone(),
                range,
            });
        }
        tensors.sort_by(|a, b| {
            (a.range.start, a.range.end, &a.name).cmp(&(b.range.start, b.range.end, &b.name))
        });
        let index = tensors
            .iter()
            .enumerate()
            .map(|(i, t)| (t.name.clone(), i))
            .collect();
        let provenance = optional(META_PROVENANCE).map(str::to_owned);
        let license = optional(META_LICENSE).map(str::to_owned);
        Ok(Self(Arc::new(Contents {
            config,
            quantization,
            provenance,
            license,
            deflated,
            tensors,
            index,
            bytes,
        })))
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.0.config
    }

    /// How the weights are stored.
    #[must_use]
    pub fn quantization(&self) -> Quantization {
        self.0.quantization
    }

    /// Where the model came from, as JSON.
    #[must_use]
    pub fn provenance(&self) -> Option<&str> {
        self.0.provenance.as_deref()
    }

    /// Its licence.
    #[must_use]
    pub fn license(&self) -> Option<&str> {
        self.0.license.as_deref()
    }

    /// All bytes of the file.
    #[must_use]
    pub fn file_bytes(&self) -> &[u8] {
        (*self.0.bytes).as_ref()
    }

    /// All tensors in the order of the file.
    pub fn tensors(&self) -> impl ExactSizeIterator<Item = &TensorInfo> {
        self.0.tensors.iter()
    }

    /// Whether there is a tensor of that name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.index.contains_key(name)
    }

    /// Checks that every variable of the configuration is there in the right type and shape.
    ///
    /// # Errors
    /// All missing tensors at once, or the first one that does not fit.
    pub fn check_variables(&self) -> Result<(), FormatError> {
        let mut missing = Vec::new();
        for variable in variables(self.config()) {
            for TensorSpec { name, dtype, shape } in variable.stored(self.quantization()) {
                match self.tensor(&name, dtype, Some(&shape)) {
                    Ok(_) => {}
                    Err(FormatError::MissingTensor { name, .. }) => missing.push(name),
                    Err(error) => return Err(error),
                }
            }
        }
        if missing.is_empty() {
            Ok(())
        } else {
            Err(FormatError::MissingTensors(missing))
        }
    }

    /// An F32 tensor.
    ///
    /// # Errors
    /// When it is missing, has another type or shape, or is misaligned.
    pub fn f32(&self, name: &str, shape: &[usize]) -> Result<Slab<f32>, FormatError> {
        self.slab(name, ElementType::F32, Some(shape))
    }

    /// The bits of an F16 tensor.
    ///
    /// # Errors
    /// When it is missing, has another type or shape, or is misaligned.
    pub fn f16(&self, name: &str, shape: &[usize]) -> Result<Slab<u16>, FormatError> {
        self.slab(name, ElementType::F16, Some(shape))
    }

    /// An I8 tensor.
    ///
    /// # Errors
    /// When it is missing or has another type or shape.
    pub fn i8(&self, name: &str, shape: &[usize]) -> Result<Slab<i8>, FormatError> {
        self.slab(name, ElementType::I8, Some(shape))
    }

    /// An I32 tensor.
    ///
    /// # Errors
    /// When it is missing, has another type or shape, or is misaligned.
    pub fn i32(&self, name: &str, shape: &[usize]) -> Result<Slab<i32>, FormatError> {
        self.slab(name, ElementType::I32, Some(shape))
    }

    /// A U8 tensor as it is stored.
    ///
    /// # Errors
    /// When it is missing or has another type.
    pub fn bytes(&self, name: &str) -> Result<Blob, FormatError> {
        self.slab(name, ElementType::U8, None).map(Blob)
    }

    /// A text, unpacked when it is stored compressed.
    ///
    /// # Errors
    /// When it is missing, has another type, or does not unpack to its recorded length.
    pub fn text(&self, name: &str) -> Result<Vec<u8>, FormatError> {
        let stored = self.bytes(name)?;
        match self.0.deflated.get(name) {
            Some(&len) => inflate(name, &stored, len),
            None => Ok(stored.to_vec()),
        }
    }

    /// Packed int8 weights with K inputs and N outputs: `NAME`, `NAME.scale`, `NAME.colsum`.
    ///
    /// # Errors
    /// When one is missing, has another type or shape, or is misaligned.
    pub fn packed(&self, name: &str, k: usize, n: usize) -> Result<PackedMatrix, FormatError> {
        Ok(PackedMatrix {
            data: self.i8(name, &packed_shape(k, n))?,
            scale: self.f32(&format!("{name}.scale"), &[n])?,
            colsum: self.i32(&format!("{name}.colsum"), &[n])?,
            n,
            k,
        })
    }

    /// The peaks of a linear layer with K inputs and N outputs, `NAME.peak` and `NAME.peak_place`;
    /// `None` when the file has none.
    ///
    /// # Errors
    /// When they have another type or shape, or name a place outside the matrix.
    pub fn peaks(&self, name: &str, k: usize, n: usize) -> Result<Option<Peaks>, FormatError> {
        let weight_name = format!("{name}.peak");
        if !self.has(&weight_name) {
            return Ok(None);
        }
        let weight: Slab<f32> = self.slab(&weight_name, ElementType::F32, None)?;
        let place_name = format!("{name}.peak_place");
        let place = self.i32(&place_name, &[weight.len(), 2])?;
        let inside = |place: i32, limit| usize::try_from(place).is_ok_and(|place| place < limit);
        match place
            .chunks_exact(2)
            .find(|at| !(inside(at[0], n) && inside(at[1], k)))
        {
            Some(at) => Err(FormatError::PeakPlace {
                name: place_name,
                found: [at[0], at[1]],
                outputs: n,
                inputs: k,
            }),
            None => Ok(Some(Peaks { weight, place })),
        }
    }

    /// An int8 table `[rows, cols]`: `NAME` and `NAME.scale`.
    ///
    /// # Errors
    /// When one is missing, has another type or shape, or is misaligned.
    pub fn rows(
        &self,
        name: &str,
        rows: usize,
        cols: usize,
    ) -> Result<QuantizedRowsTable, FormatError> {
        Ok(QuantizedRowsTable {
            data: self.i8(name, &[rows, cols])?,
            scale: self.f32(&format!("{name}.scale"), &[rows])?,
            rows,
            cols,
        })
    }

    fn slab<T: AnyBitPattern>(
        &self,
        name: &str,
        dtype: ElementType,
        shape: Option<&[usize]>,
    ) -> Result<Slab<T>, FormatError> {
        let range = self.tensor(name, dtype, shape)?.range.clone();
        let offset = range.start;
        Slab::new(self.0.bytes.clone(), range).ok_or_else(|| FormatError::Misaligned {
            name: name.to_owned(),
            dtype,
            offset,
        })
    }

    fn tensor(
        &self,
        name: &str,
        dtype: ElementType,
        shape: Option<&[usize]>,
    ) -> Result<&TensorInfo, FormatError> {
        let Some(&place) = self.0.index.get(name) else {
            let shape = shape.unwrap_or_default().to_vec();
            return Err(FormatError::MissingTensor {
                name: name.to_owned(),
                expected: dtype,
                shape,
            });
        };
        let info = &self.0.tensors[place];
        if info.dtype != dtype {
            return Err(FormatError::WrongElementType {
                name: name.to_owned(),
                expected: dtype,
                found: info.dtype,
            });
        }
        match shape {
            Some(expected) if expected != info.shape => Err(FormatError::WrongShape {
                name: name.to_owned(),
                expected: expected.to_vec(),
                found: info.shape.clone(),
            }),
            _ => Ok(info),
        }
    }
}

fn json<T: serde::de::DeserializeOwned>(key: &'static str, text: &str) -> Result<T, FormatError> {
    serde_json::from_str(text).map_err(|error| FormatError::Metadata {
        key,
        message: error.to_string(),
    })
}

impl fmt::Debug for ModelFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelFile")
            .field("config", self.config())
            .field("quantization", &self.quantization())
            .field("tensors", &self.0.tensors.len())
            .finish_non_exhaustive()
    }
}
