//! SIMD128 tile: weights are widened to i16 as they are loaded, `i32x4.dot_i16x8_s` multiplies and
//! adds pairs, exactly. The two pair sums of an output stay apart in the accumulators and are added
//! at the end.
//!
//! A panel is taken four outputs at a time: for up to 4 rows that makes 8 accumulators, 2 widened
//! weight vectors and the broadcast activations, within the 16 registers that an x86 browser has.
#![allow(unsafe_code)]

use std::arch::wasm32::*;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, PANEL, STEP_BYTES, Tile, TileInput};
use crate::simd::wasm32::Simd128;

impl Tile for Simd128 {
    const ROWS: usize = 4;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        // SAFETY: the token proves SIMD128; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(input.rows, input.panels, tile, (input, acc), [1 x 1, 2 x 1, 3 x 1, 4 x 1]);
        }
    }
}

/// # Safety
/// `input`'s slices hold `R` rows and `P` panels of its steps.
#[inline(always)]
unsafe fn tile<const R: usize, const P: usize>(input: TileInput<'_>, acc: &mut Accumulators) {
    let TileInput {
        a,
        stride,
        w,
        steps,
        ..
    } = input;
    let (a, w) = (a.as_ptr(), w.as_ptr());
    for quarter in 0..PANEL / 4 {
        let mut sums = [[i32x4_splat(0); 2]; R];
        for step in 0..steps {
            // SAFETY: the panel holds `steps` steps.
            let w = unsafe {
                let w = w.add(step * STEP_BYTES + quarter * 16);
                [i16x8_load_extend_i8x8(w), i16x8_load_extend_i8x8(w.add(8))]
            };
            for r in 0..R {
                // SAFETY: the row holds `4 * steps` bytes.
                let a = unsafe { v128_load32_splat(a.add(r * stride + 4 * step).cast()) };
                let a = u16x8_extend_low_u8x16(a);
                for half in 0..2 {
                    sums[r][half] = i32x4_add(sums[r][half], i32x4_dot_i16x8(a, w[half]));
                }
            }
        }
        for r in 0..R {
            let [low, high] = sums[r];
            let even = i32x4_shuffle::<0, 2, 4, 6>(low, high);
            let odd = i32x4_shuffle::<1, 3, 5, 7>(low, high);
            let out = acc[0][r][4 * quarter..][..4].as_mut_ptr();
            // SAFETY: four i32 are writable; v128 stores need no alignment.
            unsafe { v128_store(out.cast(), i32x4_add(even, odd)) }
        }
    }
}
