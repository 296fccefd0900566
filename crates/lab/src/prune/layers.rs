//! Taking whole layers out.

use std::collections::BTreeMap;

use csanmt_format::layout::Stage;

use super::importance::Importance;
use super::slot::slots;
use super::{PruneError, with_widths};
use crate::weights::Weights;

/// Keeps the given numbers of layers, the most important ones, in their order. `None` keeps all.
///
/// # Errors
/// When there are fewer layers, or none should stay.
pub fn keep_layers(
    weights: &Weights,
    importance: &Importance,
    encoder: Option<usize>,
    decoder: Option<usize>,
) -> Result<Weights, PruneError> {
    let slots = slots(weights.config());
    let choose = |what, stage, count: Option<usize>, found: usize| {
        let asked = count.unwrap_or(found);
        if asked == 0 || asked > found {
            return Err(PruneError::Keep { what, asked, found });
        }
        let ratings = importance.of_layers(&slots, stage);
        let mut layers: Vec<usize> = (0..found).collect();
        layers.sort_by(|&a, &b| ratings[b].total_cmp(&ratings[a]).then(a.cmp(&b)));
        layers.truncate(asked);
        layers.sort_unstable();
        Ok(layers)
    };
    let config = weights.config();
    let encoder = choose(
        "encoder layers",
        Stage::Encoder,
        encoder,
        config.num_encoder_layers,
    )?;
    let decoder = choose(
        "decoder layers",
        Stage::Decoder,
        decoder,
        config.num_decoder_layers,
    )?;
    Ok(select_layers(weights, &encoder, &decoder)?)
}

/// The model with the layers of these numbers, renumbered.
pub(crate) fn select_layers(
    weights: &Weights,
    encoder: &[usize],
    decoder: &[usize],
) -> Result<Weights, crate::weights::WeightsError> {
    let mut widths = weights.config().all_widths();
    widths.encoder = encoder.iter().map(|&i| widths.encoder[i]).collect();
    widths.decoder = decoder.iter().map(|&i| widths.decoder[i]).collect();
    let mut config = weights.config().clone();
    (config.num_encoder_layers, config.num_decoder_layers) = (encoder.len(), decoder.len());
    let config = with_widths(&config, widths);
    let mut tensors = BTreeMap::new();
    for (name, values) in weights.tensors() {
        let renumbered = [("encoder/layer_", encoder), ("decoder/layer_", decoder)]
            .into_iter()
            .find_map(|(scope, kept)| {
                let (number, rest) = name.strip_prefix(scope)?.split_once('/')?;
                let number: usize = number.parse().ok()?;
                let place = kept.iter().position(|&layer| layer == number);
                Some(place.map(|place| format!("{scope}{place}/{rest}")))
            });
        match renumbered {
            Some(Some(name)) => tensors.insert(name, values.clone()),
            Some(None) => None,
            None => tensors.insert(name.clone(), values.clone()),
        };
    }
    weights.with_tensors(config, tensors)
}
