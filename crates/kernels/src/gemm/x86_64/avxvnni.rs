//! AVX-VNNI tile: `vpdpbusd` on 256 bits sums four products u8·s8 into i32, without saturation.
//!
//! Tiles are up to 6 rows x 1 panel: 12 accumulators, 2 weight vectors, the broadcast activations.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, STEP_BYTES, Tile, TileInput};
use crate::simd::x86_64::AvxVnni;

impl Tile for AvxVnni {
    const ROWS: usize = 6;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        // SAFETY: the token proves AVX-VNNI; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(input.rows, input.panels, tile, (input, acc), [1 x 1, 2 x 1, 3 x 1, 4 x 1, 5 x 1, 6 x 1]);
        }
    }
}

/// Rounds of accumulators for `rows` rows: enough independent sums (at least 8) that a product need
/// not wait for the one before it.
const fn rounds(rows: usize) -> usize {
    match rows {
        1 => 4,
        2 | 3 => 2,
        _ => 1,
    }
}

/// # Safety
/// AVX-VNNI; `input`'s slices hold `R` rows and `P` panels of its steps.
#[inline(always)]
unsafe fn tile<const R: usize, const P: usize>(input: TileInput<'_>, acc: &mut Accumulators) {
    let rounds = const { rounds(R) };
    // SAFETY: as this function demands.
    unsafe {
        let mut sums = [[[_mm256_setzero_si256(); 2]; R]; 4];
        let mut step = 0;
        while step + rounds <= input.steps {
            for sums in sums.iter_mut().take(rounds) {
                add_step(&input, step, sums);
                step += 1;
            }
        }
        while step < input.steps {
            add_step(&input, step, &mut sums[0]);
            step += 1;
        }
        for r in 0..R {
            let out = acc[0][r].as_mut_ptr().cast::<__m256i>();
            for half in 0..2 {
                let mut sum = sums[0][r][half];
                for round in 1..rounds {
                    sum = _mm256_add_epi32(sum, sums[round][r][half]);
                }
                _mm256_storeu_si256(out.add(half), sum);
            }
        }
    }
}

/// # Safety
/// As [`tile`]; `step` is one of `input`'s.
#[inline(always)]
unsafe fn add_step<const R: usize>(
    input: &TileInput<'_>,
    step: usize,
    sums: &mut [[__m256i; 2]; R],
) {
    // SAFETY: as this function demands; a prefetch may have any address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(input.ahead.wrapping_add(step * input.ahead_bytes));
        let w = input.w.as_ptr().add(step * STEP_BYTES);
        let w = [
            _mm256_loadu_si256(w.cast()),
            _mm256_loadu_si256(w.add(32).cast()),
        ];
        for r in 0..R {
            let a = input
                .a
                .as_ptr()
                .add(r * input.stride + 4 * step)
                .cast::<i32>()
                .read_unaligned();
            let a = _mm256_set1_epi32(a);
            for half in 0..2 {
                sums[r][half] = _mm256_dpbusd_avx_epi32(sums[r][half], a, w[half]);
            }
        }
    }
}
