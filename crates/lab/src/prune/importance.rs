//! How much each unit matters.

use std::collections::BTreeMap;

use super::PruneError;
use super::slot::{Slot, slots};
use crate::weights::Weights;

/// A rating of every unit by slot name; larger is more important.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Importance {
    pub(crate) units: BTreeMap<String, Vec<f64>>,
}

impl Importance {
    /// The sum of the magnitudes of all weights of a unit: needs no data.
    #[must_use]
    pub fn l1(weights: &Weights) -> Self {
        let hidden = weights.config().hidden_size;
        let mut units = BTreeMap::new();
        for slot in slots(weights.config()) {
            let width = slot.unit * slot.units;
            let mut sums = vec![0f64; slot.units];
            for (input, parts) in &slot.inputs {
                let matrix = weights.tensor(&format!("{input}/matrix"));
                for row in matrix.chunks_exact(parts * width) {
                    for (column, weight) in row.iter().enumerate() {
                        sums[column % width / slot.unit] += f64::from(weight.abs());
                    }
                }
            }
            let matrix = weights.tensor(&format!("{}/matrix", slot.output));
            for (row, numbers) in matrix.chunks_exact(hidden).enumerate() {
                let sum: f64 = numbers.iter().map(|w| f64::from(w.abs())).sum();
                sums[row / slot.unit] += sum;
            }
            units.insert(slot.output, sums);
        }
        Self { units }
    }

    pub(crate) fn of(&self, slot: &Slot) -> Result<&[f64], PruneError> {
        let found = self.units.get(slot.name()).map_or(&[][..], Vec::as_slice);
        if found.len() == slot.units {
            Ok(found)
        } else {
            Err(PruneError::Importance {
                slot: slot.name().to_owned(),
                units: slot.units,
                found: found.len(),
            })
        }
    }

    /// The rating of whole layers, `[layers]`: the sum over their units.
    pub(crate) fn of_layers(
        &self,
        slots: &[Slot],
        stage: csanmt_format::layout::Stage,
    ) -> Vec<f64> {
        let mut sums = Vec::new();
        for slot in slots.iter().filter(|slot| slot.stage == stage) {
            if sums.len() <= slot.layer {
                sums.resize(slot.layer + 1, 0.0);
            }
            let units = self.units.get(slot.name()).map_or(&[][..], Vec::as_slice);
            sums[slot.layer] += units.iter().sum::<f64>();
        }
        sums
    }
}
