//! `csanmt quantize`: an f32 model in int8, and what that costs.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use csanmt_lab::Quantization;
use csanmt_lab::evaluate::{Score, read_pairs};
use csanmt_lab::quantize::{
    QuantizationReport, clip, layer_noise, loss_increases, measure, smooth,
};
use csanmt_lab::train::{Corpus, DevSet, Limits, Pair, Random};
use csanmt_lab::weights::{Clip, Packing, Weights};

use super::latency;
use super::session::open;
use crate::output;

/// Store an f32 model in int8 and report what rounding does to every layer.
///
/// MODEL is an f32 file from `csanmt convert --f32`, `csanmt prune` or `csanmt finetune`. Linear
/// layers get one step for each output. Layers are listed by their signal-to-noise ratio, with
/// --sample by what rounding each of them alone adds to the loss.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The f32 model file
    model: PathBuf,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Tables that are only looked up: f16 and f32 leave them (almost) as they are
    #[arg(long, value_name = "TYPE", default_value = "int8", value_parser = ["int8", "f16", "f32"])]
    tables: String,
    /// Sentence pairs that sensitivity and calibration are measured on
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
    /// How many of them, chosen at random
    #[arg(long, value_name = "N", default_value_t = 256)]
    sentences: usize,
    /// Try clipping and equalisation, and keep what has the best chrF2 on --eval
    #[arg(long, requires_all = ["sample", "eval"])]
    calibrate: bool,
    /// Sentence pairs to score before and after, without guards
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
    /// Layers to list
    #[arg(long, value_name = "N", default_value_t = 12)]
    layers: usize,
    /// BPE codes of the target language, where the model file has none and --sample is given
    #[arg(long, value_name = "FILE")]
    target_codes: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A way to round.
struct Candidate {
    label: String,
    weights: Weights,
    clip: Clip,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut weights = open(&arguments.model, arguments.target_codes.as_deref())?;
    let quantization = match arguments.tables.as_str() {
        "f16" => Quantization::Int8HalfTables,
        "f32" => Quantization::Int8FloatTables,
        _ => Quantization::Int8,
    };
    let dev = match &arguments.eval {
        None => None,
        Some(file) => {
            let (sources, references) = read_pairs(file)?.into_iter().unzip();
            Some(DevSet {
                sources,
                references,
                quantization,
                beam: weights.config().beam_size,
            })
        }
    };
    let pairs = match &arguments.sample {
        None => Vec::new(),
        Some(file) => {
            let mut pairs = Corpus::read(file, &weights, &Limits::default())?.pairs;
            Random::new(1234, 0, 0).shuffle(&mut pairs);
            pairs.truncate(arguments.sentences.max(1));
            pairs.sort_by_key(|pair| pair.target.len());
            pairs
        }
    };
    let plain = Candidate {
        label: "plain".to_owned(),
        weights: weights.clone(),
        clip: Clip::default(),
    };
    let mut candidates = vec![plain];
    if arguments.calibrate {
        candidates.extend(calibrated(&weights, &pairs)?);
    }
    let mut scored: Vec<(Candidate, Option<Score>)> = Vec::new();
    for candidate in candidates {
        let score = match &dev {
            None => None,
            Some(dev) => {
                let packing = Packing {
                    quantization,
                    clip: candidate.clip.clone(),
                };
                let score = dev.score_as(&candidate.weights, &packing)?;
                if arguments.calibrate {
                    eprintln!(
                        "{}: BLEU {:.2}, chrF2 {:.2}",
                        candidate.label, score.bleu, score.chrf
                    );
                }
                Some(score)
            }
        };
        scored.push((candidate, score));
    }
    let chrf = |score: &Option<Score>| score.map_or(0.0, |score| score.chrf);
    // The plain one comes first and wins when nothing is better.
    let mut best = 0;
    for place in 1..scored.len() {
        if chrf(&scored[place].1) > chrf(&scored[best].1) {
            best = place;
        }
    }
    let (chosen, after) = scored.swap_remove(best);
    let before = match &dev {
        None => None,
        Some(dev) => Some(dev.score_as(&weights, &Quantization::F32.into())?),
    };
    let f32_bytes = weights
        .without_target_codes()
        .to_bytes(&Quantization::F32.into())?;
    weights = chosen.weights;
    // Translation does not read them.
    weights = weights.without_target_codes();
    let packing = Packing {
        quantization,
        clip: chosen.clip,
    };
    let tool = concat!("csanmt ", env!("CARGO_PKG_VERSION"), " quantize");
    weights.note(
        "quantized",
        serde_json::json!({ "tool": tool, "calibration": chosen.label }),
    );
    let bytes = weights.save(&arguments.output, &packing)?;
    let mut layers = layer_noise(&weights, &packing)?;
    if !pairs.is_empty() {
        loss_increases(&weights, &packing, &pairs, &mut layers)?;
    }
    let mut report = QuantizationReport {
        quantization,
        f32_bytes: f32_bytes.len() as u64,
        bytes,
        layers,
    };
    let texts: Vec<&str> = match &dev {
        Some(dev) => dev.sources.iter().map(String::as_str).collect(),
        None => latency::TEXTS.to_vec(),
    };
    let stored = weights.to_bytes(&packing)?;
    let [float, int8] = latency::compare([&f32_bytes, &stored], &texts)?;
    if arguments.json {
        let score = |s: Score| serde_json::json!({ "bleu": s.bleu, "chrf": s.chrf });
        let result = serde_json::json!({
            "report": report, "share": report.share(), "calibration": chosen.label,
            "before": before.map(score), "after": after.map(score),
            "milliseconds": { "f32": float, "quantized": int8 },
        });
        output::print(&format!("{result}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    report.layers.truncate(arguments.layers);
    let mut text = format!("{}: {report}", arguments.output.display());
    if let (Some(before), Some(after)) = (before, after) {
        text.push_str(&format!(
            "f32: BLEU {:.2}, chrF2 {:.2}\n{} ({}): BLEU {:.2}, chrF2 {:.2}\n",
            before.bleu,
            before.chrf,
            quantization.name(),
            chosen.label,
            after.bleu,
            after.chrf
        ));
    }
    text.push_str(&format!(
        "one sentence, one thread: {float:.2} ms in f32, {int8:.2} ms now, {:.2} times as fast\n",
        float / int8
    ));
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn calibrated(weights: &Weights, pairs: &[Pair]) -> Result<Vec<Candidate>> {
    if pairs.is_empty() {
        bail!("calibration needs sentence pairs in --sample");
    }
    let mut candidates = Vec::new();
    for strength in [None, Some(0.3), Some(0.5)] {
        let spreads = measure(weights, pairs)?;
        let (label, smoothed) = match strength {
            None => (String::new(), weights.clone()),
            Some(strength) => (
                format!("equalised {strength}"),
                smooth(weights, &spreads, strength)?,
            ),
        };
        if strength.is_some() {
            candidates.push(Candidate {
                label: label.clone(),
                weights: smoothed.clone(),
                clip: Clip::default(),
            });
        }
        let spreads = measure(&smoothed, pairs)?;
        let clip = clip(&smoothed, |name| {
            spreads.get(name).map(|spread| spread.energy.clone())
        });
        let label = if label.is_empty() {
            "clipped".to_owned()
        } else {
            format!("{label}, clipped")
        };
        candidates.push(Candidate {
            label,
            weights: smoothed,
            clip,
        });
    }
    Ok(candidates)
}
