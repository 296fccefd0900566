//! AVX-VNNI tile: `vpdpbusd` on 256 bits sums four products u8·s8 into i32, without saturation.
//!
//! Tiles are up to 6 rows x 1 panel: 12 accumulators, 2 weight vectors, the broadcast activations.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, STEP_BYTES, Tile};
use crate::simd::x86_64::AvxVnni;

impl Tile for AvxVnni {
    const ROWS: usize = 6;
    const PANELS: usize = 1;

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
        // SAFETY: the token proves AVX-VNNI; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(rows, panels, tile, (a, stride, w, steps, acc), [1 x 1, 2 x 1, 3 x 1, 4 x 1, 5 x 1, 6 x 1]);
        }
    }
}

/// # Safety
/// AVX-VNNI; `R` rows of `4 * steps` bytes, `stride` apart, at `a`; `P` panels at `w`.
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
        let mut sums = [[_mm256_setzero_si256(); 2]; R];
        for step in 0..steps {
            let w = w.add(step * STEP_BYTES);
            let w = [
                _mm256_loadu_si256(w.cast()),
                _mm256_loadu_si256(w.add(32).cast()),
            ];
            for r in 0..R {
                let a =
                    _mm256_set1_epi32(a.add(r * stride + 4 * step).cast::<i32>().read_unaligned());
                for half in 0..2 {
                    sums[r][half] = _mm256_dpbusd_avx_epi32(sums[r][half], a, w[half]);
                }
            }
        }
        for r in 0..R {
            let out = acc[r].as_mut_ptr().cast::<__m256i>();
            _mm256_storeu_si256(out, sums[r][0]);
            _mm256_storeu_si256(out.add(1), sums[r][1]);
        }
    }
}
