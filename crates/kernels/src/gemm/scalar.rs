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
                acc[r * panels + p] = sums;
            }
        }
    }
}
