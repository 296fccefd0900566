//! Rounding as the int8 engine does it, which gradients pass by.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use csanmt_format::int8::{quantize_row, take_peaks};

/// The `[inputs, outputs]` matrix of a linear layer: one step an output, peaks kept apart.
pub(super) fn matrix(weights: &Tensor) -> Result<Tensor> {
    weights.contiguous()?.apply_op1(Round::Matrix)
}

/// A table `[outputs, inputs]`: one step a row.
pub(super) fn table(weights: &Tensor) -> Result<Tensor> {
    weights.contiguous()?.apply_op1(Round::Table)
}

/// Rows of activations over the last axis: seven bits, from the least to the largest number.
pub(super) fn rows(x: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op1(Round::Activations)
}

enum Round {
    Matrix,
    Table,
    Activations,
}

impl CustomOp1 for Round {
    fn name(&self) -> &'static str {
        "round"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let Some((start, end)) = layout.contiguous_offsets() else {
            candle_core::bail!("what is rounded is not contiguous");
        };
        let mut values = storage.as_slice::<f32>()?[start..end].to_vec();
        let width = layout.dims().last().copied().unwrap_or(1).max(1);
        match self {
            Self::Matrix => round_matrix(&mut values, width)?,
            Self::Table => {
                let mut row = vec![0i8; width];
                for values in values.chunks_exact_mut(width) {
                    round_row(values, &mut row)?;
                }
            }
            Self::Activations => values.chunks_exact_mut(width).for_each(round_activations),
        }
        Ok((CpuStorage::F32(values), layout.shape().clone()))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, upstream: &Tensor) -> Result<Option<Tensor>> {
        Ok(Some(upstream.clone()))
    }
}

fn round_matrix(values: &mut [f32], outputs: usize) -> Result<()> {
    let peaks = take_peaks(values, outputs);
    let mut largest = vec![0f32; outputs];
    for row in values.chunks_exact(outputs) {
        for (largest, value) in largest.iter_mut().zip(row) {
            *largest = largest.max(value.abs());
        }
    }
    let scales: Vec<f32> = largest.iter().map(|largest| largest / 127.0).collect();
    for row in values.chunks_exact_mut(outputs) {
        for (value, &scale) in row.iter_mut().zip(&scales) {
            if scale > 0.0 {
                *value = (*value / scale).round_ties_even() * scale;
            }
        }
    }
    for peak in peaks {
        values[peak.input * outputs + peak.output] = peak.weight;
    }
    Ok(())
}

fn round_row(values: &mut [f32], row: &mut [i8]) -> Result<()> {
    let Ok(scale) = quantize_row(values, row) else {
        candle_core::bail!("a weight is not finite");
    };
    for (value, &q) in values.iter_mut().zip(row.iter()) {
        *value = f32::from(q) * scale;
    }
    Ok(())
}

/// As the kernels: `scale = (max(0, x) - min(0, x)) / 127`, half to even.
fn round_activations(row: &mut [f32]) {
    let lowest = row.iter().copied().fold(0.0, f32::min);
    let highest = row.iter().copied().fold(0.0, f32::max);
    let scale = (highest - lowest) / 127.0;
    if scale < 1e-30 || !scale.is_finite() {
        row.fill(0.0);
        return;
    }
    let zero = (-lowest / scale).round_ties_even();
    for value in row {
        let q = ((*value / scale).round_ties_even() + zero).clamp(0.0, 127.0);
        *value = (q - zero) * scale;
    }
}
