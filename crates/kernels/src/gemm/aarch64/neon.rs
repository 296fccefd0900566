//! NEON tile: `smull` multiplies eight pairs to i16 (at most 127·127, activations fit signed bytes),
//! `sadalp` adds neighbouring pairs to i32. Each i32 lane then holds one of an output's two pairs of
//! inputs, added at the end.
//!
//! A panel is taken four outputs at a time: 8 accumulators for up to 4 rows.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, PANEL, STEP_BYTES, Tile, TileInput};
use crate::simd::aarch64::Neon;

impl Tile for Neon {
    const ROWS: usize = 4;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        // SAFETY: the token proves NEON; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(input.rows, input.panels, tile, (input, acc), [1 x 1, 2 x 1, 3 x 1, 4 x 1]);
        }
    }
}

/// # Safety
/// NEON; `input`'s slices hold `R` rows and `P` panels of its steps.
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
    // SAFETY: as this function demands.
    unsafe {
        for quarter in 0..PANEL / 4 {
            let mut sums = [[vdupq_n_s32(0); 2]; R];
            for step in 0..steps {
                let w = vld1q_s8(w.add(step * STEP_BYTES + quarter * 16));
                for r in 0..R {
                    let a = a.add(r * stride + 4 * step).cast::<i32>().read_unaligned();
                    let a = vreinterpretq_s8_s32(vdupq_n_s32(a));
                    sums[r][0] = vpadalq_s16(sums[r][0], vmull_s8(vget_low_s8(a), vget_low_s8(w)));
                    sums[r][1] = vpadalq_s16(sums[r][1], vmull_high_s8(a, w));
                }
            }
            for r in 0..R {
                let out = acc[0][r][4 * quarter..][..4].as_mut_ptr();
                vst1q_s32(out, vpaddq_s32(sums[r][0], sums[r][1]));
            }
        }
    }
}
