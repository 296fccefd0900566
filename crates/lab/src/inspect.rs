//! What a model file holds.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csanmt_format::layout::{Stage, variables};
use csanmt_format::{AlignedBytes, ElementType, FormatError, ModelConfig, ModelFile, Quantization};
use serde::Serialize;

use crate::regular_file;

/// Why a file cannot be inspected.
///
/// A message names the file, its [source](std::error::Error::source) says why: print both.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// The file cannot be read.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not a model file.
    #[error("{}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FormatError,
    },
}

/// What a model file holds. [`fmt::Display`] gives a table, serde the same as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// Length of the file.
    pub file_bytes: u64,
    /// Its configuration.
    pub config: ModelConfig,
    /// How its weights are stored.
    pub quantization: Quantization,
    /// Weights of the network, as they were trained.
    pub parameters: u64,
    /// Where it came from.
    pub provenance: Option<serde_json::Value>,
    /// Its licence.
    pub license: Option<String>,
    /// Sums by part of the model.
    pub totals: Vec<Total>,
    /// Why the model would not load, when it would not.
    pub problem: Option<String>,
    /// All tensors in the order of the file.
    pub tensors: Vec<TensorLine>,
}

/// Sums over the tensors of one part.
#[derive(Clone, Debug, Serialize)]
pub struct Total {
    /// The part.
    pub group: &'static str,
    /// Its tensors.
    pub tensors: usize,
    /// Trained weights.
    pub parameters: u64,
    /// Bytes in the file.
    pub bytes: u64,
}

/// One tensor.
#[derive(Clone, Debug, Serialize)]
pub struct TensorLine {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub dtype: ElementType,
    /// Lengths of the axes, outermost first.
    pub shape: Vec<usize>,
    /// Bytes in the file.
    pub bytes: u64,
    /// The part that it belongs to.
    pub group: &'static str,
}

/// Reads the header of a model file and checks its tensors against its configuration.
///
/// # Errors
/// When it cannot be read or is not a model file. A model whose tensors do not fit is described
/// all the same, with [`Inspection::problem`].
pub fn inspect(path: &Path) -> Result<Inspection, InspectError> {
    Ok(describe(&open_model(path)?))
}

/// A model file in memory.
///
/// # Errors
/// When it cannot be read or is not a model file.
pub fn open_model(path: &Path) -> Result<ModelFile, InspectError> {
    let io = |source| InspectError::Io {
        path: path.to_owned(),
        source,
    };
    let mut file = regular_file::open(path).map_err(io)?;
    let len = file.metadata().map_err(io)?.len();
    let bytes = usize::try_from(len).ok().and_then(AlignedBytes::try_new);
    let mut bytes = bytes.ok_or_else(|| io(std::io::ErrorKind::OutOfMemory.into()))?;
    file.read_exact(bytes.as_mut()).map_err(io)?;
    ModelFile::parse(Arc::new(bytes)).map_err(|source| InspectError::Format {
        path: path.to_owned(),
        source,
    })
}

fn describe(model: &ModelFile) -> Inspection {
    let mut groups: BTreeMap<String, &'static str> = BTreeMap::new();
    let mut totals: Vec<Total> = Vec::new();
    let mut parameters = 0;
    for variable in variables(model.config()) {
        let group = match variable.stage {
            Stage::Tables => "tables",
            Stage::Encoder => "encoder",
            Stage::SemanticEncoder => "semantic encoder",
            Stage::Decoder => "decoder",
        };
        parameters += variable.parameters();
        total(&mut totals, group).parameters += variable.parameters();
        let stored = variable.stored(model.quantization());
        for spec in stored.into_iter().chain(variable.peaks(0)) {
            groups.insert(spec.name, group);
        }
    }
    let mut tensors = Vec::new();
    for info in model.tensors() {
        let group = match groups.get(&info.name) {
            Some(group) => group,
            None if info.name.starts_with("text/") => "texts",
            None => "other",
        };
        let bytes = info.range.len() as u64;
        let sum = total(&mut totals, group);
        sum.tensors += 1;
        sum.bytes += bytes;
        let (name, shape) = (info.name.clone(), info.shape.clone());
        tensors.push(TensorLine {
            name,
            dtype: info.dtype,
            shape,
            bytes,
            group,
        });
    }
    Inspection {
        file_bytes: model.file_bytes().len() as u64,
        config: model.config().clone(),
        quantization: model.quantization(),
        parameters,
        provenance: model.provenance().map(|text| {
            serde_json::from_str(text).unwrap_or_else(|_| serde_json::Value::String(text.into()))
        }),
        license: model.license().map(str::to_owned),
        totals,
        problem: model.check_variables().err().map(|error| error.to_string()),
        tensors,
    }
}

/// The sum of a group, made when it is new.
fn total<'t>(totals: &'t mut Vec<Total>, group: &'static str) -> &'t mut Total {
    let place = totals
        .iter()
        .position(|total| total.group == group)
        .unwrap_or_else(|| {
            totals.push(Total {
                group,
                tensors: 0,
                parameters: 0,
                bytes: 0,
            });
            totals.len() - 1
        });
    &mut totals[place]
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let config = &self.config;
        let (source, target) = (&config.src_lang, &config.tgt_lang);
        let (quantization, bytes) = (self.quantization.name(), self.file_bytes);
        writeln!(
            f,
            "{source} to {target}, {quantization}, {bytes} bytes, {} parameters",
            self.parameters
        )?;
        let layers = format!(
            "{} encoder, {} decoder, {} semantic encoder",
            config.num_encoder_layers,
            config.num_decoder_layers,
            config.num_semantic_encoder_layers
        );
        let norms = match (config.pre_norm, config.post_norm) {
            (true, _) => "before sublayers",
            (false, true) => "after sublayers",
            (false, false) => "none",
        };
        let positions = format!(
            "{:?}, distances to {}",
            config.position, config.max_relative_dis
        );
        let output = if config.shared_embedding_and_softmax_weights {
            "tied"
        } else {
            "separate"
        };
        let embedding = if config.shared_source_target_embedding {
            "shared"
        } else {
            "two"
        };
        let rows = [
            ("layers", layers),
            ("hidden size", config.hidden_size.to_string()),
            ("filter size", config.filter_size.to_string()),
            ("heads", config.num_heads.to_string()),
            ("layer norms", norms.to_owned()),
            ("positions", positions.to_lowercase()),
            (
                "vocabularies",
                format!("{} and {}", config.src_vocab_size, config.trg_vocab_size),
            ),
            ("embeddings", format!("{embedding}, output {output}")),
            (
                "search",
                format!(
                    "beam {}, length penalty {}, at most {} tokens",
                    config.beam_size, config.lp_rate, config.max_decoded_trg_len
                ),
            ),
            (
                "licence",
                self.license.clone().unwrap_or_else(|| "not said".into()),
            ),
            (
                "provenance",
                self.provenance
                    .as_ref()
                    .map_or("not said".into(), ToString::to_string),
            ),
        ];
        for (label, text) in rows {
            writeln!(f, "{label:<14}{text}")?;
        }
        writeln!(
            f,
            "\n{:<18}{:>8}{:>14}{:>14}",
            "part", "tensors", "parameters", "bytes"
        )?;
        for Total {
            group,
            tensors,
            parameters,
            bytes,
        } in &self.totals
        {
            writeln!(f, "{group:<18}{tensors:>8}{parameters:>14}{bytes:>14}")?;
        }
        writeln!(f)?;
        let width = self
            .tensors
            .iter()
            .map(|tensor| tensor.name.len())
            .max()
            .unwrap_or(0);
        for TensorLine {
            name,
            dtype,
            shape,
            bytes,
            ..
        } in &self.tensors
        {
            writeln!(f, "{name:<width$} {dtype:<4}{bytes:>12}  {shape:?}")?;
        }
        match &self.problem {
            Some(problem) => writeln!(f, "\nthe model would not load: {problem}"),
            None => Ok(()),
        }
    }
}
