//! Int8 matrix product with its epilogue: `out[m,n] = epilogue(a[m,k] · w[n,k]ᵀ)`.
//!
//! `a` is unsigned 7-bit with one scale and zero point per row ([`QuantizedRows`]), `w` signed
//! 8-bit in -127..=127 with one scale per output ([`PackedWeights`]):
//!
//! ```text
//! y[m,n] = (acc[m,n] - zero[m]·colsum[n]) as f32 · (scale_a[m]·scale_w[n]) + bias[n]
//! ```
//!
//! Integers are exact: |acc| ≤ 127·127·k and |zero·colsum| ≤ 127·127·k, both below 2^31 for
//! k ≤ [`MAX_K`]; their difference is Σ (q - zero)·w, within the same bound. A missing bias is 0.0.
//!
//! An instruction set contributes one [`Tile`]: the integer product of a few rows and panels.
//! The loops are shared ([`blocked`]), and so is what becomes of the sums: they are [`stored`] through
//! an epilogue, or only the largest are kept ([`top`]). [`scalar`] is the oracle.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod blocked;
pub(crate) mod scalar;
mod selection;
mod stored;
mod tile;
mod top;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm32;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use selection::Selection;

use crate::isa::Task;
use crate::simd::{LANES, Simd};
use crate::{Isa, Kernels, QuantizedRows};

/// Largest inner dimension: 127·127·65536 < 2^31.
pub const MAX_K: usize = 1 << 16;

/// Outputs of a weight panel.
pub(crate) const PANEL: usize = LANES;
/// Bytes of a panel per step of four inputs.
pub(crate) const STEP_BYTES: usize = 4 * PANEL;
/// Rows of the highest tile of any instruction set.
pub(crate) const MAX_ROWS: usize = 32;
/// Panels of the widest tile of any instruction set.
pub(crate) const MAX_PANELS: usize = 2;

/// Integer results of a tile, panel by panel.
pub(crate) type Accumulators = [[[i32; PANEL]; MAX_ROWS]; MAX_PANELS];

/// A few rows times a few panels.
#[derive(Clone, Copy)]
pub(crate) struct TileInput<'a> {
    /// Rows of `4 * steps` bytes, `stride` apart.
    a: &'a [u8],
    stride: usize,
    /// `1..=Tile::ROWS`
    rows: usize,
    /// Consecutive panels of `steps * 64` bytes.
    w: &'a [i8],
    /// `1..=Tile::PANELS`
    panels: usize,
    /// Inputs in groups of four.
    steps: usize,
    /// Weights to prefetch while computing: `ahead_bytes` more with each panel of each step.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "no such instruction")
    )]
    ahead: *const i8,
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "no such instruction")
    )]
    ahead_bytes: usize,
}

impl TileInput<'_> {
    /// Panics unless the slices hold all rows, panels and steps.
    #[inline(always)]
    #[cfg_attr(
        not(any(
            target_arch = "x86_64",
            target_arch = "wasm32",
            target_arch = "aarch64"
        )),
        expect(dead_code)
    )]
    fn assert_lengths(&self) {
        assert!(self.rows > 0 && self.a.len() >= (self.rows - 1) * self.stride + 4 * self.steps);
        assert!(self.w.len() >= self.panels * self.steps * STEP_BYTES);
    }
}

/// The integer part of an instruction set.
pub(crate) trait Tile: Copy {
    /// Most rows of one tile, up to [`MAX_ROWS`].
    const ROWS: usize;
    /// Most panels of one tile, up to [`MAX_PANELS`].
    const PANELS: usize;
    /// Tiles begin at multiples of this many rows of a block.
    const UNIT: usize = 1;

    /// Called before the tiles of a product of `rows` rows.
    #[inline(always)]
    fn begin(self, _rows: usize) {}

    /// Called after them.
    #[inline(always)]
    fn end(self) {}

    /// `acc[p][r][n] = Σ_k a[r][k] · w[p][k][n]`
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators);
}

/// The numbers of a panel's outputs; behind the last one results are -inf.
#[derive(Clone, Copy)]
pub(crate) struct Panel {
    scale: [f32; PANEL],
    colsum: [i32; PANEL],
    bias: [f32; PANEL],
}

impl Panel {
    const EMPTY: Self = Self {
        scale: [0.0; PANEL],
        colsum: [0; PANEL],
        bias: [f32::NEG_INFINITY; PANEL],
    };
}

/// Int8 weights `[n, k]`, packed for streaming: `[ceil(n/16)][ceil(k/4)][16][4]`, zero-padded.
#[derive(Clone, Copy, Debug)]
pub struct PackedWeights<'a> {
    data: &'a [i8],
    n: usize,
    k: usize,
    scale: &'a [f32],
    colsum: &'a [i32],
}

/// Why slices are not packed weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedWeightsError {
    /// `data` does not have the size of the packed layout.
    #[error(
        "packed weights of {n} outputs and {k} inputs hold {found} bytes, expected {expected} (16x4 blocks, zero-padded)"
    )]
    Data {
        /// Outputs.
        n: usize,
        /// Inputs.
        k: usize,
        /// Bytes of the layout.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// `scale` must have one number per output.
    #[error("scale has {found} numbers, expected one for each of {expected} outputs")]
    Scale {
        /// Outputs.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// `colsum` must have one number per output.
    #[error("colsum has {found} numbers, expected one for each of {expected} outputs")]
    ColSum {
        /// Outputs.
        expected: usize,
        /// Numbers given.
        found: usize,
    },
    /// The i32 sums could overflow.
    #[error("{k} inputs: sums are exact up to {MAX_K} inputs only")]
    TooManyInputs {
        /// Inputs.
        k: usize,
    },
}

impl<'a> PackedWeights<'a> {
    /// Checks the lengths. `colsum[n]` is the sum of output n's weights; `data` in -127..=127.
    pub fn new(
        data: &'a [i8],
        n: usize,
        k: usize,
        scale: &'a [f32],
        colsum: &'a [i32],
    ) -> Result<Self, PackedWeightsError> {
        if k > MAX_K {
            return Err(PackedWeightsError::TooManyInputs { k });
        }
        let expected = Self::packed_len(n, k);
        if data.len() != expected {
            return Err(PackedWeightsError::Data {
                n,
                k,
                expected,
                found: data.len(),
            });
        }
        if scale.len() != n {
            return Err(PackedWeightsError::Scale {
                expected: n,
                found: scale.len(),
            });
        }
        if colsum.len() != n {
            return Err(PackedWeightsError::ColSum {
                expected: n,
                found: colsum.len(),
            });
        }
        Ok(Self {
            data,
            n,
            k,
            scale,
            colsum,
        })
    }

    /// Bytes of the packed layout (saturating, so that an absurd shape never fits).
    pub const fn packed_len(n: usize, k: usize) -> usize {
        n.div_ceil(PANEL)
            .saturating_mul(k.div_ceil(4))
            .saturating_mul(STEP_BYTES)
    }

    /// Index of weight (n, k) in the packed layout.
    pub const fn packed_index(self, n: usize, k: usize) -> usize {
        ((n / PANEL * self.k.div_ceil(4) + k / 4) * PANEL + n % PANEL) * 4 + k % 4
    }

    /// Bytes of a panel.
    const fn panel_bytes(self) -> usize {
        self.k.div_ceil(4) * STEP_BYTES
    }

    /// Outputs.
    pub const fn n(self) -> usize {
        self.n
    }

    /// Inputs.
    pub const fn k(self) -> usize {
        self.k
    }

    /// The packed bytes.
    pub const fn data(self) -> &'a [i8] {
        self.data
    }

    /// One scale per output.
    pub const fn scale(self) -> &'a [f32] {
        self.scale
    }

    /// Sum of the weights of each output.
    pub const fn colsum(self) -> &'a [i32] {
        self.colsum
    }
}

/// What happens to `y = x·w + bias` (bias `[n]`, 0 where missing) at the end of a product.
#[derive(Clone, Copy, Debug)]
pub enum Epilogue<'a> {
    /// `out = y`
    Store {
        /// Added to each row.
        bias: Option<&'a [f32]>,
    },
    /// `out = max(y, 0)`
    Relu {
        /// Added to each row.
        bias: Option<&'a [f32]>,
    },
    /// `out += y`
    Residual {
        /// Added to each row.
        bias: Option<&'a [f32]>,
    },
}

impl<'a> Epilogue<'a> {
    pub(crate) const fn bias(self) -> Option<&'a [f32]> {
        match self {
            Self::Store { bias } | Self::Relu { bias } | Self::Residual { bias } => bias,
        }
    }

    /// The value to store, given what `out` holds.
    #[inline(always)]
    pub(crate) fn apply(self, y: f32, out: f32) -> f32 {
        match self {
            Self::Store { .. } => y,
            Self::Relu { .. } => {
                if y > 0.0 {
                    y
                } else {
                    0.0
                }
            }
            Self::Residual { .. } => out + y,
        }
    }
}

impl Kernels {
    /// Int8 linear layer: `out[rows, n] = epilogue(a · wᵀ)`, see the formula of [`PackedWeights`]'s
    /// module.
    ///
    /// # Panics
    /// If `a` has another k than `w`, `out` is not `rows * n` long, or a bias not `n`.
    pub fn linear_i8(
        self,
        a: &QuantizedRows,
        w: PackedWeights<'_>,
        epilogue: Epilogue<'_>,
        out: &mut [f32],
    ) {
        assert_eq!(
            a.k(),
            w.k,
            "activations have {} columns, the weights {} inputs",
            a.k(),
            w.k
        );
        assert_eq!(
            out.len(),
            a.rows() * w.n,
            "output is not [{}, {}]",
            a.rows(),
            w.n
        );
        if let Some(bias) = epilogue.bias() {
            assert_eq!(
                bias.len(),
                w.n,
                "bias has {} numbers for {} outputs",
                bias.len(),
                w.n
            );
        }
        if self.isa() == Isa::Scalar {
            scalar::linear(a, w, epilogue, out);
        } else {
            self.run(Linear {
                a,
                w,
                epilogue,
                out,
            });
        }
    }
}

struct Linear<'a> {
    a: &'a QuantizedRows,
    w: PackedWeights<'a>,
    epilogue: Epilogue<'a>,
    out: &'a mut [f32],
}

impl Task for Linear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        stored::linear(simd, self.a, self.w, self.epilogue, self.out);
    }
}
