//! ModelScope directory → model file.
//!
//! One variable is in memory at a time: it is read, quantised panel by panel straight into the
//! output, and forgotten; only scales and sums are kept until their place in the file comes.

mod check;
pub(crate) mod configuration;
mod error;
mod output;
mod target;
mod texts;
mod transfer;

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csanmt_format::int8::take_peaks;
use csanmt_format::layout::{Role, Variable};
use csanmt_format::{
    ModelConfig, ModelPlan, ModelWriter, Precision, Quantization, SRC_BPE, SRC_VOCAB, TRG_BPE,
    TRG_VOCAB,
};
use csanmt_text::jieba::{Jieba, ZH_DICTIONARY};

use crate::checkpoint::Checkpoint;
use crate::regular_file;
use configuration::Configuration;
pub use error::ConvertError;
pub use output::Output;
use target::Target;
use texts::Texts;
use transfer::Transfer;

/// What TensorFlow puts before the name of each variable of the network.
pub(crate) const SCOPE: &str = "NmtModel/";

/// No text file of a model is larger.
const MAX_TEXT_FILE: u64 = 64 << 20;

/// How to convert.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConvertOptions<'a> {
    /// Keep f32 weights instead of quantising them to int8.
    pub f32: bool,
    /// Segmentation dictionary for sources without spaces. For `zh` the bundled one is the
    /// default.
    pub dictionary: Option<&'a [u8]>,
    /// Licence of the weights.
    pub license: Option<&'a str>,
}

/// What a conversion did.
#[derive(Clone, Debug)]
pub struct ConvertReport {
    /// The configuration.
    pub config: ModelConfig,
    /// How the weights are stored.
    pub quantization: Quantization,
    /// Variables taken from the checkpoint.
    pub variables: usize,
    /// Weights in them.
    pub parameters: u64,
    /// Entries of the checkpoint that a translation does not need: optimizer state, counters.
    pub passed_over: Vec<String>,
    /// Training step, when the checkpoint tells.
    pub step: Option<i64>,
    /// Things that look unusual.
    pub notes: Vec<String>,
    /// Length of the model file.
    pub bytes: u64,
}

impl fmt::Display for ConvertReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ModelConfig {
            src_lang, tgt_lang, ..
        } = &self.config;
        write!(
            f,
            "{src_lang} to {tgt_lang}, {}: {} parameters in {} variables, {} bytes",
            self.quantization.name(),
            self.parameters,
            self.variables,
            self.bytes
        )?;
        if !self.passed_over.is_empty() {
            write!(
                f,
                "\npassed over: {} other entries of the checkpoint",
                self.passed_over.len()
            )?;
        }
        self.notes
            .iter()
            .try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}

/// Converts `model_dir` (configuration.json, vocabularies, merge rules, `tf_ckpts/`) to the model
/// file `out`, which is replaced only when everything went well.
///
/// `out` may be free or a regular file other than those of the model; of a symbolic link, the file
/// it names is written. Until it is complete it is called `.NAME.PID-N.partial`. When the process
/// is killed such a file stays; the next conversion to the same name removes it.
///
/// # Errors
/// When anything in the directory is missing, damaged or does not fit, naming what and where; when
/// the engine would not load the result; when `out` cannot be written.
pub fn convert(
    model_dir: &Path,
    out: &Path,
    options: &ConvertOptions<'_>,
) -> Result<ConvertReport, ConvertError> {
    let target = Target::resolve(out)?;
    let configuration = read_configuration(model_dir)?;
    let ckpts = model_dir.join("tf_ckpts");
    target.check_inputs(inputs(model_dir, &configuration, &ckpts))?;
    let Configuration {
        model: config,
        src_vocab,
        trg_vocab,
        src_bpe,
        trg_bpe,
    } = configuration;
    let mut texts = Texts::new(model_dir);
    texts
        .notes
        .extend(configuration::unknown_languages(&config));
    let src_size = config.src_vocab_size;
    let src_vocab = texts.vocabulary(&src_vocab, "dataset.src_vocab.file", src_size)?;
    let trg_vocab =
        texts.vocabulary(&trg_vocab, "dataset.trg_vocab.file", config.trg_vocab_size)?;
    let src_bpe = texts.merges(&src_bpe, "preprocessor.src_bpe.file")?;
    // Translation does not read them, so a model without them is as good.
    let trg_bpe = match texts.merges(&trg_bpe, "preprocessor.tgt_bpe.file") {
        Ok(codes) if options.f32 => Some(codes),
        _ => None,
    };

    if let Some(dictionary) = options.dictionary {
        Jieba::new(Arc::new(dictionary.to_vec()))?.verify()?;
    }
    if !ckpts.is_dir() {
        return Err(no_model(model_dir, "has no tf_ckpts/"));
    }
    let mut checkpoint = Checkpoint::open(&ckpts)?;
    target.check_inputs(checkpoint.files())?;
    let quantization = if options.f32 {
        Quantization::F32
    } else {
        Quantization::Int8
    };
    let mut plan = ModelPlan::new(config.clone(), quantization)?;
    let variables = plan.variables();
    let names: Vec<String> = variables
        .iter()
        .map(|v| format!("{SCOPE}{}", v.name))
        .collect();
    let expected = names.iter().zip(&variables);
    checkpoint.check(expected.map(|(name, variable)| (&name[..], &variable.shape[..])))?;
    let step = checkpoint.scalar("global_step")?;

    plan = plan
        .provenance(provenance(model_dir, &checkpoint, step))
        .text(SRC_VOCAB, &src_vocab)
        .text(TRG_VOCAB, &trg_vocab)
        .text(SRC_BPE, &src_bpe);
    if let Some(codes) = &trg_bpe {
        plan = plan.text(TRG_BPE, codes);
    }
    if let Some(license) = options.license {
        plan = plan.license(license);
    }
    let bundled = (config.src_lang == "zh").then_some(ZH_DICTIONARY);
    if let Some(dictionary) = options.dictionary.or(bundled) {
        plan = plan.dictionary(dictionary);
    }

    if quantization.linears() == Precision::Int8 {
        plan = plan_peaks(plan, &variables, &mut checkpoint)?;
    }
    let stored: Vec<_> = variables.iter().map(|v| plan.stored(v)).collect();

    let io = |source| ConvertError::Io {
        path: out.to_owned(),
        source,
    };
    let writing = |error| ConvertError::writing(out.to_owned(), error);
    let output = Output::create(target.path()).map_err(io)?;
    let writer = ModelWriter::new(plan, output).map_err(writing)?;
    let mut transfer = Transfer {
        checkpoint,
        writer,
        buffer: Vec::new(),
        out,
    };
    match quantization.linears() {
        Precision::Int8 => transfer.int8(&variables, &stored)?,
        Precision::F32 => {
            variables
                .iter()
                .try_for_each(|variable| transfer.float(variable))?;
        }
    }
    let Transfer {
        checkpoint, writer, ..
    } = transfer;
    let mut output = writer.finish().map_err(writing)?;
    let (file, len) = output.read_back().map_err(io)?;
    check::complete(file, len, &config, quantization)
        .map_err(io)?
        .map_err(|message| ConvertError::Unsound {
            path: out.to_owned(),
            message,
        })?;
    let bytes = output.commit().map_err(io)?;

    let mut names = names;
    names.sort_unstable();
    let other = |name: &&str| {
        names
            .binary_search_by(|own| own.as_str().cmp(name))
            .is_err()
    };
    let others = checkpoint.entries().map(|(name, _)| name).filter(other);
    Ok(ConvertReport {
        quantization,
        variables: variables.len(),
        parameters: variables.iter().map(Variable::parameters).sum(),
        passed_over: others.map(str::to_owned).collect(),
        step,
        notes: texts.notes,
        bytes,
        config,
    })
}

/// `configuration.json`, or what keeps `model_dir` from being a model directory.
fn read_configuration(model_dir: &Path) -> Result<Configuration, ConvertError> {
    match configuration::read(&model_dir.join("configuration.json")) {
        Err(ConvertError::Io { source, .. })
            if matches!(
                source.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            let problem = if model_dir.is_dir() {
                "has no configuration.json"
            } else if model_dir.exists() {
                "is not a folder"
            } else {
                "does not exist"
            };
            Err(no_model(model_dir, problem))
        }
        outcome => outcome,
    }
}

fn no_model(model_dir: &Path, problem: &'static str) -> ConvertError {
    ConvertError::NoModel {
        path: model_dir.to_owned(),
        problem,
    }
}

/// The files a conversion may read, and everything beside the checkpoint.
fn inputs(model_dir: &Path, configuration: &Configuration, ckpts: &Path) -> Vec<PathBuf> {
    let Configuration {
        src_vocab,
        trg_vocab,
        src_bpe,
        trg_bpe,
        ..
    } = configuration;
    let names = ["configuration.json", src_vocab, trg_vocab, src_bpe, trg_bpe];
    let mut files: Vec<PathBuf> = names.map(|name| model_dir.join(name)).into();
    let entries = std::fs::read_dir(ckpts).into_iter().flatten().flatten();
    files.extend(entries.map(|entry| entry.path()));
    files
}

/// Finds out how many weights of each layer are kept apart: the header says so before the layers
/// themselves are written.
fn plan_peaks<'a>(
    mut plan: ModelPlan<'a>,
    variables: &[Variable],
    checkpoint: &mut Checkpoint,
) -> Result<ModelPlan<'a>, ConvertError> {
    let mut weights = Vec::new();
    for variable in variables.iter().filter(|v| v.role == Role::Linear) {
        let Variable { name, shape, .. } = variable;
        checkpoint.read(&format!("{SCOPE}{name}"), shape, &mut weights)?;
        plan = plan.peaks(name, take_peaks(&mut weights, shape[1]).len());
    }
    Ok(plan)
}

/// Where the weights come from, as JSON.
fn provenance(model_dir: &Path, checkpoint: &Checkpoint, step: Option<i64>) -> String {
    let named = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let source =
        named(model_dir).or_else(|| model_dir.canonicalize().ok().and_then(|path| named(&path)));
    let mut json = serde_json::json!({
        "tool": concat!("csanmt ", env!("CARGO_PKG_VERSION")),
        "source": source,
        "checkpoint": named(checkpoint.prefix()),
        "checkpoint_index_crc32c": format!("{:08x}", checkpoint.index_crc()),
    });
    if let Some(step) = step {
        json["step"] = step.into();
    }
    json.to_string()
}

/// The bytes of a file that is small when it is what it should be.
fn read_limited(path: &Path) -> Result<Vec<u8>, ConvertError> {
    let io = |source| ConvertError::Io {
        path: path.to_owned(),
        source,
    };
    let mut bytes = Vec::new();
    regular_file::open(path)
        .map_err(io)?
        .take(MAX_TEXT_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(io)?;
    if bytes.len() as u64 > MAX_TEXT_FILE {
        let message = format!("larger than {MAX_TEXT_FILE} bytes");
        return Err(ConvertError::Text {
            path: path.to_owned(),
            message,
        });
    }
    Ok(bytes)
}
