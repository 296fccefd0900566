//! Signal to quantisation noise.

use csanmt_format::int8::quantize_row;
use csanmt_format::layout::{Role, Variable, variables};
use csanmt_format::{ElementType, f16_of_f32, f32_of_f16};

use super::is_rounded;
use crate::weights::{Packing, Weights, WeightsError};

/// How well a layer or table survives rounding.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LayerNoise {
    /// Its variable.
    pub name: String,
    /// `10 log10(Σ w² / Σ (w - w')²)`; infinite where nothing changes.
    pub sqnr_db: f64,
    /// Weights kept apart.
    pub peaks: usize,
    /// What the loss gains when this layer alone is rounded, where it was measured.
    pub loss: Option<f64>,
}

/// The noise of everything that is rounded, the noisiest first.
///
/// # Errors
/// When a weight is not finite.
pub fn layer_noise(weights: &Weights, packing: &Packing) -> Result<Vec<LayerNoise>, WeightsError> {
    let mut layers = Vec::new();
    for variable in variables(weights.config()) {
        if !is_rounded(variable.role, packing.quantization) {
            continue;
        }
        let (values, peaks) = rounded(weights, &variable, packing)?;
        let exact = weights.tensor(&variable.name);
        let (mut signal, mut noise) = (0f64, 0f64);
        for (&w, &r) in exact.iter().zip(&values) {
            signal += f64::from(w).powi(2);
            noise += (f64::from(w) - f64::from(r)).powi(2);
        }
        layers.push(LayerNoise {
            name: variable.name,
            sqnr_db: 10.0 * (signal / noise).log10(),
            peaks,
            loss: None,
        });
    }
    layers.sort_by(|a, b| a.sqnr_db.total_cmp(&b.sqnr_db));
    Ok(layers)
}

/// A variable as the engine will read it, and how many of its weights are kept apart.
///
/// # Errors
/// When a weight is not finite.
pub fn rounded(
    weights: &Weights,
    variable: &Variable,
    packing: &Packing,
) -> Result<(Vec<f32>, usize), WeightsError> {
    let mut values = weights.tensor(&variable.name).to_vec();
    if !is_rounded(variable.role, packing.quantization) {
        return Ok((values, 0));
    }
    if let Some(matrix) = weights.pack(variable, &packing.clip)? {
        let Some((k, n)) = variable.matrix_size() else {
            return Ok((values, 0));
        };
        let groups = k.div_ceil(csanmt_format::layout::GROUP);
        let (panel, group) = (csanmt_format::layout::PANEL, csanmt_format::layout::GROUP);
        for input in 0..k {
            for output in 0..n {
                let place = (output / panel * groups + input / group) * panel * group
                    + output % panel * group
                    + input % group;
                let value = f32::from(matrix.data[place]) * matrix.companions.scale[output];
                let at = match variable.role {
                    Role::OutputTable => output * k + input,
                    _ => input * n + output,
                };
                values[at] = value;
            }
        }
        for peak in &matrix.peaks {
            values[peak.input * n + peak.output] = peak.weight;
        }
        return Ok((values, matrix.peaks.len()));
    }
    if packing.quantization.tables() == ElementType::F16 {
        for value in &mut values {
            *value = f32_of_f16(f16_of_f32(*value));
        }
        return Ok((values, 0));
    }
    let width = variable.shape[1];
    let mut row = vec![0i8; width];
    for values in values.chunks_exact_mut(width) {
        let scale = quantize_row(values, &mut row).map_err(|_| WeightsError::NotFinite {
            name: variable.name.clone(),
        })?;
        for (value, &q) in values.iter_mut().zip(&row) {
            *value = f32::from(q) * scale;
        }
    }
    Ok((values, 0))
}
