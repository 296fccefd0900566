//! Equalisation: channels with large activations give some of their size to the weights that read
//! them. It is folded into the layer norms, so that nothing is computed that was not before.

use std::collections::BTreeMap;

use csanmt_format::layout::Stage;

use crate::prune::{Part, slots};
use crate::reference::{Observations, ReferenceModel};
use crate::train::{Pair, TrainError};
use crate::weights::Weights;

/// What the inputs of a linear layer were like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// Largest magnitude of every input.
    pub largest: Vec<f32>,
    /// Mean square of every input.
    pub energy: Vec<f32>,
}

/// Runs pairs through the network and gives the inputs' spread for every linear layer by name of
/// its matrix.
///
/// # Errors
/// When an id is outside the vocabularies.
pub fn measure(weights: &Weights, pairs: &[Pair]) -> Result<BTreeMap<String, Spread>, TrainError> {
    let observations = Observations::default();
    let model = ReferenceModel::from_weights(weights)?.observed(&observations)?;
    for batch in pairs.chunks(16) {
        let sources: Vec<&[u32]> = batch.iter().map(|pair| &pair.source[..]).collect();
        let targets: Vec<&[u32]> = batch.iter().map(|pair| &pair.target[..]).collect();
        let encoded = model.encode(&sources)?;
        model.decode_forced(&encoded, &targets)?;
    }
    let spreads = observations.take().into_iter().map(|(name, inputs)| {
        let rows = inputs.rows.max(1) as f64;
        let spread = Spread {
            energy: inputs.squares.iter().map(|s| (s / rows) as f32).collect(),
            largest: inputs.largest,
        };
        (name, spread)
    });
    Ok(spreads.collect())
}

/// A layer norm and the matrices that read its output and nothing else.
fn norms(weights: &Weights) -> Vec<(String, Vec<String>)> {
    let mut norms = Vec::new();
    for slot in slots(weights.config()) {
        let Some((scope, _)) = slot
            .name()
            .rsplit_once("/layer_")
            .and_then(|(stage, rest)| {
                let (number, rest) = rest.split_once('/')?;
                Some((format!("{stage}/layer_{number}"), rest))
            })
        else {
            continue;
        };
        let suffix = match (slot.stage, slot.part) {
            (Stage::Decoder, Part::Augmentation) => "",
            (Stage::Decoder, Part::Heads) => "_1",
            (Stage::Decoder, Part::CrossHeads) => "_2",
            (Stage::Decoder, Part::Filter) => "_3",
            (_, Part::Heads) => "",
            _ => "_1",
        };
        // Keys and values of the source read the encoder's output.
        let input = &slot.inputs[0].0;
        norms.push((
            format!("{scope}/layer_norm{suffix}"),
            vec![format!("{input}/matrix")],
        ));
    }
    let cross = (0..weights.config().num_decoder_layers)
        .map(|i| format!("decoder/layer_{i}/encdec_attention/kv_transform/matrix"));
    norms.push(("encoder/layer_norm".to_owned(), cross.collect()));
    norms
}

/// Divides channel c of a layer norm by `largest input_c ^ strength / largest weight_c ^ (1 -
/// strength)` and multiplies the weights that read it with the same. The network stays the same;
/// post-norm models are returned as they are, as their norms are read by the residual too.
///
/// # Errors
/// When the result is no model.
pub fn smooth(
    weights: &Weights,
    spreads: &BTreeMap<String, Spread>,
    strength: f32,
) -> Result<Weights, TrainError> {
    if !weights.config().pre_norm {
        return Ok(weights.clone());
    }
    let hidden = weights.config().hidden_size;
    let mut tensors = weights.tensors().clone();
    for (norm, matrices) in norms(weights) {
        let Some(spread) = matrices.iter().find_map(|matrix| spreads.get(matrix)) else {
            continue;
        };
        let mut factors = vec![1f32; hidden];
        for (channel, factor) in factors.iter_mut().enumerate() {
            let weight = matrices.iter().fold(0f32, |largest, matrix| {
                let values = &tensors[matrix];
                let width = values.len() / hidden;
                let row = &values[channel * width..(channel + 1) * width];
                row.iter().fold(largest, |m, v| m.max(v.abs()))
            });
            let input = spread.largest[channel];
            if input > 1e-5 && weight > 1e-5 {
                *factor = input.powf(strength) / weight.powf(1.0 - strength);
            }
        }
        // All factors of a norm may be multiplied by one number; near 1 they keep their size.
        let mean = factors.iter().map(|f| f.ln()).sum::<f32>() / hidden as f32;
        for factor in &mut factors {
            *factor = (factor.ln() - mean).exp().clamp(1e-3, 1e3);
        }
        for part in ["layer_norm_scale", "layer_norm_offset"] {
            if let Some(values) = tensors.get_mut(&format!("{norm}/{part}")) {
                values.iter_mut().zip(&factors).for_each(|(v, f)| *v /= f);
            }
        }
        for matrix in &matrices {
            if let Some(values) = tensors.get_mut(matrix) {
                let width = values.len() / hidden;
                for (row, factor) in values.chunks_exact_mut(width).zip(&factors) {
                    row.iter_mut().for_each(|v| *v *= factor);
                }
            }
        }
    }
    Ok(weights.with_tensors(weights.config().clone(), tensors)?)
}
