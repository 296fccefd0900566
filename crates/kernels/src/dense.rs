//! f32 matrix product, the reference path of unquantised model files. Exact order matters more
//! than speed here: `[k, n]` weights sum over k in sequence, `[n, k]` weights in sixteen lanes.

use crate::isa::Task;
use crate::quantize::row_count;
use crate::simd::{LANES, Simd};
use crate::{Epilogue, Kernels};

/// Unquantised weights in one of TensorFlow's two orders.
#[derive(Clone, Copy, Debug)]
pub enum DenseWeights<'a> {
    /// `[k, n]`: a layer's matrix.
    InOut {
        /// Row-major numbers.
        data: &'a [f32],
        /// Inputs.
        k: usize,
        /// Outputs.
        n: usize,
    },
    /// `[n, k]`: an output table.
    OutIn {
        /// Row-major numbers.
        data: &'a [f32],
        /// Outputs.
        n: usize,
        /// Inputs.
        k: usize,
    },
}

impl Kernels {
    /// f32 linear layer: `out[rows, n] = epilogue(x · w)`, `x: [rows, k]`.
    ///
    /// # Panics
    /// If a slice's length contradicts k and n.
    pub fn linear_f32(
        self,
        x: &[f32],
        w: DenseWeights<'_>,
        epilogue: Epilogue<'_>,
        out: &mut [f32],
    ) {
        let (DenseWeights::InOut { data, k, n } | DenseWeights::OutIn { data, n, k }) = w;
        assert_eq!(
            Some(data.len()),
            k.checked_mul(n),
            "weights are not {k} x {n}"
        );
        if let Some(bias) = epilogue.bias() {
            assert_eq!(
                bias.len(),
                n,
                "bias has {} numbers for {n} outputs",
                bias.len()
            );
        }
        let rows = row_count(x.len(), k);
        assert_eq!(out.len(), rows * n, "output is not [{rows}, {n}]");
        if n > 0 {
            self.run(Dense {
                x,
                w,
                epilogue,
                out,
            });
        }
    }
}

struct Dense<'a> {
    x: &'a [f32],
    w: DenseWeights<'a>,
    epilogue: Epilogue<'a>,
    out: &'a mut [f32],
}

impl Task for Dense<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        match self.w {
            DenseWeights::InOut { data, k, n } => {
                for (x, out) in self.x.chunks(k.max(1)).zip(self.out.chunks_mut(n)) {
                    in_out_row(simd, x, data, n, self.epilogue, out);
                }
            }
            DenseWeights::OutIn { data, n, k } => {
                for (x, out) in self.x.chunks(k.max(1)).zip(self.out.chunks_mut(n)) {
                    for (i, (w, out)) in data.chunks_exact(k).zip(out).enumerate() {
                        let bias = self.epilogue.bias().map_or(0.0, |bias| bias[i]);
                        *out = self.epilogue.apply(dot(simd, x, w) + bias, *out);
                    }
                }
            }
        }
    }
}

/// Vectors of outputs summed at a time, in registers.
const BLOCK: usize = 4;

#[inline(always)]
fn in_out_row<S: Simd>(
    simd: S,
    x: &[f32],
    w: &[f32],
    n: usize,
    epilogue: Epilogue<'_>,
    out: &mut [f32],
) {
    let mut first = 0;
    while first < n {
        let width = (n - first).min(BLOCK * LANES);
        let mut sums = [simd.splat(0.0); BLOCK];
        if width == BLOCK * LANES {
            for (&x, w) in x.iter().zip(w.chunks_exact(n)) {
                let x = simd.splat(x);
                let w = w[first..first + width].as_chunks::<LANES>().0;
                for i in 0..BLOCK {
                    sums[i] = simd.add(sums[i], simd.mul(x, simd.load(&w[i])));
                }
            }
        } else {
            for (&x, w) in x.iter().zip(w.chunks_exact(n)) {
                let x = simd.splat(x);
                for (sum, w) in sums.iter_mut().zip(w[first..first + width].chunks(LANES)) {
                    *sum = simd.add(*sum, simd.mul(x, simd.load_part(w, 0.0)));
                }
            }
        }
        for (i, sum) in sums.into_iter().enumerate().take(width.div_ceil(LANES)) {
            let span = first + i * LANES..(first + (i + 1) * LANES).min(n);
            let bias = epilogue.bias().map_or(simd.splat(0.0), |bias| {
                simd.load_part(&bias[span.clone()], 0.0)
            });
            let y = simd.to_array(simd.add(sum, bias));
            for (&y, out) in y.iter().zip(&mut out[span]) {
                *out = epilogue.apply(y, *out);
            }
        }
        first += width;
    }
}

/// Dot product in sixteen lanes; `b` at least as long as `a`.
#[inline(always)]
pub(crate) fn dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sum = simd.splat(0.0);
    for (a, b) in a.iter().zip(b) {
        sum = simd.add(sum, simd.mul(simd.load(a), simd.load(b)));
    }
    if !a_rest.is_empty() {
        let product = simd.mul(simd.load_part(a_rest, 0.0), simd.load_part(b_rest, 0.0));
        sum = simd.add(sum, product);
    }
    simd.sum(sum)
}
