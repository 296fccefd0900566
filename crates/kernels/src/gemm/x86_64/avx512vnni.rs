//! AVX-512 VNNI tile: one 64-byte load is a whole step of a panel (16 outputs x 4 inputs), and
//! `vpdpbusd` on 512 bits sums four products u8·s8 into each i32, without saturation.
//!
//! Tiles are up to 12 rows x 2 panels: 24 accumulators, 2 weight vectors and the broadcast
//! activations of 32 registers. Two panels halve the broadcasts per product, which would otherwise
//! be as many as the products; up to [`STREAMED`] rows take them one after the other all the same.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, MAX_ROWS, PANEL, STEP_BYTES, Tile, TileInput};
use crate::simd::x86_64::Avx512Vnni;

impl Tile for Avx512Vnni {
    const ROWS: usize = 12;
    const PANELS: usize = 2;

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        // SAFETY: the token proves AVX-512 VNNI; the slices hold all rows, panels and steps.
        unsafe {
            tile_shapes!(input.rows, input.panels, tile, (input, acc), [
                1 x 1, 2 x 1, 3 x 1, 4 x 1, 5 x 1, 6 x 1, 7 x 1, 8 x 1, 9 x 1, 10 x 1, 11 x 1, 12 x 1,
                1 x 2, 2 x 2, 3 x 2, 4 x 2, 5 x 2, 6 x 2, 7 x 2, 8 x 2, 9 x 2, 10 x 2, 11 x 2, 12 x 2,
            ]);
        }
    }
}

/// Rounds of accumulators for `rows` rows: enough independent sums that a product need not wait for
/// the one before it.
const fn rounds(rows: usize) -> usize {
    match rows {
        1 | 2 => 4,
        3..=5 => 2,
        _ => 1,
    }
}

/// Most rows whose panels are taken one after the other: with so few, the weights of a large model are
/// used as fast as memory gives them, and it gives most where one stream of lines is read. They are
/// fetched to the L2 cache first: the L1 cache has fewer requests under way (24 on Zen 4).
const STREAMED: usize = 8;

/// # Safety
/// AVX-512 F and VNNI; `input`'s slices hold `R` rows and `P` panels of its steps.
#[inline(always)]
unsafe fn tile<const R: usize, const P: usize>(input: TileInput<'_>, acc: &mut Accumulators) {
    // SAFETY: as this function demands; a panel is `steps * STEP_BYTES` long.
    unsafe {
        if R > STREAMED || P == 1 {
            strip::<R, P>(input, acc);
            return;
        }
        for panel in 0..P {
            let part = TileInput {
                w: &input.w[panel * input.steps * STEP_BYTES..],
                ahead: input
                    .ahead
                    .wrapping_add(panel * input.steps * input.ahead_bytes),
                panels: 1,
                ..input
            };
            strip::<R, 1>(part, &mut acc[panel..]);
        }
    }
}

/// `P` panels side by side.
///
/// # Safety
/// As [`tile`]; `acc` has `P` panels.
#[inline(always)]
unsafe fn strip<const R: usize, const P: usize>(
    input: TileInput<'_>,
    acc: &mut [[[i32; PANEL]; MAX_ROWS]],
) {
    let rounds = const { rounds(R) };
    // SAFETY: as this function demands.
    unsafe {
        let mut sums = [[[_mm512_setzero_si512(); P]; R]; 4];
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
            for p in 0..P {
                let mut sum = sums[0][r][p];
                for round in 1..rounds {
                    sum = _mm512_add_epi32(sum, sums[round][r][p]);
                }
                _mm512_storeu_si512(acc[p][r].as_mut_ptr().cast(), sum);
            }
        }
    }
}

/// # Safety
/// As [`strip`]; `step` is one of `input`'s.
#[inline(always)]
unsafe fn add_step<const R: usize, const P: usize>(
    input: &TileInput<'_>,
    step: usize,
    sums: &mut [[__m512i; P]; R],
) {
    // SAFETY: as this function demands; a prefetch may have any address.
    unsafe {
        let mut weights = [_mm512_setzero_si512(); P];
        for p in 0..P {
            let w = input.w.as_ptr().add((p * input.steps + step) * STEP_BYTES);
            let ahead = (step * P + p) * input.ahead_bytes;
            let ahead = input.ahead.wrapping_add(ahead);
            if R > STREAMED {
                _mm_prefetch::<_MM_HINT_T0>(ahead);
            } else {
                _mm_prefetch::<_MM_HINT_T1>(ahead);
            }
            weights[p] = _mm512_loadu_si512(w.cast());
        }
        for r in 0..R {
            let a = input
                .a
                .as_ptr()
                .add(r * input.stride + 4 * step)
                .cast::<i32>()
                .read_unaligned();
            let a = _mm512_set1_epi32(a);
            for p in 0..P {
                sums[r][p] = _mm512_dpbusd_epi32(sums[r][p], a, weights[p]);
            }
        }
    }
}
