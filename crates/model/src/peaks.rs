//! The weights of an int8 layer that are kept apart, in f32.
//!
//! They are those of a layer that passes its input on: most lie on a few diagonals, so that they are
//! applied diagonal by diagonal, many outputs at a time.

use std::ops::Range;

use csanmt_format::Peaks;
use csanmt_kernels::QuantizedRows;

/// `out[output] += x[input] * weight` over all peaks.
#[derive(Debug)]
pub(crate) struct Diagonals {
    weights: Vec<f32>,
    runs: Vec<Run>,
}

/// Consecutive outputs, each with the input as far from it as those of the others.
#[derive(Debug)]
struct Run {
    output: usize,
    input: usize,
    weights: Range<usize>,
}

impl Diagonals {
    pub(crate) fn new(peaks: &Peaks) -> Self {
        let places = peaks.place.chunks_exact(2);
        let mut list: Vec<(i32, i32, f32)> = places
            .zip(peaks.weight.iter())
            .map(|(place, &weight)| (place[1] - place[0], place[0], weight))
            .collect();
        // Stable: whatever stands twice is added in the order of the file.
        list.sort_by_key(|&(diagonal, output, _)| (diagonal, output));
        let follows = |a: &(i32, i32, f32), b: &(i32, i32, f32)| (a.0, a.1 + 1) == (b.0, b.1);
        let mut runs = Vec::new();
        let mut start = 0;
        for run in list.chunk_by(follows) {
            let (diagonal, output, _) = run[0];
            runs.push(Run {
                output: output as usize,
                input: (output + diagonal) as usize,
                weights: start..start + run.len(),
            });
            start += run.len();
        }
        let weights = list.iter().map(|&(_, _, weight)| weight).collect();
        Self { weights, runs }
    }

    /// With `x` as it is quantised; `out: [rows, n]`.
    pub(crate) fn add(&self, x: &QuantizedRows, n: usize, out: &mut [f32]) {
        for (row, out) in out.chunks_exact_mut(n).enumerate() {
            let (values, scale, zero) = (x.row(row), x.scale(row), x.zero(row));
            for Run {
                output,
                input,
                weights,
            } in &self.runs
            {
                let weights = &self.weights[weights.clone()];
                let values = values[*input..].iter().zip(weights);
                for (out, (&value, weight)) in out[*output..].iter_mut().zip(values) {
                    *out += (i32::from(value) - zero) as f32 * (scale * weight);
                }
            }
        }
    }
}
