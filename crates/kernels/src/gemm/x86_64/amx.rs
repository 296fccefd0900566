//! AMX tiles: `tdpbusd` multiplies 16 rows x 64 inputs (u8) by 64 inputs x 16 outputs (s8) into 16 x 16
//! sums of i32, without saturation. The packed layout is the one that the second operand needs: 16
//! steps of a panel are one tile of 1024 consecutive bytes.
//!
//! A tile of the blocked loops is up to 32 rows x 2 panels: four tile registers of sums, two of rows,
//! two of weights. What does not fit (inputs that are not whole tiles, a last single panel, one or two
//! rows) is left to AVX-512 VNNI.
#![allow(unsafe_code)]

use std::arch::asm;

use crate::gemm::{Accumulators, MAX_PANELS, MAX_ROWS, PANEL, STEP_BYTES, Tile, TileInput};
use crate::simd::x86_64::{Amx, Avx512Vnni};

/// Rows of a tile register.
const HEIGHT: usize = 16;
/// Steps of four inputs in a tile register.
const DEPTH: usize = 16;

/// Up to so many rows the vectors of AVX-512 VNNI are as fast.
const VECTORS: usize = 2;

/// What `ldtilecfg` reads: rows and bytes a row of the eight tile registers.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl Tile for Amx {
    const ROWS: usize = 2 * HEIGHT;
    const PANELS: usize = 2;
    const UNIT: usize = HEIGHT;

    /// Sums in registers 0 to 3, rows in 4 and 5, weights in 6 and 7.
    #[inline(always)]
    fn begin(self, rows: usize) {
        if rows <= VECTORS {
            return;
        }
        let height = rows.min(HEIGHT) as u8;
        let mut shapes = Shapes {
            palette: 1,
            start_row: 0,
            reserved: [0; 14],
            row_bytes: [0; 16],
            rows: [0; 16],
        };
        shapes.row_bytes[..8].fill(64);
        shapes.rows[..6].fill(height);
        shapes.rows[6..8].fill(DEPTH as u8);
        // SAFETY: the token proves AMX; the operand is a valid configuration of 64 bytes.
        unsafe {
            asm!(
                "ldtilecfg [{shapes}]",
                shapes = in(reg) &raw const shapes,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack, preserves_flags, readonly),
            );
        }
    }

    /// Cleared registers cost nothing at a change of threads.
    #[inline(always)]
    fn end(self) {
        // SAFETY: the token proves AMX.
        unsafe {
            asm!(
                "tilerelease",
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack, preserves_flags, nomem),
            );
        }
    }

    #[inline(always)]
    fn tile(self, input: TileInput<'_>, acc: &mut Accumulators) {
        input.assert_lengths();
        // Registers are read whole, rows behind the last one included.
        let registers = input.rows.div_ceil(HEIGHT);
        let last = (registers * HEIGHT - 1) * input.stride;
        let fits = input.rows > VECTORS
            && input.panels == 2
            && input.steps > 0
            && input.steps.is_multiple_of(DEPTH)
            && input.a.len() >= last + 4 * input.steps;
        // SAFETY: the token proves AMX, `begin` has set the shapes; rows and panels are readable as
        // checked above, and the sums hold `HEIGHT` rows of two panels a register.
        unsafe {
            match registers {
                1 if fits => one(input, acc),
                2 if fits => two(input, acc),
                _ => in_parts(self.without_tiles(), input, acc),
            }
        }
    }
}

/// The same sums in tiles of AVX-512 VNNI.
#[inline(always)]
fn in_parts(vnni: Avx512Vnni, input: TileInput<'_>, acc: &mut Accumulators) {
    if input.rows <= Avx512Vnni::ROWS {
        vnni.tile(input, acc);
        return;
    }
    let mut part = [[[0; PANEL]; MAX_ROWS]; MAX_PANELS];
    let mut row = 0;
    while row < input.rows {
        let rows = Avx512Vnni::ROWS.min(input.rows - row);
        let a = &input.a[row * input.stride..];
        vnni.tile(TileInput { a, rows, ..input }, &mut part);
        for (acc, part) in acc.iter_mut().zip(&part) {
            acc[row..row + rows].copy_from_slice(&part[..rows]);
        }
        row += rows;
    }
}

/// Up to 16 rows, panel by panel: so few that the weights come from memory as fast as they are used,
/// and later ones are fetched meanwhile.
///
/// # Safety
/// AMX with the shapes of [`Tile::begin`]; as many rows as those shapes have and `input.panels` panels
/// of `input.steps` steps, a multiple of [`DEPTH`] above 0, are readable.
#[inline(always)]
unsafe fn one(input: TileInput<'_>, acc: &mut Accumulators) {
    let panel_bytes = input.steps * STEP_BYTES;
    for (panel, acc) in acc[..input.panels].iter_mut().enumerate() {
        // SAFETY: as this function demands.
        unsafe {
            asm!(
                "tilezero tmm0",
                "2:",
                ".rept {lines}",
                "prefetcht0 [{ahead}]",
                "add {ahead}, 64",
                ".endr",
                "tileloadd tmm4, [{a} + {stride}]",
                "tileloadd tmm6, [{w} + {line}]",
                "tdpbusd tmm0, tmm4, tmm6",
                "add {a}, 64",
                "add {w}, 1024",
                "dec {turns}",
                "jnz 2b",
                "tilestored [{acc} + {line}], tmm0",
                a = inout(reg) input.a.as_ptr() => _,
                w = inout(reg) input.w.as_ptr().add(panel * panel_bytes) => _,
                turns = inout(reg) input.steps / DEPTH => _,
                ahead = inout(reg) input.ahead.wrapping_add(panel * panel_bytes) => _,
                lines = const DEPTH,
                stride = in(reg) input.stride,
                line = in(reg) STEP_BYTES,
                acc = in(reg) acc.as_mut_ptr(),
                out("tmm0") _, out("tmm4") _, out("tmm6") _,
                options(nostack),
            );
        }
    }
}

/// Up to 32 rows x 2 panels.
///
/// # Safety
/// As [`one`], with 32 rows.
#[inline(always)]
unsafe fn two(input: TileInput<'_>, acc: &mut Accumulators) {
    let panel_bytes = input.steps * STEP_BYTES;
    // SAFETY: as this function demands.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{a} + {stride}]",
            "tileloadd tmm6, [{w} + {line}]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{v} + {line}]",
            "tdpbusd tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{b} + {stride}]",
            "tdpbusd tmm2, tmm5, tmm6",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {a}, 64",
            "add {b}, 64",
            "add {w}, 1024",
            "add {v}, 1024",
            "dec {turns}",
            "jnz 2b",
            "tilestored [{acc} + {line}], tmm0",
            "tilestored [{acc} + {line} + {panel}], tmm1",
            "tilestored [{acc} + {line} + {lower}], tmm2",
            "tilestored [{acc} + {line} + {panel} + {lower}], tmm3",
            a = inout(reg) input.a.as_ptr() => _,
            b = inout(reg) input.a.as_ptr().add(HEIGHT * input.stride) => _,
            w = inout(reg) input.w.as_ptr() => _,
            v = inout(reg) input.w.as_ptr().add(panel_bytes) => _,
            turns = inout(reg) input.steps / DEPTH => _,
            stride = in(reg) input.stride,
            line = in(reg) STEP_BYTES,
            panel = const size_of::<[[i32; PANEL]; MAX_ROWS]>(),
            lower = const size_of::<[[i32; PANEL]; HEIGHT]>(),
            acc = in(reg) acc.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
