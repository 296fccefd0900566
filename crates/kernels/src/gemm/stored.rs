//! The product whose results are stored, through an epilogue.

use super::blocked::{Finish, Sums, product};
use super::{Epilogue, PANEL, PackedWeights};
use crate::QuantizedRows;
use crate::simd::Simd;

#[inline(always)]
pub(super) fn linear<S: Simd>(
    simd: S,
    a: &QuantizedRows,
    w: PackedWeights<'_>,
    epilogue: Epilogue<'_>,
    out: &mut [f32],
) {
    let n = w.n();
    product(simd, a, w, Stored { epilogue, n, out });
}

struct Stored<'a> {
    epilogue: Epilogue<'a>,
    n: usize,
    /// `[rows, n]`
    out: &'a mut [f32],
}

impl Finish for Stored<'_> {
    #[inline(always)]
    fn bias(&self) -> Option<&[f32]> {
        self.epilogue.bias()
    }

    #[inline(always)]
    fn finish<S: Simd>(&mut self, simd: S, sums: Sums<'_>) {
        let out = &mut self.out[sums.first_row * self.n..][..sums.rows() * self.n];
        let outputs = sums.columns.outputs;
        // Both panels of a row together: what they have in common is loaded once.
        if outputs == 2 * PANEL {
            whole::<S, 2>(simd, sums, self.epilogue, out);
        } else if outputs == PANEL {
            whole::<S, 1>(simd, sums, self.epilogue, out);
        } else {
            partial(simd, sums, self.epilogue, out);
        }
    }
}

/// The outputs of `P` whole panels; `out: [rows, n]`.
#[inline(always)]
fn whole<S: Simd, const P: usize>(
    simd: S,
    sums: Sums<'_>,
    epilogue: Epilogue<'_>,
    out: &mut [f32],
) {
    let (height, columns) = (sums.rows(), sums.columns);
    let n = out.len() / height;
    let panels: [_; P] = std::array::from_fn(|p| columns.dequantize(simd, p));
    let acc: [_; P] = std::array::from_fn(|p| &sums.acc[p][..height]);
    // One loop for each epilogue.
    macro_rules! each_row {
        ($value:expr) => {
            for r in 0..height {
                let (zero, scale) = sums.row(simd, r);
                let out = &mut out[r * n + columns.first..][..P * PANEL];
                for (p, out) in out.as_chunks_mut::<PANEL>().0.iter_mut().enumerate() {
                    let y = panels[p].row(simd, &acc[p][r], zero, scale);
                    simd.store($value(y, simd.load(out)), out);
                }
            }
        };
    }
    match epilogue {
        Epilogue::Store { .. } => each_row!(|y, _| y),
        Epilogue::Relu { .. } => each_row!(|y, _| simd.max(y, simd.splat(0.0))),
        Epilogue::Residual { .. } => each_row!(|y, out| simd.add(out, y)),
    }
}

/// The last outputs, which do not fill their panel.
#[inline(always)]
fn partial<S: Simd>(simd: S, sums: Sums<'_>, epilogue: Epilogue<'_>, out: &mut [f32]) {
    let (height, columns) = (sums.rows(), sums.columns);
    let n = out.len() / height;
    for p in 0..columns.outputs.div_ceil(PANEL) {
        let panel = columns.dequantize(simd, p);
        let width = PANEL.min(columns.outputs - p * PANEL);
        for (r, acc) in sums.acc[p][..height].iter().enumerate() {
            let (zero, scale) = sums.row(simd, r);
            let y = panel.row(simd, acc, zero, scale);
            let out = &mut out[r * n + columns.first + p * PANEL..][..width];
            let y = match epilogue {
                Epilogue::Store { .. } => y,
                Epilogue::Relu { .. } => simd.max(y, simd.splat(0.0)),
                Epilogue::Residual { .. } => simd.add(simd.load_part(out, 0.0), y),
            };
            simd.store_part(y, out);
        }
    }
}
