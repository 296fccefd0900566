//! Clipping: an output's few largest weights lose something so that all others have finer steps.

use csanmt_format::int8::take_peaks;
use csanmt_format::layout::{Role, variables};

use crate::weights::{Clip, Weights};

/// Shares of the largest weight that are tried.
const SHARES: [f32; 9] = [1.0, 0.97, 0.94, 0.9, 0.86, 0.82, 0.78, 0.74, 0.7];

/// For every output of every linear layer, the share with the least squared error of its weights.
/// `energy` gives the mean square of a layer's inputs where it was measured: an input that is
/// always small may be wrong by more.
#[must_use]
pub fn clip(weights: &Weights, energy: impl Fn(&str) -> Option<Vec<f32>>) -> Clip {
    let mut clip = Clip::default();
    for variable in variables(weights.config()) {
        if variable.role != Role::Linear {
            continue;
        }
        let (k, n) = (variable.shape[0], variable.shape[1]);
        let mut values = weights.tensor(&variable.name).to_vec();
        take_peaks(&mut values, n);
        let energy = energy(&variable.name).filter(|energy| energy.len() == k);
        let energy = energy.unwrap_or_else(|| vec![1.0; k]);
        let mut column = vec![0f32; k];
        let shares = (0..n).map(|output| {
            for (input, value) in column.iter_mut().enumerate() {
                *value = values[input * n + output];
            }
            best_share(&column, &energy)
        });
        clip.shares.insert(variable.name.clone(), shares.collect());
    }
    clip
}

fn best_share(column: &[f32], energy: &[f32]) -> f32 {
    let largest = column.iter().fold(0f32, |m, v| m.max(v.abs()));
    let error = |share: f32| -> f64 {
        let scale = largest * share / 127.0;
        let errors = column.iter().zip(energy).map(|(&w, &e)| {
            let q = (w / scale).round_ties_even().clamp(-127.0, 127.0);
            let error = f64::from(w - q * scale);
            error * error * f64::from(e)
        });
        errors.sum()
    };
    if largest == 0.0 {
        return 1.0;
    }
    let mut best = (error(1.0), 1.0);
    for share in SHARES {
        let error = error(share);
        if error < best.0 {
            best = (error, share);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::best_share;

    #[test]
    fn a_lone_large_weight_whose_input_is_small_is_clipped() {
        let mut column = vec![0.0f32; 64];
        for (i, value) in column.iter_mut().enumerate() {
            *value = ((i * 37 % 64) as f32 - 31.5) / 64.0;
        }
        column[5] = 1.0;
        let flat = vec![1.0; 64];
        let mut energy = flat.clone();
        energy[5] = 1e-4;
        assert!(best_share(&column, &energy) < best_share(&column, &flat).max(0.99));
        assert_eq!(best_share(&[0.0; 8], &[1.0; 8]), 1.0);
    }
}
