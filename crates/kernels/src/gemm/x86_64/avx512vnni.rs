//! AVX-512 VNNI tile: one 64-byte load is a whole step of a panel (16 outputs x 4 inputs), and
//! `vpdpbusd` on 512 bits sums four products u8·s8 into each i32, without saturation.
//!
//! Tiles are up to 12 rows x 2 panels: 24 accumulators, 2 weight vectors and the broadcast
//! activations of 32 registers. Two panels halve the broadcasts per product, which would otherwise
//! be as many as the products.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, STEP_BYTES, Tile};
use crate::simd::x86_64::Avx512Vnni;

impl Tile for Avx512Vnni {
    const ROWS: usize = 12;
    const PANELS: usize = 2;

    #[inline(always)]
    fn tile(
        self,
        a: &[u8],
        stride: usize,
        rows: usize,
        w: &[i8],
        panels: usize,
        steps: usize,
        acc: &mut Accumulators,
    ) {
        assert!(a.len() >= (rows - 1) * stride + 4 * steps);
        assert!(w.len() >= panels * steps * STEP_BYTES);
        let (a, w) = (a.as_ptr(), w.as_ptr());
        // SAFETY: the token proves AVX-512 VNNI; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(rows, panels, tile, (a, stride, w, steps, acc), [
                1 x 1, 2 x 1, 3 x 1, 4 x 1, 5 x 1, 6 x 1, 7 x 1, 8 x 1, 9 x 1, 10 x 1, 11 x 1, 12 x 1,
                1 x 2, 2 x 2, 3 x 2, 4 x 2, 5 x 2, 6 x 2, 7 x 2, 8 x 2, 9 x 2, 10 x 2, 11 x 2, 12 x 2,
            ]);
        }
    }
}

/// # Safety
/// AVX-512 F and VNNI; `R` rows of `4 * steps` bytes, `stride` apart, at `a`; `P` panels at `w`.
#[inline(always)]
unsafe fn tile<const R: usize, const P: usize>(
    a: *const u8,
    stride: usize,
    w: *const i8,
    steps: usize,
    acc: &mut Accumulators,
) {
    // SAFETY: as this function demands.
    unsafe {
        let mut sums = [[_mm512_setzero_si512(); P]; R];
        for step in 0..steps {
            let mut weights = [_mm512_setzero_si512(); P];
            for p in 0..P {
                weights[p] = _mm512_loadu_si512(w.add((p * steps + step) * STEP_BYTES).cast());
            }
            for r in 0..R {
                let a =
                    _mm512_set1_epi32(a.add(r * stride + 4 * step).cast::<i32>().read_unaligned());
                for p in 0..P {
                    sums[r][p] = _mm512_dpbusd_epi32(sums[r][p], a, weights[p]);
                }
            }
        }
        for r in 0..R {
            for p in 0..P {
                _mm512_storeu_si512(acc[r * P + p].as_mut_ptr().cast(), sums[r][p]);
            }
        }
    }
}
