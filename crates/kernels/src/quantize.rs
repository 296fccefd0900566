//! Activations to unsigned 7-bit, asymmetric, one scale and zero point per row.
//!
//! ```text
//! lo = min(0, row), hi = max(0, row), scale = (hi - lo) / 127, inverse = 1 / scale
//! zero = round(-lo·inverse), q = clamp(round(x·inverse) + zero, 0, 127), x ≈ (q - zero)·scale
//! ```
//!
//! Rounding is half to even. A row whose range is below 1e-30 counts as zero: scale 0, zero 0, q 0.
//! Non-finite input is harmless: NaN is ignored in the range and becomes the row's lowest value,
//! and lo and hi are limited to half the largest f32 so that the range stays finite.

use crate::isa::Task;
use crate::norm::Moments;
use crate::simd::{LANES, ROUND_MAGIC, Simd, WIDE};
use crate::{Buffer, Kernels};

/// Largest quantised activation: 7 bits, so that the sum of two products fits i16.
pub(crate) const MAX_Q: i32 = 127;
/// Rows are stored in groups of this many, the last one filled up: matrix tiles are read whole.
const ROW_GROUP: usize = 16;
/// Ranges below this count as a row of zeros; keeps 1/scale finite.
const MIN_RANGE: f32 = 1e-30;

/// Quantised rows `[rows, k]`; a buffer to be used again: it grows and keeps its capacity.
#[derive(Clone, Debug, Default)]
pub struct QuantizedRows {
    rows: usize,
    k: usize,
    stride: usize,
    data: Buffer<u8>,
    scale: Vec<f32>,
    zero: Vec<i32>,
    /// A group of f32 rows between layer norm and quantisation.
    normed: Buffer<f32>,
}

impl QuantizedRows {
    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Bytes from one row to the next, a multiple of four; the bytes behind column k are 0.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The quantised values, `[rows, stride]`.
    pub fn data(&self) -> &[u8] {
        &self.data[..self.rows * self.stride]
    }

    /// [`Self::data`] and the rows that fill up the last group, of any content.
    pub(crate) fn padded(&self) -> &[u8] {
        &self.data
    }

    /// The quantised values of one row, padded to the stride.
    pub fn row(&self, row: usize) -> &[u8] {
        &self.data[row * self.stride..][..self.stride]
    }

    /// Scale of one row.
    pub fn scale(&self, row: usize) -> f32 {
        self.scale[row]
    }

    /// Zero point of one row, in 0..=127.
    pub fn zero(&self, row: usize) -> i32 {
        self.zero[row]
    }

    /// One scale per row.
    pub(crate) fn scales(&self) -> &[f32] {
        &self.scale
    }

    /// One zero point per row.
    pub(crate) fn zeros(&self) -> &[i32] {
        &self.zero
    }

    fn reshape(&mut self, rows: usize, k: usize) {
        (self.rows, self.k, self.stride) = (rows, k, k.next_multiple_of(4));
        self.data
            .resize(rows.next_multiple_of(ROW_GROUP) * self.stride);
        self.scale.resize(rows, 0.0);
        self.zero.resize(rows, 0);
    }
}

impl Kernels {
    /// Quantises the rows of `x: [rows, k]`.
    ///
    /// # Panics
    /// If `x` is not whole rows of `k` (`k` 0: `x` must be empty, and there are no rows).
    pub fn quantize_rows(self, x: &[f32], k: usize, out: &mut QuantizedRows) {
        out.reshape(row_count(x.len(), k), k);
        self.run(Quantize { x, norm: None, out });
    }

    /// [`Self::layer_norm`], then [`Self::quantize_rows`], without the f32 rows in between.
    ///
    /// # Panics
    /// If `scale` and `offset` differ in length or `x` is not whole rows of it.
    pub fn layer_norm_quantize(
        self,
        x: &[f32],
        scale: &[f32],
        offset: &[f32],
        out: &mut QuantizedRows,
    ) {
        assert_eq!(
            scale.len(),
            offset.len(),
            "layer norm's scale and offset differ in length"
        );
        out.reshape(row_count(x.len(), scale.len()), scale.len());
        out.normed.resize(GROUP.min(out.rows) * scale.len());
        self.run(Quantize {
            x,
            norm: Some((scale, offset)),
            out,
        });
    }
}

pub(crate) fn row_count(len: usize, width: usize) -> usize {
    if width == 0 {
        assert_eq!(len, 0, "{len} numbers in rows of none");
        return 0;
    }
    assert_eq!(
        len % width,
        0,
        "{len} numbers are not whole rows of {width}"
    );
    len / width
}

struct Quantize<'a> {
    x: &'a [f32],
    norm: Option<(&'a [f32], &'a [f32])>,
    out: &'a mut QuantizedRows,
}

impl Task for Quantize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let QuantizedRows {
            k,
            stride,
            data,
            scale,
            zero,
            normed,
            ..
        } = self.out;
        if *k == 0 {
            return;
        }
        let rows = self
            .x
            .chunks(GROUP * *k)
            .zip(data.chunks_mut(GROUP * *stride));
        let numbers = scale.chunks_mut(GROUP).zip(zero.chunks_mut(GROUP));
        for ((x, q), (scale, zero)) in rows.zip(numbers) {
            let x = match self.norm {
                Some((norm_scale, offset)) => {
                    let mut moments = [Moments::default(); GROUP];
                    for (moments, x) in moments.iter_mut().zip(x.chunks_exact(*k)) {
                        *moments = Moments::of(simd, x);
                    }
                    let rows = x.chunks_exact(*k).zip(normed.chunks_exact_mut(*k));
                    for (moments, (x, normed)) in moments.iter().zip(rows) {
                        moments.norm(simd, x, norm_scale, offset, normed);
                    }
                    &normed[..x.len()]
                }
                None => x,
            };
            let mut grids = [Grid::default(); GROUP];
            for (grid, x) in grids.iter_mut().zip(x.chunks_exact(*k)) {
                *grid = Grid::of(simd, x);
            }
            let rows = x.chunks_exact(*k).zip(q.chunks_exact_mut(*stride));
            let numbers = scale.iter_mut().zip(zero);
            for (grid, ((x, q), (scale, zero))) in grids.iter().zip(rows.zip(numbers)) {
                grid.quantize(simd, x, q);
                (*scale, *zero) = (grid.scale, grid.zero);
            }
        }
    }
}

/// Rows that go through the stages side by side: in a row by itself each waits for sums over lanes,
/// divisions and a root.
const GROUP: usize = 4;

/// The numbers that a quantised row can express; scale 0 for a row of zeros.
#[derive(Clone, Copy, Default)]
struct Grid {
    scale: f32,
    inverse: f32,
    zero: i32,
}

impl Grid {
    #[inline(always)]
    fn of<S: Simd>(simd: S, x: &[f32]) -> Self {
        let (lo, hi) = range(simd, x);
        let range = hi - lo;
        if range < MIN_RANGE {
            return Self::default();
        }
        let scale = range / MAX_Q as f32;
        let inverse = 1.0 / scale;
        let zero = (-lo * inverse + ROUND_MAGIC).to_bits() as i32 - ROUND_MAGIC.to_bits() as i32;
        Self {
            scale,
            inverse,
            zero,
        }
    }

    /// Fills `q`, padded with 0.
    #[inline(always)]
    fn quantize<S: Simd>(self, simd: S, x: &[f32], q: &mut [u8]) {
        if self.scale == 0.0 {
            q.fill(0);
            return;
        }
        let Self { inverse, zero, .. } = self;
        let (x_chunks, x_rest) = x.as_chunks::<LANES>();
        let (q_chunks, q_rest) = q.as_chunks_mut::<LANES>();
        for (x, q) in x_chunks.iter().zip(&mut *q_chunks) {
            quantize_lanes(simd, simd.load(x), inverse, zero, q);
        }
        if x_rest.is_empty() {
            return;
        }
        let mut last = [0; LANES];
        quantize_lanes(simd, simd.load_part(x_rest, 0.0), inverse, zero, &mut last);
        last[x_rest.len()..].fill(0);
        // Padding may complete the last chunk.
        match q_rest.len() {
            0 => q_chunks[x_chunks.len()] = last,
            rest => q_rest.copy_from_slice(&last[..rest]),
        }
    }
}

/// `clamp(round(x·inverse) + zero, 0, 127)`
#[inline(always)]
fn quantize_lanes<S: Simd>(simd: S, x: S::F, inverse: f32, zero: i32, out: &mut [u8; LANES]) {
    // Limited first, to whole numbers, which is the same: rounding keeps their order, and holds for
    // numbers so small. NaN becomes the lower limit.
    let scaled = simd.mul(x, simd.splat(inverse));
    let (lowest, highest) = (-zero as f32, (MAX_Q - zero) as f32);
    let limited = simd.min(simd.max(scaled, simd.splat(lowest)), simd.splat(highest));
    let bits = simd.bits(simd.add(limited, simd.splat(ROUND_MAGIC)));
    let shift = zero.wrapping_sub(ROUND_MAGIC.to_bits() as i32);
    simd.store_u8(simd.add_i(bits, simd.splat_i(shift)), out);
}

/// `(min(0, x), max(0, x))`, NaN ignored, both limited so that their difference is finite.
#[inline(always)]
fn range<S: Simd>(simd: S, x: &[f32]) -> (f32, f32) {
    let zero = simd.splat(0.0);
    let (mut lo, mut hi) = ([zero; WIDE], [zero; WIDE]);
    let (blocks, rest) = x.as_chunks::<{ WIDE * LANES }>();
    for x in blocks {
        let x = x.as_chunks::<LANES>().0;
        for i in 0..WIDE {
            let x = simd.load(&x[i]);
            (lo[i], hi[i]) = (simd.min(x, lo[i]), simd.max(x, hi[i]));
        }
    }
    for x in rest.chunks(LANES) {
        let x = simd.load_part(x, 0.0);
        (lo[0], hi[0]) = (simd.min(x, lo[0]), simd.max(x, hi[0]));
    }
    let lo = simd.min(simd.min(lo[0], lo[1]), simd.min(lo[2], lo[3]));
    let hi = simd.max(simd.max(hi[0], hi[1]), simd.max(hi[2], hi[3]));
    let lo = -simd.max_lane(simd.sub(simd.splat(0.0), lo));
    let hi = simd.max_lane(hi);
    const LIMIT: f32 = f32::MAX / 2.0;
    (
        if lo < -LIMIT { -LIMIT } else { lo },
        if hi > LIMIT { LIMIT } else { hi },
    )
}
