//! Layer normalisation: `(x - mean) · (1 / sqrt(var + 1e-6)) · scale + offset`, population variance.

use crate::Kernels;
use crate::isa::Task;
use crate::quantize::row_count;
use crate::simd::{LANES, Simd, WIDE};

const EPSILON: f32 = 1e-6;

impl Kernels {
    /// Normalises each row of `x: [rows, scale.len()]` into `out`.
    ///
    /// # Panics
    /// If the lengths do not fit: `scale` and `offset` one row, `out` as long as `x`.
    pub fn layer_norm(self, x: &[f32], scale: &[f32], offset: &[f32], out: &mut [f32]) {
        assert_eq!(
            scale.len(),
            offset.len(),
            "layer norm's scale and offset differ in length"
        );
        assert_eq!(
            x.len(),
            out.len(),
            "layer norm's input and output differ in length"
        );
        row_count(x.len(), scale.len());
        self.run(LayerNorm {
            x,
            scale,
            offset,
            out,
        });
    }
}

struct LayerNorm<'a> {
    x: &'a [f32],
    scale: &'a [f32],
    offset: &'a [f32],
    out: &'a mut [f32],
}

impl Task for LayerNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let width = self.scale.len();
        if width == 0 {
            return;
        }
        for (x, out) in self
            .x
            .chunks_exact(width)
            .zip(self.out.chunks_exact_mut(width))
        {
            Moments::of(simd, x).norm(simd, x, self.scale, self.offset, out);
        }
    }
}

/// What a row is normalised by.
#[derive(Clone, Copy, Default)]
pub(crate) struct Moments {
    mean: f32,
    /// `1 / sqrt(var + 1e-6)`
    inverse_deviation: f32,
}

impl Moments {
    #[inline(always)]
    pub(crate) fn of<S: Simd>(simd: S, x: &[f32]) -> Self {
        let count = x.len() as f32;
        let mean = sum_of(simd, x, 0.0, |x| x) / count;
        let means = simd.splat(mean);
        // Missing lanes are filled with the mean: they add nothing.
        let squares = sum_of(simd, x, mean, |x| {
            let centred = simd.sub(x, means);
            simd.mul(centred, centred)
        });
        Self {
            mean,
            inverse_deviation: 1.0 / (squares / count + EPSILON).sqrt(),
        }
    }

    /// `(x - mean) · (1 / sqrt(var + 1e-6)) · scale + offset`; all slices have the length of the row.
    #[inline(always)]
    pub(crate) fn norm<S: Simd>(
        self,
        simd: S,
        x: &[f32],
        scale: &[f32],
        offset: &[f32],
        out: &mut [f32],
    ) {
        let mean = simd.splat(self.mean);
        let deviation = simd.splat(self.inverse_deviation);
        let (chunks, rest) = x.as_chunks::<LANES>();

        let finish = |x: S::F, scale: S::F, offset: S::F| {
            simd.add(
                simd.mul(simd.mul(simd.sub(x, mean), deviation), scale),
                offset,
            )
        };
        let (scales, scale_rest) = scale.as_chunks::<LANES>();
        let (offsets, offset_rest) = offset.as_chunks::<LANES>();
        let (outs, out_rest) = out.as_chunks_mut::<LANES>();
        for (((x, scale), offset), out) in chunks.iter().zip(scales).zip(offsets).zip(outs) {
            simd.store(
                finish(simd.load(x), simd.load(scale), simd.load(offset)),
                out,
            );
        }
        if !rest.is_empty() {
            let part = |x| simd.load_part(x, 0.0);
            simd.store_part(
                finish(part(rest), part(scale_rest), part(offset_rest)),
                out_rest,
            );
        }
    }
}

/// `Σ f(x)`, in the order described at [`WIDE`]; missing lanes hold `fill`.
#[inline(always)]
fn sum_of<S: Simd>(simd: S, x: &[f32], fill: f32, f: impl Fn(S::F) -> S::F) -> f32 {
    let mut sums = [simd.splat(0.0); WIDE];
    let (blocks, rest) = x.as_chunks::<{ WIDE * LANES }>();
    for x in blocks {
        let x = x.as_chunks::<LANES>().0;
        for i in 0..WIDE {
            sums[i] = simd.add(sums[i], f(simd.load(&x[i])));
        }
    }
    for x in rest.chunks(LANES) {
        sums[0] = simd.add(sums[0], f(simd.load_part(x, fill)));
    }
    simd.sum(simd.add(simd.add(sums[0], sums[1]), simd.add(sums[2], sums[3])))
}
