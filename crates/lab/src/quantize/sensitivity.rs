//! Which layers the loss depends on.

use csanmt_format::layout::variables;

use super::noise::{LayerNoise, rounded};
use crate::reference::ReferenceModel;
use crate::train::{Pair, TrainError, smoothed_loss};
use crate::weights::{Packing, Weights};

/// Fills in what the loss on `pairs` gains when each layer alone is rounded, and puts the layers
/// that cost most first.
///
/// # Errors
/// When an id is outside the vocabularies or a weight is not finite.
pub fn loss_increases(
    weights: &Weights,
    packing: &Packing,
    pairs: &[Pair],
    layers: &mut [LayerNoise],
) -> Result<(), TrainError> {
    let loss = |weights: &Weights| -> Result<f64, TrainError> {
        let model = ReferenceModel::from_weights(weights)?.train_where(|_| false)?;
        let mut sum = 0.0;
        let mut tokens = 0;
        for batch in pairs.chunks(32) {
            let count: usize = batch.iter().map(|pair| pair.target.len() + 1).sum();
            let loss: f32 = smoothed_loss(&model, batch, 0.0)?.to_scalar()?;
            sum += f64::from(loss) * count as f64;
            tokens += count;
        }
        Ok(sum / tokens.max(1) as f64)
    };
    let exact = loss(weights)?;
    let list = variables(weights.config());
    for layer in layers.iter_mut() {
        let Some(variable) = list.iter().find(|variable| variable.name == layer.name) else {
            continue;
        };
        let (values, _) = rounded(weights, variable, packing)?;
        let mut tensors = weights.tensors().clone();
        tensors.insert(layer.name.clone(), values);
        let changed = weights.with_tensors(weights.config().clone(), tensors)?;
        layer.loss = Some(loss(&changed)? - exact);
    }
    layers.sort_by(|a, b| {
        let loss = |layer: &LayerNoise| layer.loss.unwrap_or(f64::NEG_INFINITY);
        loss(b).total_cmp(&loss(a))
    });
    Ok(())
}
