//! NEON dot product tile: `sdot` sums four products s8·s8 into each i32; activations in 0..=127 are
//! the same as signed bytes. Written as inline assembly, its intrinsic not being stable.
//!
//! Up to 4 rows x 1 panel: 16 accumulators, 4 weight vectors and the broadcast activations of 32
//! registers.
#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::arch::asm;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, STEP_BYTES, Tile, TileInput};
use crate::simd::aarch64::NeonDot;

impl Tile for NeonDot {
    const ROWS: usize = 4;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        // SAFETY: the token proves the dot product; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(input.rows, input.panels, tile, (input, acc), [1 x 1, 2 x 1, 3 x 1, 4 x 1]);
        }
    }
}

/// `sum + a·w` per group of four bytes.
///
/// # Safety
/// The CPU has the dot product extension.
#[inline(always)]
unsafe fn dot(mut sum: int32x4_t, a: int8x16_t, w: int8x16_t) -> int32x4_t {
    // SAFETY: as this function demands; registers only.
    unsafe {
        asm!(
            ".arch_extension dotprod",
            "sdot {sum:v}.4s, {a:v}.16b, {w:v}.16b",
            sum = inout(vreg) sum,
            a = in(vreg) a,
            w = in(vreg) w,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

/// # Safety
/// NEON with dot product; `input`'s slices hold `R` rows and `P` panels of its steps.
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
        let mut sums = [[vdupq_n_s32(0); 4]; R];
        for step in 0..steps {
            let w = w.add(step * STEP_BYTES);
            let w = [
                vld1q_s8(w),
                vld1q_s8(w.add(16)),
                vld1q_s8(w.add(32)),
                vld1q_s8(w.add(48)),
            ];
            for r in 0..R {
                let a = a.add(r * stride + 4 * step).cast::<i32>().read_unaligned();
                let a = vreinterpretq_s8_s32(vdupq_n_s32(a));
                for quarter in 0..4 {
                    sums[r][quarter] = dot(sums[r][quarter], a, w[quarter]);
                }
            }
        }
        for r in 0..R {
            for quarter in 0..4 {
                vst1q_s32(acc[0][r][4 * quarter..][..4].as_mut_ptr(), sums[r][quarter]);
            }
        }
    }
}
