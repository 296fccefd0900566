//! Taking units out of the weights.

use std::collections::BTreeMap;

use csanmt_format::Widths;
use csanmt_format::layout::Stage;

use super::slot::{Part, Slot};
use super::with_widths;
use crate::weights::{Weights, WeightsError};

/// The model with only the `kept` units of every slot, numbers ascending.
pub(crate) fn keep_units(
    weights: &Weights,
    slots: &[Slot],
    kept: &[Vec<usize>],
) -> Result<Weights, WeightsError> {
    let hidden = weights.config().hidden_size;
    let mut tensors: BTreeMap<String, Vec<f32>> = weights.tensors().clone();
    let mut widths = weights.config().all_widths();
    for (slot, kept) in slots.iter().zip(kept) {
        if kept.len() == slot.units {
            continue;
        }
        set_width(&mut widths, slot, kept.len());
        for (input, parts) in &slot.inputs {
            let width = slot.unit * slot.units;
            let columns: Vec<usize> = (0..*parts)
                .flat_map(|part| numbers(slot, kept).map(move |number| part * width + number))
                .collect();
            for name in [format!("{input}/matrix"), format!("{input}/bias")] {
                if let Some(values) = tensors.get_mut(&name) {
                    *values = values
                        .chunks_exact(parts * width)
                        .flat_map(|row| columns.iter().map(|&column| row[column]))
                        .collect();
                }
            }
        }
        if let Some(values) = tensors.get_mut(&format!("{}/matrix", slot.output)) {
            *values = numbers(slot, kept)
                .flat_map(|row| values[row * hidden..(row + 1) * hidden].to_vec())
                .collect();
        }
    }
    weights.with_tensors(with_widths(weights.config(), widths), tensors)
}

/// The numbers of a part that belong to the kept units.
fn numbers<'k>(slot: &Slot, kept: &'k [usize]) -> impl Iterator<Item = usize> + 'k {
    let unit = slot.unit;
    kept.iter()
        .flat_map(move |&number| number * unit..(number + 1) * unit)
}

fn set_width(widths: &mut Widths, slot: &Slot, units: usize) {
    let layer = slot.layer;
    let encoder = match slot.stage {
        Stage::Encoder => &mut widths.encoder[layer],
        Stage::SemanticEncoder => &mut widths.semantic_encoder[layer],
        Stage::Decoder | Stage::Tables => {
            let widths = &mut widths.decoder[layer];
            match slot.part {
                Part::Heads => widths.heads = units,
                Part::CrossHeads => widths.cross_heads = units,
                Part::Augmentation => widths.augmentation = units,
                Part::Filter => widths.filter = units,
            }
            return;
        }
    };
    match slot.part {
        Part::Heads | Part::CrossHeads => encoder.heads = units,
        Part::Filter | Part::Augmentation => encoder.filter = units,
    }
}
