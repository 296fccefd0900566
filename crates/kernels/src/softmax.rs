//! Softmax of one row, and the exponential of its numbers.

use crate::Kernels;
use crate::exp::{exp, exp_limited};
use crate::isa::Task;
use crate::simd::{LANES, Simd, WIDE};

impl Kernels {
    /// Replaces a row by its softmax. An empty row stays empty.
    pub fn softmax(self, row: &mut [f32]) {
        self.run(Softmax(row));
    }

    /// Replaces each number by its exponential: within 2 ulp on [-87, 88], 0 below -87.34, +inf
    /// above 88.73, NaN for NaN.
    pub fn exp(self, x: &mut [f32]) {
        self.run(Exp(x));
    }
}

struct Softmax<'a>(&'a mut [f32]);

impl Task for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        softmax_row(simd, self.0);
    }
}

struct Exp<'a>(&'a mut [f32]);

impl Task for Exp<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (chunks, rest) = self.0.as_chunks_mut::<LANES>();
        for x in chunks {
            simd.store(exp(simd, simd.load(x)), x);
        }
        let x = exp(simd, simd.load_part(rest, 0.0));
        simd.store_part(x, rest);
    }
}

/// Softmax in place; lanes of -inf become exactly 0. A row of -inf only becomes all 0.
#[inline(always)]
pub(crate) fn softmax_row<S: Simd>(simd: S, row: &mut [f32]) {
    let max = max_of(simd, row);
    if max == f32::NEG_INFINITY {
        row.fill(0.0);
        return;
    }
    let shift = simd.splat(max);
    let mut sum = simd.splat(0.0);
    let (chunks, rest) = row.as_chunks_mut::<LANES>();
    for x in &mut *chunks {
        let e = exp_limited(simd, simd.sub(simd.load(x), shift));
        sum = simd.add(sum, e);
        simd.store(e, x);
    }
    let last = exp_limited(
        simd,
        simd.sub(simd.load_part(rest, f32::NEG_INFINITY), shift),
    );
    sum = simd.add(sum, last);
    let inverse = simd.splat(1.0 / simd.sum(sum));
    for x in chunks {
        simd.store(simd.mul(simd.load(x), inverse), x);
    }
    simd.store_part(simd.mul(last, inverse), rest);
}

/// Largest number of a row, NaN ignored; -inf for an empty row.
#[inline(always)]
fn max_of<S: Simd>(simd: S, row: &[f32]) -> f32 {
    let mut max = [simd.splat(f32::NEG_INFINITY); WIDE];
    let (blocks, rest) = row.as_chunks::<{ WIDE * LANES }>();
    for x in blocks {
        let x = x.as_chunks::<LANES>().0;
        for i in 0..WIDE {
            max[i] = simd.max(simd.load(&x[i]), max[i]);
        }
    }
    for x in rest.chunks(LANES) {
        max[0] = simd.max(simd.load_part(x, f32::NEG_INFINITY), max[0]);
    }
    simd.max_lane(simd.max(simd.max(max[0], max[1]), simd.max(max[2], max[3])))
}
