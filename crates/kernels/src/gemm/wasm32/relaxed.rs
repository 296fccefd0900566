//! Relaxed SIMD tile: `i32x4.relaxed_dot_i8x16_i7x16_add_s` sums four products s8·u7 into i32. Its
//! result may vary between engines only where the second operand exceeds 7 bits, or where a sum of
//! two products exceeds i16: never here, 2·127·127 < 2^15. So it is exact.
//!
//! On x86 without AVX-VNNI V8 makes five instructions of it: it builds a vector of ones anew for
//! each. There the tile adds up the pairs of `i16x8.relaxed_dot_i8x16_i7x16_s` itself, in three.
//!
//! V8 had this wrong while it was behind a flag (Node.js 20): run the self-test before use.
//!
//! Up to 2 rows take a whole panel, more rows half a panel at a time: up to 8 accumulators, 4 weight
//! vectors and the broadcast activations, within the 16 registers that an x86 browser has.
#![allow(unsafe_code)]

use std::arch::wasm32::*;
use std::hint::black_box;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, STEP_BYTES, Tile, TileInput};
use crate::simd::wasm32::RelaxedSimd;

impl Tile for RelaxedSimd {
    const ROWS: usize = 4;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        if self.dot_is_composed {
            // A vector that the compiler knows it would write into the loop, as what it is: V8 would
            // build it anew for each step.
            let ones = black_box(i16x8_splat(1));
            let dot = |w, a, sum| {
                let pairs = i16x8_relaxed_dot_i8x16_i7x16(w, a);
                i32x4_add(sum, i32x4_dot_i16x8(pairs, ones))
            };
            tile_with(input, acc, dot);
        } else {
            tile_with(input, acc, |w, a, sum| {
                i32x4_relaxed_dot_i8x16_i7x16_add(w, a, sum)
            });
        }
    }
}

/// Calculates with `dot(w, a, sum)`: `sum` plus four products each.
#[inline(always)]
fn tile_with(input: TileInput<'_>, acc: &mut Accumulators, dot: impl Fn(v128, v128, v128) -> v128) {
    // SAFETY: the slices have been checked to hold all rows, panels and steps.
    unsafe {
        tile_shapes!(input.rows, input.panels, tile, (input, acc, dot), [1 x 1, 2 x 1, 3 x 1, 4 x 1]);
    }
}

/// # Safety
/// `input`'s slices hold `R` rows and `P` panels of its steps.
#[inline(always)]
unsafe fn tile<const R: usize, const P: usize>(
    input: TileInput<'_>,
    acc: &mut Accumulators,
    dot: impl Fn(v128, v128, v128) -> v128,
) {
    // SAFETY: as this function demands; a panel's step is four vectors.
    unsafe {
        if R <= 2 {
            part::<R, 4>(&input, 0, acc, dot);
        } else {
            part::<R, 2>(&input, 0, acc, &dot);
            part::<R, 2>(&input, 2, acc, &dot);
        }
    }
}

/// The outputs of `V` vectors of a panel's four, from vector `first` on.
///
/// # Safety
/// As [`tile`]; `first + V <= 4`.
#[inline(always)]
unsafe fn part<const R: usize, const V: usize>(
    input: &TileInput<'_>,
    first: usize,
    acc: &mut Accumulators,
    dot: impl Fn(v128, v128, v128) -> v128,
) {
    let TileInput {
        a,
        stride,
        w,
        steps,
        ..
    } = *input;
    let (a, w) = (a.as_ptr(), w.as_ptr());
    let mut sums = [[i32x4_splat(0); V]; R];
    for step in 0..steps {
        let mut weights = [i32x4_splat(0); V];
        for v in 0..V {
            // SAFETY: the panel holds `steps` steps; v128 loads need no alignment.
            weights[v] = unsafe { v128_load(w.add(step * STEP_BYTES + (first + v) * 16).cast()) };
        }
        for r in 0..R {
            // SAFETY: the row holds `4 * steps` bytes.
            let a = unsafe { v128_load32_splat(a.add(r * stride + 4 * step).cast()) };
            for v in 0..V {
                sums[r][v] = dot(weights[v], a, sums[r][v]);
            }
        }
    }
    for r in 0..R {
        let out = acc[0][r][4 * first..][..4 * V].as_mut_ptr().cast::<v128>();
        for v in 0..V {
            // SAFETY: `4 * V` numbers are writable; v128 stores need no alignment.
            unsafe { v128_store(out.add(v), sums[r][v]) }
        }
    }
}
