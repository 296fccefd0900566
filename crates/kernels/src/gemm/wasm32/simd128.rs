//! SIMD128 tile: `i32x4.dot_i16x8_s` multiplies and adds pairs, exactly. Activations are widened to
//! i16 once for all outputs of a panel, weights as they are loaded. The two pair sums of an output
//! stay apart in the accumulators and are added at the end.
//!
//! One row takes a whole panel, more rows four outputs at a time: up to 8 accumulators, the widened
//! weights in use and the broadcast activations, within the 16 registers that an x86 browser has.
#![allow(unsafe_code)]

use std::arch::wasm32::*;
use std::mem::MaybeUninit;

use crate::gemm::tile::tile_shapes;
use crate::gemm::{Accumulators, STEP_BYTES, Tile, TileInput};
use crate::simd::wasm32::Simd128;

/// Steps whose activations are widened at a time: four rows of them are two kilobytes.
const CHUNK: usize = 64;

/// Some steps of `R` rows, widened.
type Widened<const R: usize> = [[MaybeUninit<i16>; 4 * CHUNK]; R];

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
    let mut rows: Widened<R> = [[MaybeUninit::uninit(); 4 * CHUNK]; R];
    // Without steps the sums must be written as well.
    for first in (0..steps.max(1)).step_by(CHUNK) {
        let steps = CHUNK.min(steps - first);
        for r in 0..R {
            widen(&a[r * stride + 4 * first..][..4 * steps], &mut rows[r]);
        }
        // SAFETY: the panel holds these steps, and each row has been widened up to the last.
        unsafe {
            let w = w.as_ptr().add(first * STEP_BYTES);
            if R == 1 {
                part::<R, 4>(&rows, w, steps, 0, first > 0, acc);
            } else {
                for quarter in 0..4 {
                    part::<R, 1>(&rows, w, steps, quarter, first > 0, acc);
                }
            }
        }
    }
}

#[inline(always)]
fn widen(row: &[u8], out: &mut [MaybeUninit<i16>]) {
    let (chunks, rest) = row.as_chunks::<8>();
    let (outs, out_rest) = out[..row.len()].as_chunks_mut::<8>();
    for (chunk, out) in chunks.iter().zip(outs) {
        // SAFETY: eight bytes are readable, eight i16 writable, at any alignment.
        unsafe {
            v128_store(
                out.as_mut_ptr().cast(),
                u16x8_load_extend_u8x8(chunk.as_ptr()),
            )
        }
    }
    for (&x, out) in rest.iter().zip(out_rest) {
        out.write(i16::from(x));
    }
}

/// The outputs of `Q` quarters of a panel, from quarter `first` on; with `add` more of their terms.
///
/// # Safety
/// `rows` holds `steps` steps, `w` points to as many of a panel; `first + Q <= 4`.
#[inline(always)]
unsafe fn part<const R: usize, const Q: usize>(
    rows: &Widened<R>,
    w: *const i8,
    steps: usize,
    first: usize,
    add: bool,
    acc: &mut Accumulators,
) {
    let mut sums = [[[i32x4_splat(0); 2]; Q]; R];
    for step in 0..steps {
        let mut weights = [[i16x8_splat(0); 2]; Q];
        for q in 0..Q {
            // SAFETY: 64 bytes a step are readable.
            weights[q] = unsafe {
                let w = w.add(step * STEP_BYTES + (first + q) * 16);
                [i16x8_load_extend_i8x8(w), i16x8_load_extend_i8x8(w.add(8))]
            };
        }
        for r in 0..R {
            // SAFETY: four i16 a step have been written.
            let a = unsafe { v128_load64_splat(rows[r].as_ptr().add(4 * step).cast()) };
            for q in 0..Q {
                for half in 0..2 {
                    let pairs = i32x4_dot_i16x8(a, weights[q][half]);
                    sums[r][q][half] = i32x4_add(sums[r][q][half], pairs);
                }
            }
        }
    }
    for r in 0..R {
        for q in 0..Q {
            let [low, high] = sums[r][q];
            let even = i32x4_shuffle::<0, 2, 4, 6>(low, high);
            let odd = i32x4_shuffle::<1, 3, 5, 7>(low, high);
            let mut sum = i32x4_add(even, odd);
            let out: *mut v128 = acc[0][r][4 * (first + q)..][..4].as_mut_ptr().cast();
            // SAFETY: four i32 are readable and writable; v128 needs no alignment.
            unsafe {
                if add {
                    sum = i32x4_add(sum, v128_load(out));
                }
                v128_store(out, sum);
            }
        }
    }
}
