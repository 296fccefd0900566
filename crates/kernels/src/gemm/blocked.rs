//! The loops around a tile, and the epilogue.
//!
//! Order: blocks of rows that fit the L2 cache, in them strips of panels, in them tiles of rows.
//! So a strip of weights is read from memory once per block and stays in the L1 or L2 cache for
//! all its rows; with few rows (one block, one or two tiles) each weight is streamed exactly once.

use super::{
    Accumulators, Epilogue, MAX_PANELS, MAX_ROWS, PANEL, PackedWeights, Panel, STEP_BYTES,
    TileInput,
};
use crate::QuantizedRows;
use crate::simd::Simd;

/// Bytes of activations of a block of rows.
const BLOCK_BYTES: usize = 256 * 1024;

#[inline(always)]
pub(crate) fn linear<S: Simd>(
    simd: S,
    a: &QuantizedRows,
    w: PackedWeights<'_>,
    epilogue: Epilogue<'_>,
    out: &mut [f32],
) {
    let (rows, stride, n) = (a.rows(), a.stride(), w.n());
    if n == 0 || rows == 0 {
        return;
    }
    let steps = w.k().div_ceil(4);
    let panels = n.div_ceil(PANEL);
    let panel_bytes = steps * STEP_BYTES;
    let block_rows = (BLOCK_BYTES / stride.max(1))
        .next_multiple_of(S::ROWS)
        .max(S::ROWS);

    let mut acc: Accumulators = [[[0; PANEL]; MAX_ROWS]; MAX_PANELS];
    simd.begin(rows);
    let mut block = 0;
    while block < rows {
        let block_end = rows.min(block + block_rows);
        // Tiles of nearly equal height: 7 rows are 4 + 3, not 6 + 1.
        let tiles = (block_end - block).div_ceil(S::ROWS);
        let mut panel = 0;
        while panel < panels {
            let strip = S::PANELS.min(panels - panel);
            let weights = &w.data()[panel * panel_bytes..][..strip * panel_bytes];
            let columns = Columns::new(w, epilogue, panel, strip);
            let mut row = block;
            for tile in 0..tiles {
                let rest = block_end - row;
                let height = rest
                    .div_ceil(tiles - tile)
                    .next_multiple_of(S::UNIT)
                    .min(rest);
                let input = TileInput {
                    a: &a.padded()[row * stride..],
                    stride,
                    rows: height,
                    w: weights,
                    panels: strip,
                    steps,
                    // Each tile of a strip fetches its share of the next strip.
                    ahead: weights
                        .as_ptr()
                        .wrapping_add(weights.len() + weights.len() * tile / tiles),
                    ahead_bytes: STEP_BYTES / tiles,
                };
                simd.tile(input, &mut acc);
                let out = &mut out[row * n..(row + height) * n];
                columns.finish(simd, a, row, height, &acc, epilogue, out);
                row += height;
            }
            panel += strip;
        }
        block = block_end;
    }
    simd.end();
}

/// Per-output numbers of a strip of panels, copied once for all its rows; the last, partial panel is
/// padded.
struct Columns {
    /// First output and number of outputs of the strip.
    first: usize,
    outputs: usize,
    panels: [Panel; MAX_PANELS],
}

impl Columns {
    #[inline(always)]
    fn new(w: PackedWeights<'_>, epilogue: Epilogue<'_>, first_panel: usize, strip: usize) -> Self {
        let first = first_panel * PANEL;
        let outputs = (strip * PANEL).min(w.n() - first);
        let mut panels = [Panel::EMPTY; MAX_PANELS];
        for (p, panel) in panels[..strip].iter_mut().enumerate() {
            let start = first + p * PANEL;
            let span = start..(start + PANEL).min(first + outputs);
            fill(&mut panel.scale, &w.scale()[span.clone()]);
            fill(&mut panel.colsum, &w.colsum()[span.clone()]);
            if let Some(bias) = epilogue.bias() {
                fill(&mut panel.bias, &bias[span]);
            }
        }
        Self {
            first,
            outputs,
            panels,
        }
    }

    /// Epilogue of `height` rows from `row` on; `out: [height, n]`.
    #[inline(always)]
    fn finish<S: Simd>(
        &self,
        simd: S,
        a: &QuantizedRows,
        row: usize,
        height: usize,
        acc: &Accumulators,
        epilogue: Epilogue<'_>,
        out: &mut [f32],
    ) {
        let rows = Scaled {
            scales: &a.scales()[row..row + height],
            zeros: &a.zeros()[row..row + height],
        };
        // Both panels of a row together: what they have in common is loaded once.
        if self.outputs == 2 * PANEL {
            self.whole::<S, 2>(simd, rows, acc, epilogue, out);
        } else if self.outputs == PANEL {
            self.whole::<S, 1>(simd, rows, acc, epilogue, out);
        } else {
            self.partial(simd, rows, acc, epilogue, out);
        }
    }

    /// [`Self::finish`] of `P` whole panels.
    #[inline(always)]
    fn whole<S: Simd, const P: usize>(
        &self,
        simd: S,
        rows: Scaled<'_>,
        acc: &Accumulators,
        epilogue: Epilogue<'_>,
        out: &mut [f32],
    ) {
        let height = rows.scales.len();
        let n = out.len() / height;
        let panels: [_; P] = std::array::from_fn(|p| Dequantize::new(simd, &self.panels[p]));
        let acc: [_; P] = std::array::from_fn(|p| &acc[p][..height]);
        // One loop for each epilogue.
        macro_rules! each_row {
            ($value:expr) => {
                for r in 0..height {
                    let (zero, scale) = rows.splat(simd, r);
                    let out = &mut out[r * n + self.first..][..P * PANEL];
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

    /// [`Self::finish`] of the last outputs, which do not fill their panel.
    #[inline(always)]
    fn partial<S: Simd>(
        &self,
        simd: S,
        rows: Scaled<'_>,
        acc: &Accumulators,
        epilogue: Epilogue<'_>,
        out: &mut [f32],
    ) {
        let height = rows.scales.len();
        let n = out.len() / height;
        for p in 0..self.outputs.div_ceil(PANEL) {
            let panel = Dequantize::new(simd, &self.panels[p]);
            let width = PANEL.min(self.outputs - p * PANEL);
            for (r, acc) in acc[p][..height].iter().enumerate() {
                let (zero, scale) = rows.splat(simd, r);
                let y = panel.row(simd, acc, zero, scale);
                let out = &mut out[r * n + self.first + p * PANEL..][..width];
                let y = match epilogue {
                    Epilogue::Store { .. } => y,
                    Epilogue::Relu { .. } => simd.max(y, simd.splat(0.0)),
                    Epilogue::Residual { .. } => simd.add(simd.load_part(out, 0.0), y),
                };
                simd.store_part(y, out);
            }
        }
    }
}

/// Scale and zero point of some rows.
#[derive(Clone, Copy)]
struct Scaled<'a> {
    scales: &'a [f32],
    zeros: &'a [i32],
}

impl Scaled<'_> {
    /// Zero point and scale of one row in all lanes.
    #[inline(always)]
    fn splat<S: Simd>(self, simd: S, row: usize) -> (S::I, S::F) {
        (simd.splat_i(self.zeros[row]), simd.splat(self.scales[row]))
    }
}

/// Copies into the beginning of a panel; a whole panel without a call.
#[inline(always)]
fn fill<T: Copy>(panel: &mut [T; PANEL], values: &[T]) {
    match values.as_array::<PANEL>() {
        Some(values) => *panel = *values,
        None => panel[..values.len()].copy_from_slice(values),
    }
}

/// The numbers of a panel in registers.
#[derive(Clone, Copy)]
struct Dequantize<S: Simd> {
    scale: S::F,
    colsum: S::I,
    bias: S::F,
}

impl<S: Simd> Dequantize<S> {
    #[inline(always)]
    fn new(simd: S, panel: &Panel) -> Self {
        Self {
            scale: simd.load(&panel.scale),
            colsum: simd.load_i(&panel.colsum),
            bias: simd.load(&panel.bias),
        }
    }

    /// `(acc - zero·colsum) as f32 · (scale·scale_w) + bias` of one row.
    #[inline(always)]
    fn row(self, simd: S, acc: &[i32; PANEL], zero: S::I, scale: S::F) -> S::F {
        let correction = simd.mul_i(zero, self.colsum);
        let sum = simd.to_f32(simd.sub_i(simd.load_i(acc), correction));
        let scale = simd.mul(scale, self.scale);
        simd.add(simd.mul(sum, scale), self.bias)
    }
}
