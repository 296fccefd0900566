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
                for p in 0..strip {
                    columns.finish(simd, p, a, row, height, &acc, epilogue, out);
                }
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

    /// Epilogue of panel `p` for `height` rows; `out: [height, n]`.
    #[inline(always)]
    fn finish<S: Simd>(
        &self,
        simd: S,
        p: usize,
        a: &QuantizedRows,
        row: usize,
        height: usize,
        acc: &Accumulators,
        epilogue: Epilogue<'_>,
        out: &mut [f32],
    ) {
        let first = self.first + p * PANEL;
        let width = PANEL.min(self.first + self.outputs - first);
        let n = out.len() / height;
        let panel = Dequantize::new(simd, &self.panels[p]);
        let numbers = a.scales()[row..].iter().zip(&a.zeros()[row..]);
        let rows = numbers.zip(&acc[p][..height]);
        // The rest of each row from the panel on; the next row's beginning belongs to it, unread.
        let outs = out[first..].chunks_mut(n);
        // One loop for each epilogue; what the rows have in common stays in registers.
        macro_rules! each_row {
            ($value:expr) => {
                if width == PANEL {
                    for (((&scale, &zero), acc), out) in rows.zip(outs) {
                        let y = panel.row(simd, acc, zero, scale);
                        if let Some(out) = out.first_chunk_mut::<PANEL>() {
                            simd.store($value(y, simd.load(out)), out);
                        }
                    }
                } else {
                    for (((&scale, &zero), acc), out) in rows.zip(outs) {
                        let y = panel.row(simd, acc, zero, scale);
                        let out = &mut out[..width];
                        simd.store_part($value(y, simd.load_part(out, 0.0)), out);
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
    fn row(self, simd: S, acc: &[i32; PANEL], zero: i32, scale: f32) -> S::F {
        let correction = simd.mul_i(simd.splat_i(zero), self.colsum);
        let sum = simd.to_f32(simd.sub_i(simd.load_i(acc), correction));
        let scale = simd.mul(simd.splat(scale), self.scale);
        simd.add(simd.mul(sum, scale), self.bias)
    }
}
