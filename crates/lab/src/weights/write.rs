//! Weights as a model file.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Write;
use std::path::Path;

use csanmt_format::int8::{
    Companions, Order, PackError, Peak, pack_with_scale, quantize_row, take_peaks,
};
use csanmt_format::layout::{Role, Variable, variables};
use csanmt_format::{
    ElementType, ModelPlan, ModelWriter, Precision, Quantization, SEGMENTATION_DICTIONARY,
    f16_of_f32,
};

use super::{Weights, WeightsError};
use crate::convert::Output;

/// How large weights of an output of a linear layer are cut off before they are rounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Largest weight that is representable, as a share of the largest of its output, for every
    /// output of the linear layers that are listed by name; 1 elsewhere.
    pub shares: BTreeMap<String, Vec<f32>>,
}

/// How a model is stored.
#[derive(Clone, Debug)]
pub struct Packing {
    /// Element types.
    pub quantization: Quantization,
    /// Weights that are cut off.
    pub clip: Clip,
}

impl From<Quantization> for Packing {
    fn from(quantization: Quantization) -> Self {
        Self {
            quantization,
            clip: Clip::default(),
        }
    }
}

/// The tensors of a packed matrix.
pub(crate) struct Packed {
    pub(crate) data: Vec<i8>,
    pub(crate) companions: Companions,
    pub(crate) peaks: Vec<Peak>,
}

impl Weights {
    /// Writes a model file, which replaces `path` only when it is complete, and gives its length.
    ///
    /// # Errors
    /// When a weight is not finite or the file cannot be written.
    pub fn save(&self, path: &Path, packing: &Packing) -> Result<u64, WeightsError> {
        let io = |source| WeightsError::Io {
            path: path.to_owned(),
            source,
        };
        let output = Output::create(path).map_err(io)?;
        self.write(output, packing)?.commit().map_err(io)
    }

    /// The model file in memory, for the engine.
    ///
    /// # Errors
    /// When a weight is not finite.
    pub fn to_bytes(&self, packing: &Packing) -> Result<Vec<u8>, WeightsError> {
        self.write(Vec::new(), packing)
    }

    fn write<W: Write>(&self, out: W, packing: &Packing) -> Result<W, WeightsError> {
        let quantization = packing.quantization;
        let mut plan = ModelPlan::new(self.config.clone(), quantization)?;
        let provenance = serde_json::Value::Object(self.provenance.clone());
        plan = plan.provenance(provenance.to_string());
        if let Some(license) = &self.license {
            plan = plan.license(license);
        }
        for (name, text) in &self.texts {
            plan = if *name == SEGMENTATION_DICTIONARY {
                plan.dictionary(text)
            } else {
                plan.text(name, text)
            };
        }
        // What is written before its companions: one after the other by name.
        let mut packed: BTreeMap<String, Packed> = BTreeMap::new();
        if quantization.linears() == Precision::Int8 {
            for variable in variables(&self.config) {
                if let Some(matrix) = self.pack(&variable, &packing.clip)? {
                    plan = plan.peaks(&variable.name, matrix.peaks.len());
                    packed.insert(variable.name, matrix);
                }
            }
        }
        let list = plan.variables();
        let specs = plan.tensors()?;
        let mut writer = ModelWriter::new(plan, out)?;
        let mut scales: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let owners: BTreeMap<&str, &Variable> = list.iter().map(|v| (&v.name[..], v)).collect();
        for spec in &specs {
            let (name, part) = owner(&spec.name, &owners);
            let Some(variable) = owners.get(name) else {
                continue;
            };
            let values = self.tensor(name);
            let bytes = match (packed.get(name), part) {
                (Some(matrix), "") => bytemuck::cast_slice(&matrix.data).to_vec(),
                (Some(matrix), part) => companion(matrix, part),
                (None, ".scale") => scales.remove(name).unwrap_or_default(),
                (None, _) => match spec.dtype {
                    ElementType::I8 => {
                        let (rows, row_scales) = quantize_rows(name, values, variable.shape[1])?;
                        scales.insert(&variable.name, row_scales);
                        bytemuck::cast_slice(&rows).to_vec()
                    }
                    ElementType::F16 => little_endian(values, |&v| f16_of_f32(v).to_le_bytes()),
                    _ => little_endian(values, |v| v.to_le_bytes()),
                },
            };
            if !bytes.is_empty() {
                writer.write(&spec.name, &bytes)?;
            }
        }
        Ok(writer.finish()?)
    }

    /// The int8 matrix of a linear layer or output table, `None` for anything else.
    pub(crate) fn pack(
        &self,
        variable: &Variable,
        clip: &Clip,
    ) -> Result<Option<Packed>, WeightsError> {
        let Some((k, n)) = variable.matrix_size() else {
            return Ok(None);
        };
        let mut values = self.tensor(&variable.name).to_vec();
        let (order, peaks) = if variable.role == Role::Linear {
            (Order::InOut, take_peaks(&mut values, n))
        } else {
            (Order::OutIn, Vec::new())
        };
        let mut data = Vec::new();
        let shares = clip
            .shares
            .get(&variable.name)
            .map_or(&[][..], Vec::as_slice);
        let sink = |panel: &[i8]| {
            data.extend_from_slice(panel);
            Ok::<(), Infallible>(())
        };
        match pack_with_scale(&values, k, n, order, shares, sink) {
            Ok(companions) => Ok(Some(Packed {
                data,
                companions,
                peaks,
            })),
            Err(PackError::NotFinite(_)) => Err(WeightsError::NotFinite {
                name: variable.name.clone(),
            }),
            Err(PackError::Sink(never)) => match never {},
        }
    }
}

/// The variable that a tensor of the file belongs to, and which part of it this is.
fn owner<'n>(name: &'n str, owners: &BTreeMap<&str, &Variable>) -> (&'n str, &'n str) {
    if !owners.contains_key(name)
        && let Some(dot) = name.rfind('.')
    {
        return name.split_at(dot);
    }
    (name, "")
}

fn companion(matrix: &Packed, part: &str) -> Vec<u8> {
    let Packed {
        companions, peaks, ..
    } = matrix;
    match part {
        ".scale" => little_endian(&companions.scale, |v| v.to_le_bytes()),
        ".colsum" => little_endian(&companions.colsum, |v| v.to_le_bytes()),
        ".peak" => little_endian(peaks, |peak| peak.weight.to_le_bytes()),
        _ => {
            let places = peaks
                .iter()
                .flat_map(|peak| [peak.output as i32, peak.input as i32]);
            places.flat_map(i32::to_le_bytes).collect()
        }
    }
}

/// int8 rows and the bytes of their scales.
fn quantize_rows(
    name: &str,
    values: &[f32],
    width: usize,
) -> Result<(Vec<i8>, Vec<u8>), WeightsError> {
    let mut rows = vec![0i8; values.len()];
    let mut scales = Vec::with_capacity(values.len() / width * 4);
    for (row, out) in values.chunks_exact(width).zip(rows.chunks_exact_mut(width)) {
        let scale = quantize_row(row, out).map_err(|_| WeightsError::NotFinite {
            name: name.to_owned(),
        })?;
        scales.extend_from_slice(&scale.to_le_bytes());
    }
    Ok((rows, scales))
}

fn little_endian<'v, T: 'v, const N: usize>(
    values: impl IntoIterator<Item = &'v T>,
    bytes: impl Fn(&T) -> [u8; N],
) -> Vec<u8> {
    values.into_iter().flat_map(bytes).collect()
}
