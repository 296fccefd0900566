//! Symmetric int8 quantisation and packing into row panels.
//!
//! For each output n: `scale[n] = max_k |w[n, k]| / 127`, `q[n, k] = round(w[n, k] / scale[n])`
//! with ties to even, in −127..=127. So |w − q · scale| ≤ scale / 2.
//!
//! # Peaks
//! In a layer that passes its input on (a diagonal of ones among small weights), the few large
//! weights of an output would set the step and the small ones would be lost. [`take_peaks`] keeps
//! such weights apart, in f32:
//! `y[n] = Σ_k q[n, k] x[k] · scale[n] + Σ_p weight[p] x[input[p]]` over the peaks p of output n.

use crate::layout::{GROUP, PANEL};

/// How f32 weights lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `[inputs, outputs]`: the matrix of a linear layer.
    InOut,
    /// `[outputs, inputs]`: an output table.
    OutIn,
}

/// What goes into the file beside the packed weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Companions {
    /// One scale an output.
    pub scale: Vec<f32>,
    /// Sum of the int8 weights of each output.
    pub colsum: Vec<i32>,
}

/// A weight that is kept apart from the packed ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Its output.
    pub output: usize,
    /// Its input.
    pub input: usize,
    /// The weight.
    pub weight: f32,
}

/// Most peaks of one output.
pub const MAX_PEAKS: usize = 4;
/// Every peak is more than this many times as large as the largest weight that is packed.
pub const PEAK_RATIO: f32 = 2.0;

/// Takes the peaks out of the `[inputs, outputs]` matrix of a linear layer with N outputs: they
/// are returned in the order of outputs, and 0 in `weights`.
///
/// An output has peaks when its `MAX_PEAKS + 1` largest weights show a gap of [`PEAK_RATIO`]; the
/// lowest such gap counts.
///
/// # Panics
/// When `weights` is not a whole number of rows.
pub fn take_peaks(weights: &mut [f32], n: usize) -> Vec<Peak> {
    assert!(
        n > 0 && weights.len().is_multiple_of(n),
        "rows of {n} weights"
    );
    // The largest weights of each output with their inputs, largest first.
    let mut largest = vec![[(0f32, 0usize); MAX_PEAKS + 1]; n];
    for (input, row) in weights.chunks_exact(n).enumerate() {
        for (&weight, largest) in row.iter().zip(&mut largest) {
            // What is not finite stays for `pack` to refuse.
            if weight.is_finite() && weight.abs() > largest[MAX_PEAKS].0 {
                let place = largest.partition_point(|&(other, _)| other >= weight.abs());
                largest[place..].rotate_right(1);
                largest[place] = (weight.abs(), input);
            }
        }
    }
    let mut peaks = Vec::new();
    for (output, largest) in largest.iter().enumerate() {
        let stands_out = |&count: &usize| largest[count - 1].0 > PEAK_RATIO * largest[count].0;
        let count = (1..=MAX_PEAKS).rev().find(stands_out).unwrap_or(0);
        for &(_, input) in &largest[..count] {
            let weight = std::mem::take(&mut weights[input * n + output]);
            peaks.push(Peak {
                output,
                input,
                weight,
            });
        }
    }
    peaks
}

/// A weight is infinite or not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the weight of output {output} and input {input} is not finite")]
pub struct NotFinite {
    /// Its output.
    pub output: usize,
    /// Its input.
    pub input: usize,
}

/// Why [`pack`] stopped.
#[derive(Debug, thiserror::Error)]
pub enum PackError<E> {
    /// A weight cannot be quantised.
    #[error(transparent)]
    NotFinite(NotFinite),
    /// The receiver of the panels failed.
    #[error("{0}")]
    Sink(E),
}

/// Quantises K × N weights and hands them out panel by panel in the file's layout
/// `[ceil(N/16)][ceil(K/4)][16][4]`. Holds one panel and the companions, nothing larger.
///
/// # Errors
/// When a weight is not finite or `sink` fails.
///
/// # Panics
/// When `weights` does not hold `k * n` numbers.
pub fn pack<E>(
    weights: &[f32],
    k: usize,
    n: usize,
    order: Order,
    sink: impl FnMut(&[i8]) -> Result<(), E>,
) -> Result<Companions, PackError<E>> {
    pack_with_scale(weights, k, n, order, &[], sink)
}

/// [`pack`] with some outputs clipped: weights larger than `shares[n]` of the largest weight of
/// output n become ±127, and the step is that much smaller. No share means 1.
///
/// # Errors
/// When a weight is not finite or `sink` fails.
///
/// # Panics
/// When `weights` does not hold `k * n` numbers.
pub fn pack_with_scale<E>(
    weights: &[f32],
    k: usize,
    n: usize,
    order: Order,
    shares: &[f32],
    mut sink: impl FnMut(&[i8]) -> Result<(), E>,
) -> Result<Companions, PackError<E>> {
    assert_eq!(weights.len(), k * n, "{k} x {n} weights");
    let largest = largest(weights, k, n, order).map_err(PackError::NotFinite)?;
    let shares = shares.iter().copied().chain(std::iter::repeat(1.0));
    let scale: Vec<f32> = largest
        .into_iter()
        .zip(shares)
        .map(|(largest, share)| scale_of(largest * share))
        .collect();
    let mut colsum = vec![0i32; n];
    let mut panel = vec![0i8; k.div_ceil(GROUP) * PANEL * GROUP];
    for first in (0..n).step_by(PANEL) {
        let outputs = PANEL.min(n - first);
        if outputs < PANEL {
            panel.fill(0);
        }
        let mut put = |output: usize, input: usize, weight: f32| {
            let q = quantize(weight, scale[first + output]);
            panel[(input / GROUP * PANEL + output) * GROUP + input % GROUP] = q;
            colsum[first + output] += i32::from(q);
        };
        match order {
            Order::InOut => {
                for (input, row) in weights.chunks_exact(n).enumerate() {
                    for (output, &weight) in row[first..first + outputs].iter().enumerate() {
                        put(output, input, weight);
                    }
                }
            }
            Order::OutIn => {
                let rows = weights[first * k..].chunks_exact(k).take(outputs);
                for (output, row) in rows.enumerate() {
                    for (input, &weight) in row.iter().enumerate() {
                        put(output, input, weight);
                    }
                }
            }
        }
        sink(&panel).map_err(PackError::Sink)?;
    }
    Ok(Companions { scale, colsum })
}

/// Quantises one row of a table into `out` and gives its scale.
///
/// # Errors
/// The place of the first value that is not finite, as `input`; `output` is 0.
///
/// # Panics
/// When the lengths differ.
pub fn quantize_row(row: &[f32], out: &mut [i8]) -> Result<f32, NotFinite> {
    assert_eq!(row.len(), out.len(), "one int8 for each weight");
    let largest = largest(row, row.len(), 1, Order::OutIn)?;
    let scale = largest.first().map_or(0.0, |&largest| scale_of(largest));
    for (q, &weight) in out.iter_mut().zip(row) {
        *q = quantize(weight, scale);
    }
    Ok(scale)
}

/// max |w| of each output.
fn largest(weights: &[f32], k: usize, n: usize, order: Order) -> Result<Vec<f32>, NotFinite> {
    let mut largest = vec![0f32; n];
    for (place, &weight) in weights.iter().enumerate() {
        let (output, input) = match order {
            Order::InOut => (place % n, place / n),
            Order::OutIn => (place / k, place % k),
        };
        if !weight.is_finite() {
            return Err(NotFinite { output, input });
        }
        largest[output] = largest[output].max(weight.abs());
    }
    Ok(largest)
}

/// Never subnormal: there the quotient would be too coarse for ±127.
fn scale_of(largest: f32) -> f32 {
    if largest == 0.0 {
        0.0
    } else {
        (largest / 127.0).max(f32::MIN_POSITIVE)
    }
}

fn quantize(weight: f32, scale: f32) -> i8 {
    if scale == 0.0 {
        0
    } else {
        (weight / scale).round_ties_even().clamp(-127.0, 127.0) as i8
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::{Companions, NotFinite, Order, PackError, Peak, pack, quantize_row, take_peaks};

    fn packed(weights: &[f32], k: usize, n: usize, order: Order) -> (Vec<i8>, Companions) {
        let mut data = Vec::new();
        let sink = |panel: &[i8]| {
            data.extend_from_slice(panel);
            Ok::<(), Infallible>(())
        };
        let companions = pack(weights, k, n, order, sink).unwrap();
        (data, companions)
    }

    #[test]
    fn places_follow_the_layout() {
        // w[k, n] = n + k / 4: output 17 of input 5 is the largest but one of its column.
        let (k, n) = (6, 18);
        let weights: Vec<f32> = (0..k * n)
            .map(|i| (i % n) as f32 + 1.0 + (i / n) as f32 / 8.0)
            .collect();
        let (data, companions) = packed(&weights, k, n, Order::InOut);
        assert_eq!(data.len(), 2 * 2 * 16 * 4);
        for output in 0..n {
            let mut sum = 0;
            for input in 0..k {
                let at = ((output / 16 * 2 + input / 4) * 16 + output % 16) * 4 + input % 4;
                let expected = weights[input * n + output] / companions.scale[output];
                assert_eq!(f32::from(data[at]), expected.round_ties_even());
                sum += i32::from(data[at]);
            }
            assert_eq!(companions.colsum[output], sum);
        }
        let used = data.iter().filter(|&&q| q != 0).count();
        assert_eq!(used, k * n, "padding is zero");
    }

    #[test]
    fn both_orders_give_the_same_panels() {
        let (k, n) = (7, 33);
        let in_out: Vec<f32> = (0..k * n).map(|i| ((i * 37) % 101) as f32 - 50.0).collect();
        let mut out_in = vec![0.0; k * n];
        for i in 0..k * n {
            out_in[i % n * k + i / n] = in_out[i];
        }
        assert_eq!(
            packed(&in_out, k, n, Order::InOut),
            packed(&out_in, k, n, Order::OutIn)
        );
    }

    #[test]
    fn ties_go_to_even_and_zero_rows_have_scale_zero() {
        let mut q = [1i8; 4];
        assert_eq!(quantize_row(&[127.0, 0.5, 1.5, -2.5], &mut q), Ok(1.0));
        assert_eq!(q, [127, 0, 2, -2]);
        assert_eq!(quantize_row(&[0.0, -0.0, 0.0, 0.0], &mut q), Ok(0.0));
        assert_eq!(q, [0; 4]);
    }

    #[test]
    fn peaks_are_taken_only_where_they_stand_out() {
        #[rustfmt::skip]
        let mut weights = [
            0.1, 1.0,  9.0, 0.0,
           -8.0, 0.9,  0.5, 5.0,
            0.2, 0.8, -7.0, 0.0,
            0.1, 0.7,  1.0, 0.0,
            0.2, 0.6,  0.9, 0.0,
            0.1, 0.5,  0.9, 0.0,
        ];
        let peak = |output, input, weight| Peak {
            output,
            input,
            weight,
        };
        let expected = [
            peak(0, 1, -8.0),
            peak(2, 0, 9.0),
            peak(2, 2, -7.0),
            peak(3, 1, 5.0),
        ];
        assert_eq!(take_peaks(&mut weights, 4), expected);
        assert_eq!(weights[4], 0.0);
        assert_eq!(weights.iter().filter(|&&w| w.abs() > 1.0).count(), 0);
    }

    #[test]
    fn infinite_weights_are_named() {
        let weights = [0.0, 1.0, f32::NAN, 2.0];
        let result = pack(&weights, 2, 2, Order::InOut, |_| Ok::<(), Infallible>(()));
        let Err(PackError::NotFinite(place)) = result else {
            panic!("{result:?}")
        };
        assert_eq!(
            place,
            NotFinite {
                output: 0,
                input: 1
            }
        );
    }

    proptest! {
        #[test]
        fn error_is_at_most_half_a_step(row in prop::collection::vec(any::<f32>(), 1..40)) {
            prop_assume!(row.iter().all(|w| w.is_finite()));
            let mut q = vec![0; row.len()];
            let scale = f64::from(quantize_row(&row, &mut q).unwrap());
            for (&w, &q) in row.iter().zip(&q) {
                let error = (f64::from(w) - f64::from(q) * scale).abs();
                // The quotient is rounded to f32 before it is rounded to an integer.
                prop_assert!(error <= scale * (0.5 + 127.0 * f64::from(f32::EPSILON)), "{w} {q} {scale}");
            }
        }
    }
}
