//! A run on disk: one safetensors file, replaced as a whole.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use candle_core::safetensors::SliceSafetensors;
use candle_core::{Device, Tensor};
use csanmt_format::ModelConfig;
use serde::{Deserialize, Serialize};

use super::adam::Moments;
use super::batches::Cursor;
use super::error::TrainError;
use super::options::TrainOptions;
use super::trainer::{Named, Progress};
use crate::convert::Output;

/// Small things of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) options: TrainOptions,
    pub(super) config: ModelConfig,
    pub(super) step: u64,
    pub(super) cursor: Cursor,
    pub(super) progress: Progress,
}

/// Everything that a run needs to go on.
pub(super) struct State {
    pub(super) header: Header,
    pub(super) variables: Named,
    pub(super) moments: BTreeMap<String, Moments>,
    pub(super) target_table: Option<Vec<f32>>,
}

/// The header as bytes of JSON, so that the file has everything.
const HEADER: &str = "header";
const TABLE: &str = "target_table";

pub(super) fn write(path: &Path, state: &State) -> Result<(), TrainError> {
    let io = |source| TrainError::Io {
        path: path.to_owned(),
        source,
    };
    let json = serde_json::to_vec(&state.header).map_err(|error| io(error.into()))?;
    let vector = |values: &[f32]| Tensor::from_slice(values, values.len(), &Device::Cpu);
    let len = json.len();
    let mut tensors = vec![(
        HEADER.to_owned(),
        Tensor::from_vec(json, len, &Device::Cpu)?,
    )];
    for (name, values) in &state.variables {
        tensors.push((format!("variable/{name}"), vector(values)?));
    }
    for (name, moments) in &state.moments {
        tensors.push((format!("mean/{name}"), vector(&moments.mean)?));
        tensors.push((format!("square/{name}"), vector(&moments.square)?));
        if !moments.average.is_empty() {
            tensors.push((format!("average/{name}"), vector(&moments.average)?));
        }
    }
    if let Some(table) = &state.target_table {
        tensors.push((TABLE.to_owned(), vector(table)?));
    }
    let bytes = serialize(&tensors).map_err(io)?;
    let mut output = Output::create(path).map_err(io)?;
    output.write_all(&bytes).map_err(io)?;
    output.commit().map_err(io)?;
    Ok(())
}

/// The bytes of a safetensors file; candle writes such files by path only, not whole or not at all.
fn serialize(tensors: &[(String, Tensor)]) -> std::io::Result<Vec<u8>> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for (name, tensor) in tensors {
        let start = data.len();
        let dtype = match tensor.dtype() {
            candle_core::DType::U8 => {
                let values: Vec<u8> = tensor.to_vec1().map_err(std::io::Error::other)?;
                data.extend(values);
                "U8"
            }
            _ => {
                let values: Vec<f32> = tensor.to_vec1().map_err(std::io::Error::other)?;
                data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
                "F32"
            }
        };
        let entry = serde_json::json!({
            "dtype": dtype, "shape": tensor.dims(), "data_offsets": [start, data.len()],
        });
        header.insert(name.clone(), entry);
    }
    let mut json = serde_json::to_vec(&header)?;
    json.resize(json.len().next_multiple_of(8), b' ');
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend(json);
    bytes.extend(data);
    Ok(bytes)
}

pub(super) fn read(path: &Path) -> Result<State, TrainError> {
    let bytes = std::fs::read(path).map_err(|source| TrainError::Io {
        path: path.to_owned(),
        source,
    })?;
    let damaged = |problem: String| TrainError::State {
        path: path.to_owned(),
        problem: format!("this is no state of a training: {problem}"),
    };
    let file = SliceSafetensors::new(&bytes).map_err(|error| damaged(error.to_string()))?;
    let json: Vec<u8> = match file.load(HEADER, &Device::Cpu).and_then(|t| t.to_vec1()) {
        Ok(json) => json,
        Err(error) => return Err(damaged(error.to_string())),
    };
    let header = serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))?;
    let names: Vec<String> = file.tensors().into_iter().map(|(name, _)| name).collect();
    let vector = |name: &str| -> Result<Vec<f32>, TrainError> {
        Ok(file.load(name, &Device::Cpu)?.flatten_all()?.to_vec1()?)
    };
    let mut state = State {
        header,
        variables: BTreeMap::new(),
        moments: BTreeMap::new(),
        target_table: None,
    };
    for name in &names {
        if let Some(variable) = name.strip_prefix("variable/") {
            state.variables.insert(variable.to_owned(), vector(name)?);
        } else if let Some(variable) = name.strip_prefix("mean/") {
            let average = format!("average/{variable}");
            let moments = Moments {
                mean: vector(name)?,
                square: vector(&format!("square/{variable}"))?,
                average: if names.contains(&average) {
                    vector(&average)?
                } else {
                    Vec::new()
                },
            };
            state.moments.insert(variable.to_owned(), moments);
        } else if name == TABLE {
            state.target_table = Some(vector(name)?);
        }
    }
    Ok(state)
}
