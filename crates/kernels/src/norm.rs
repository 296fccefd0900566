//! Layer normalisation: `(x - mean) · (1 / sqrt(var + 1e-6)) · scale + offset`, population variance.

use crate::Kernels;
use crate::isa::Task;
use crate::quantize::row_count;
use crate::simd::{LANES, Simd};

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
            norm_row(simd, x, self.scale, self.offset, out);
        }
    }
}

/// One row; all slices have its length.
#[inline(always)]
pub(crate) fn norm_row<S: Simd>(
    simd: S,
    x: &[f32],
    scale: &[f32],
    offset: &[f32],
    out: &mut [f32],
) {
    let count = x.len() as f32;
    let (chunks, rest) = x.as_chunks::<LANES>();

    let mut sum = simd.splat(0.0);
    for x in chunks {
        sum = simd.add(sum, simd.load(x));
    }
    sum = simd.add(sum, simd.load_part(rest, 0.0));
    let mean = simd.splat(simd.sum(sum) / count);

    let mut squares = simd.splat(0.0);
    for x in chunks {
        let centred = simd.sub(simd.load(x), mean);
        squares = simd.add(squares, simd.mul(centred, centred));
    }
    if !rest.is_empty() {
        // Missing lanes are filled with the mean: they add nothing.
        let centred = simd.sub(simd.load_part(rest, simd.to_array(mean)[0]), mean);
        squares = simd.add(squares, simd.mul(centred, centred));
    }
    let deviation = simd.splat(1.0 / (simd.sum(squares) / count + EPSILON).sqrt());

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
