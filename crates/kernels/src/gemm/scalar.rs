//! The oracle: three loops, no cleverness, always compiled; also the fallback.

use super::{Accumulators, Epilogue, PANEL, PackedWeights, STEP_BYTES, Tile, TileInput};
use crate::QuantizedRows;
use crate::simd::scalar::Scalar;

/// `out[m,n] = epilogue((Σ_k a[m,k]·w[n,k] - zero·colsum) · (scale_a·scale_w) + bias)`
pub(crate) fn linear(
    a: &QuantizedRows,
    w: PackedWeights<'_>,
    epilogue: Epilogue<'_>,
    out: &mut [f32],
) {
    for m in 0..a.rows() {
        let row = a.row(m);
        for n in 0..w.n() {
            let mut acc = 0i32;
            for k in 0..w.k() {
                acc += i32::from(row[k]) * i32::from(w.data()[w.packed_index(n, k)]);
            }
            let sum = acc.wrapping_sub(a.zero(m).wrapping_mul(w.colsum()[n]));
            let y = sum as f32 * (a.scale(m) * w.scale()[n])
                + epilogue.bias().map_or(0.0, |bias| bias[n]);
            let out = &mut out[m * w.n() + n];
            *out = epilogue.apply(y, *out);
        }
    }
}

/// Lets the blocked loops run without any instruction set, to be tested on their own.
impl Tile for Scalar {
    const ROWS: usize = 4;
    const PANELS: usize = 2;

    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        let TileInput {
            a,
            stride,
            rows,
            w,
            panels,
            steps,
            ..
        } = input;
        for r in 0..rows {
            for p in 0..panels {
                let mut sums = [0i32; PANEL];
                let panel = &w[p * steps * STEP_BYTES..][..steps * STEP_BYTES];
                for (step, w) in panel.chunks_exact(STEP_BYTES).enumerate() {
                    let a = &a[r * stride + 4 * step..][..4];
                    for n in 0..PANEL {
                        for k in 0..4 {
                            sums[n] += i32::from(a[k]) * i32::from(w[4 * n + k]);
                        }
                    }
                }
                acc[p][r] = sums;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::stored;
    use crate::{Isa, Kernels};

    /// The shared loops without any instruction set.
    #[test]
    fn blocked_loops_match_the_oracle() {
        let kernels = Kernels::new(Isa::Scalar).unwrap();
        for (m, k, n) in [
            (1, 1, 1),
            (3, 9, 16),
            (4, 30, 33),
            (9, 5, 50),
            (64, 4100, 20),
        ] {
            let x: Vec<f32> = (0..m * k).map(|i| (i * 37 % 101) as f32 - 40.0).collect();
            let mut a = QuantizedRows::default();
            kernels.quantize_rows(&x, k, &mut a);
            let mut data = vec![0; PackedWeights::packed_len(n, k)];
            let (scale, colsum) = (vec![0.3; n], vec![5; n]);
            let index = PackedWeights::new(&data, n, k, &scale, &colsum).unwrap();
            let places: Vec<usize> = (0..n * k)
                .map(|i| index.packed_index(i / k, i % k))
                .collect();
            for (i, place) in places.into_iter().enumerate() {
                data[place] = (i * 53 % 255) as i16 as i8;
            }
            let w = PackedWeights::new(&data, n, k, &scale, &colsum).unwrap();
            let bias: Vec<f32> = (0..n).map(|i| i as f32).collect();
            for bias in [None, Some(&bias[..])] {
                let (mut expected, mut found) = (vec![1.0; m * n], vec![1.0; m * n]);
                linear(&a, w, Epilogue::Residual { bias }, &mut expected);
                stored::linear(Scalar, &a, w, Epilogue::Residual { bias }, &mut found);
                assert_eq!(found, expected, "{m}x{k}x{n}");
            }
        }
    }
}
