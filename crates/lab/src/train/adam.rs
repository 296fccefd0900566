//! The optimiser.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use candle_core::backprop::GradStore;
use candle_core::{CpuStorage, InplaceOp2, Layout, Result, Tensor, Var};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.98;
const EPSILON: f32 = 1e-9;

/// Adam with the original's constants in TensorFlow's form, and a moving average of the weights:
/// `w -= rate √(1 - β₂ᵗ) / (1 - β₁ᵗ) · m / (√v + ε)`.
#[derive(Debug)]
pub(super) struct Adam {
    slots: Vec<Slot>,
}

#[derive(Debug)]
struct Slot {
    name: String,
    variable: Var,
    moments: Mutex<Moments>,
}

/// What is kept of a variable between steps; each as long as the variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: Vec<f32>,
    pub(super) square: Vec<f32>,
    /// Moving average of the weights; empty without averaging.
    pub(super) average: Vec<f32>,
}

/// One step's numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    /// Learning rate.
    pub(super) rate: f64,
    /// Steps with this one, t.
    pub(super) step: u64,
    /// Largest norm of all gradients together, 0 for no limit.
    pub(super) clip: f64,
    /// Share of the old average.
    pub(super) average: f64,
}

impl Adam {
    /// For variables by name; an average begins at their present values.
    pub(super) fn new(variables: Vec<(String, Var)>, averages: bool) -> Result<Self> {
        let slot = |(name, variable): (String, Var)| {
            let values: Vec<f32> = variable.flatten_all()?.to_vec1()?;
            let zeros = vec![0.0; values.len()];
            let average = if averages { values } else { Vec::new() };
            let moments = Moments {
                mean: zeros.clone(),
                square: zeros,
                average,
            };
            Ok(Slot {
                name,
                variable,
                moments: Mutex::new(moments),
            })
        };
        let slots = variables.into_iter().map(slot).collect::<Result<_>>()?;
        Ok(Self { slots })
    }

    /// Changes every variable that has a gradient and gives the norm of all gradients.
    pub(super) fn step(&self, gradients: &GradStore, update: &Update) -> Result<f64> {
        let mut found = Vec::with_capacity(self.slots.len());
        let mut square = 0.0;
        for slot in &self.slots {
            if let Some(gradient) = gradients.get(&slot.variable) {
                let gradient = gradient.contiguous()?;
                square += sum_of_squares(&gradient)?;
                found.push((slot, gradient));
            }
        }
        let norm = square.sqrt();
        let factor = if update.clip > 0.0 && norm > update.clip {
            update.clip / norm
        } else {
            1.0
        };
        let bias = |beta: f32| 1.0 - f64::from(beta).powi(update.step.min(1 << 20) as i32);
        let rate = update.rate * bias(BETA2).sqrt() / bias(BETA1);
        for (slot, gradient) in found {
            let mut moments = slot.moments.lock().unwrap_or_else(PoisonError::into_inner);
            let op = Apply {
                moments: Mutex::new(std::mem::replace(&mut *moments, Moments::none())),
                rate: rate as f32,
                factor: factor as f32,
                average: update.average as f32,
            };
            let outcome = slot.variable.as_tensor().inplace_op2(&gradient, &op);
            *moments = op
                .moments
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner);
            outcome?;
        }
        Ok(norm)
    }

    /// What is kept of each variable, by name.
    pub(super) fn moments(&self) -> BTreeMap<&str, Moments> {
        let pairs = self.slots.iter().map(|slot| {
            let moments = slot.moments.lock().unwrap_or_else(PoisonError::into_inner);
            (&slot.name[..], moments.clone())
        });
        pairs.collect()
    }

    /// Puts back what was kept; gives the name of a variable for which it is missing or does not
    /// fit.
    pub(super) fn restore(
        &self,
        mut kept: BTreeMap<String, Moments>,
    ) -> std::result::Result<(), String> {
        for slot in &self.slots {
            let mut moments = slot.moments.lock().unwrap_or_else(PoisonError::into_inner);
            match kept.remove(&slot.name) {
                Some(new)
                    if new.mean.len() == moments.mean.len()
                        && new.square.len() == moments.square.len()
                        && new.average.len() == moments.average.len() =>
                {
                    *moments = new;
                }
                _ => return Err(slot.name.clone()),
            }
        }
        Ok(())
    }
}

impl Moments {
    fn none() -> Self {
        Self {
            mean: Vec::new(),
            square: Vec::new(),
            average: Vec::new(),
        }
    }
}

fn sum_of_squares(tensor: &Tensor) -> Result<f64> {
    let (storage, layout) = tensor.storage_and_layout();
    let candle_core::Storage::Cpu(storage) = &*storage else {
        candle_core::bail!("the gradient is not in main memory");
    };
    let values = contiguous(storage, layout)?;
    let mut sums = [0f64; 8];
    for chunk in values.chunks(8) {
        for (sum, &value) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(value) * f64::from(value);
        }
    }
    Ok(sums.iter().sum())
}

fn contiguous<'s>(storage: &'s CpuStorage, layout: &Layout) -> Result<&'s [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => candle_core::bail!("the gradient is not contiguous"),
    }
}

struct Apply {
    moments: Mutex<Moments>,
    rate: f32,
    factor: f32,
    average: f32,
}

impl InplaceOp2 for Apply {
    fn name(&self) -> &'static str {
        "adam"
    }

    fn cpu_fwd(
        &self,
        weights: &mut CpuStorage,
        layout: &Layout,
        gradient: &CpuStorage,
        gradient_layout: &Layout,
    ) -> Result<()> {
        let gradient = contiguous(gradient, gradient_layout)?;
        let (CpuStorage::F32(weights), Some((start, end))) = (weights, layout.contiguous_offsets())
        else {
            candle_core::bail!("the variable is not contiguous f32");
        };
        let mut moments = self.moments.lock().unwrap_or_else(PoisonError::into_inner);
        let Moments {
            mean,
            square,
            average,
        } = &mut *moments;
        let weights = &mut weights[start..end];
        let (rate, factor) = (self.rate, self.factor);
        for (((w, g), m), v) in weights
            .iter_mut()
            .zip(gradient)
            .zip(mean.iter_mut())
            .zip(square.iter_mut())
        {
            let g = g * factor;
            *m = BETA1 * *m + (1.0 - BETA1) * g;
            *v = BETA2 * *v + (1.0 - BETA2) * g * g;
            *w -= rate * *m / (v.sqrt() + EPSILON);
        }
        for (average, w) in average.iter_mut().zip(weights.iter()) {
            *average = self.average * *average + (1.0 - self.average) * w;
        }
        Ok(())
    }
}
