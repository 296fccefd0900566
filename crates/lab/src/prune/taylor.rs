//! First-order importance: what the loss would gain or lose without a unit.

use std::collections::BTreeMap;

use candle_core::Tensor;

use super::importance::Importance;
use super::slot::slots;
use crate::reference::{ReferenceError, ReferenceModel};
use crate::train::{Pair, smoothed_loss};

/// Rates units by `Σ_batches |Σ w ∂L/∂w|` over the weights w that read the unit: the derivative of
/// the loss by a gate on the unit's output, which is how much the loss changes, to first order,
/// when the gate closes.
///
/// Batches should be small, so that effects of opposite sign do not cancel out.
///
/// # Errors
/// When an id is outside the vocabularies.
pub fn taylor(
    model: &ReferenceModel,
    batches: &[Vec<Pair>],
    mut observe: impl FnMut(usize),
) -> Result<Importance, ReferenceError> {
    let slots = slots(model.config());
    let names: Vec<String> = slots
        .iter()
        .map(|slot| format!("{}/matrix", slot.name()))
        .collect();
    let model = model
        .clone()
        .train_where(|name| names.iter().any(|n| n == name))?;
    let variables: BTreeMap<&str, candle_core::Var> = model
        .trained_names()
        .iter()
        .map(String::as_str)
        .zip(model.trained_variables())
        .collect();
    let mut units: BTreeMap<String, Vec<f64>> = slots
        .iter()
        .map(|slot| (slot.name().to_owned(), vec![0.0; slot.units]))
        .collect();
    for (number, batch) in batches.iter().enumerate() {
        let gradients = smoothed_loss(&model, batch, 0.0)?.backward()?;
        for (slot, name) in slots.iter().zip(&names) {
            let Some(variable) = variables.get(name.as_str()) else {
                continue;
            };
            let Some(gradient) = gradients.get(variable) else {
                continue;
            };
            let effect: Tensor = (variable.as_tensor() * gradient)?.sum(1)?;
            let effect: Vec<f32> = effect.to_vec1()?;
            if let Some(sums) = units.get_mut(slot.name()) {
                for (sum, effects) in sums.iter_mut().zip(effect.chunks_exact(slot.unit)) {
                    *sum += effects.iter().map(|&e| f64::from(e)).sum::<f64>().abs();
                }
            }
        }
        observe(number + 1);
    }
    Ok(Importance { units })
}
