//! AVX2 tile: `vpmaddubsw` (u8·s8, pairs summed to i16), `vpmaddwd` by ones (pairs of those to i32),
//! `vpaddd`. No step saturates: a pair is at most 2·127·127 = 32258 < 2^15.
//!
//! Tiles are up to 4 rows x 1 panel (16 outputs): 8 accumulators, 2 weight vectors, the broadcast
//! activations, the ones and temporaries fit 16 registers. A step reads 64 bytes of weights and four
//! bytes per row; there are no tails, the layout is padded.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, STEP_BYTES, Tile, TileInput};
use crate::simd::x86_64::Avx2;

impl Tile for Avx2 {
    const ROWS: usize = 4;
    const PANELS: usize = 1;

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        // SAFETY: the token proves AVX2; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(input.rows, input.panels, tile, (input, acc), [1 x 1, 2 x 1, 3 x 1, 4 x 1]);
        }
    }
}

/// Steps per turn of the loop: with few rows a step is so short that the loop itself would count.
const fn unrolled(rows: usize) -> usize {
    if rows <= 2 { 4 } else { 1 }
}

/// # Safety
/// AVX2; `input`'s slices hold `R` rows and `P` panels of its steps.
#[inline(always)]
unsafe fn tile<const R: usize, const P: usize>(input: TileInput<'_>, acc: &mut Accumulators) {
    let unrolled = const { unrolled(R) };
    // SAFETY: as this function demands.
    unsafe {
        let mut sums = [[_mm256_setzero_si256(); 2]; R];
        let mut step = 0;
        while step + unrolled <= input.steps {
            for _ in 0..unrolled {
                add_step(&input, step, &mut sums);
                step += 1;
            }
        }
        while step < input.steps {
            add_step(&input, step, &mut sums);
            step += 1;
        }
        for r in 0..R {
            let out = acc[0][r].as_mut_ptr().cast::<__m256i>();
            _mm256_storeu_si256(out, sums[r][0]);
            _mm256_storeu_si256(out.add(1), sums[r][1]);
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
        let ones = _mm256_set1_epi16(1);
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
                let pairs = _mm256_maddubs_epi16(a, w[half]);
                sums[r][half] = _mm256_add_epi32(sums[r][half], _mm256_madd_epi16(pairs, ones));
            }
        }
    }
}
