//! The loops around a tile.
//!
//! Order: blocks of rows that fit the L2 cache, in them strips of panels, in them tiles of rows.
//! So a strip of weights is read from memory once per block and stays in the L1 or L2 cache for
//! all its rows; with few rows (one block, one or two tiles) each weight is streamed exactly once.

use super::{
    Accumulators, MAX_PANELS, MAX_ROWS, PANEL, PackedWeights, Panel, STEP_BYTES, TileInput,
};
use crate::QuantizedRows;
use crate::simd::Simd;

/// Bytes of activations of a block of rows.
const BLOCK_BYTES: usize = 256 * 1024;

/// How far ahead of their use weights are fetched when they are used once: a core's requests to the
/// L3 cache are under way for some kilobytes, and with what is in use they must fit the L1 cache.
const AHEAD: usize = 6 * 1024;

/// Cache lines that a row fetches meanwhile.
const LINES: usize = 4;
const LINE_BYTES: usize = 64;

/// What becomes of the integer results of a tile.
pub(super) trait Finish {
    /// Added to each row, 0 where missing.
    fn bias(&self) -> Option<&[f32]>;

    /// Takes the sums of a tile. For each row columns come in ascending order.
    fn finish<S: Simd>(&mut self, simd: S, sums: Sums<'_>);
}

#[inline(always)]
pub(super) fn product<S: Simd>(
    simd: S,
    a: &QuantizedRows,
    w: PackedWeights<'_>,
    mut finish: impl Finish,
) {
    let (rows, stride, n) = (a.rows(), a.stride(), w.n());
    if n == 0 || rows == 0 {
        return;
    }
    let steps = w.k().div_ceil(4);
    let panels = n.div_ceil(PANEL);
    let panel_bytes = w.panel_bytes();
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
            let columns = Columns::new(w, finish.bias(), panel, strip);
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
                    ahead: weights.as_ptr().wrapping_add(if tiles == 1 {
                        AHEAD.min(weights.len())
                    } else {
                        // Each tile of a strip fetches its share of the next strip.
                        weights.len() + weights.len() * tile / tiles
                    }),
                    ahead_bytes: STEP_BYTES / tiles,
                };
                simd.tile(input, &mut acc);
                let sums = Sums {
                    first_row: row,
                    scales: &a.scales()[row..row + height],
                    zeros: &a.zeros()[row..row + height],
                    columns: &columns,
                    acc: &acc,
                };
                finish.finish(simd, sums);
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
pub(super) struct Columns {
    /// First output and number of outputs of the strip.
    pub(super) first: usize,
    pub(super) outputs: usize,
    /// The weights of the strip after the next.
    ahead: *const i8,
    panels: [Panel; MAX_PANELS],
}

impl Columns {
    #[inline(always)]
    fn new(w: PackedWeights<'_>, bias: Option<&[f32]>, first_panel: usize, strip: usize) -> Self {
        let first = first_panel * PANEL;
        let outputs = (strip * PANEL).min(w.n() - first);
        let mut panels = [Panel::EMPTY; MAX_PANELS];
        for (p, panel) in panels[..strip].iter_mut().enumerate() {
            let start = first + p * PANEL;
            let span = start..(start + PANEL).min(first + outputs);
            fill(&mut panel.scale, &w.scale()[span.clone()]);
            fill(&mut panel.colsum, &w.colsum()[span.clone()]);
            match bias {
                Some(bias) => fill(&mut panel.bias, &bias[span]),
                None => panel.bias[..span.len()].fill(0.0),
            }
        }
        Self {
            first,
            outputs,
            ahead: w
                .data()
                .as_ptr()
                .wrapping_add((first_panel + 2 * strip) * w.panel_bytes()),
            panels,
        }
    }

    /// Begins to load some cache lines of later weights, which are still to come when the next tile
    /// asks for what follows them: a row whose epilogue is long would leave the memory idle.
    #[inline(always)]
    pub(super) fn prefetch<S: Simd>(&self, simd: S, row: usize) {
        for line in 0..LINES {
            simd.prefetch(self.ahead.wrapping_add((row * LINES + line) * LINE_BYTES));
        }
    }

    /// The numbers of a panel in registers.
    #[inline(always)]
    pub(super) fn dequantize<S: Simd>(&self, simd: S, panel: usize) -> Dequantize<S> {
        let Panel {
            scale,
            colsum,
            bias,
        } = &self.panels[panel];
        Dequantize {
            scale: simd.load(scale),
            colsum: simd.load_i(colsum),
            bias: simd.load(bias),
        }
    }
}

/// The integer results of a tile, and the numbers that make outputs of them.
#[derive(Clone, Copy)]
pub(super) struct Sums<'a> {
    pub(super) first_row: usize,
    scales: &'a [f32],
    zeros: &'a [i32],
    pub(super) columns: &'a Columns,
    pub(super) acc: &'a Accumulators,
}

impl Sums<'_> {
    /// Number of rows.
    #[inline(always)]
    pub(super) fn rows(self) -> usize {
        self.scales.len()
    }

    /// Zero point and scale of one row in all lanes.
    #[inline(always)]
    pub(super) fn row<S: Simd>(self, simd: S, row: usize) -> (S::I, S::F) {
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
pub(super) struct Dequantize<S: Simd> {
    scale: S::F,
    colsum: S::I,
    bias: S::F,
}

impl<S: Simd> Dequantize<S> {
    /// `(acc - zero·colsum) as f32 · (scale·scale_w) + bias` of one row.
    #[inline(always)]
    pub(super) fn row(self, simd: S, acc: &[i32; PANEL], zero: S::I, scale: S::F) -> S::F {
        simd.add(self.row_without_bias(simd, acc, zero, scale), self.bias)
    }

    /// The same where the bias is 0 everywhere.
    #[inline(always)]
    pub(super) fn row_without_bias(
        self,
        simd: S,
        acc: &[i32; PANEL],
        zero: S::I,
        scale: S::F,
    ) -> S::F {
        let correction = simd.mul_i(zero, self.colsum);
        let sum = simd.to_f32(simd.sub_i(simd.load_i(acc), correction));
        simd.mul(sum, simd.mul(scale, self.scale))
    }
}
