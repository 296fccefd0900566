//! Vector operations of WebAssembly SIMD128: two 128-bit registers per vector.
//!
//! There is no run-time detection in WebAssembly: a module with SIMD instructions either loads or
//! does not, so this file exists only in builds with `simd128`.
#![allow(unsafe_code)]

use std::arch::wasm32::*;

use super::{LANES, Simd};

/// The build has SIMD128.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128;

/// Eight lanes, low half first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair(v128, v128);

/// Applies a two-operand instruction to both halves. (Functions with target features are no `Fn`.)
macro_rules! both {
    ($f:ident, $a:expr, $b:expr) => {{
        let (a, b): (Pair, Pair) = ($a, $b);
        Pair($f(a.0, b.0), $f(a.1, b.1))
    }};
}

macro_rules! impl_simd {
    ($token:ty) => {
        impl Simd for $token {
            type F = Pair;
            type I = Pair;

            #[inline(always)]
            fn splat(self, x: f32) -> Pair {
                Pair(f32x4_splat(x), f32x4_splat(x))
            }
            #[inline(always)]
            fn load(self, x: &[f32; LANES]) -> Pair {
                let x = x.as_ptr().cast::<v128>();
                // SAFETY: 32 bytes are readable; v128 loads need no alignment.
                unsafe { Pair(v128_load(x), v128_load(x.add(1))) }
            }
            #[inline(always)]
            fn store(self, x: Pair, out: &mut [f32; LANES]) {
                let out = out.as_mut_ptr().cast::<v128>();
                // SAFETY: 32 bytes are writable; v128 stores need no alignment.
                unsafe {
                    v128_store(out, x.0);
                    v128_store(out.add(1), x.1);
                }
            }
            #[inline(always)]
            fn add(self, a: Pair, b: Pair) -> Pair {
                both!(f32x4_add, a, b)
            }
            #[inline(always)]
            fn sub(self, a: Pair, b: Pair) -> Pair {
                both!(f32x4_sub, a, b)
            }
            #[inline(always)]
            fn mul(self, a: Pair, b: Pair) -> Pair {
                both!(f32x4_mul, a, b)
            }
            #[inline(always)]
            fn max(self, a: Pair, b: Pair) -> Pair {
                // pmax(b, a) is `b < a ? a : b`.
                both!(f32x4_pmax, b, a)
            }
            #[inline(always)]
            fn min(self, a: Pair, b: Pair) -> Pair {
                // pmin(b, a) is `a < b ? a : b`.
                both!(f32x4_pmin, b, a)
            }
            #[inline(always)]
            fn zero_where_less(self, a: Pair, b: Pair, x: Pair) -> Pair {
                both!(v128_andnot, x, both!(f32x4_lt, a, b))
            }
            #[inline(always)]
            fn splat_i(self, x: i32) -> Pair {
                Pair(i32x4_splat(x), i32x4_splat(x))
            }
            #[inline(always)]
            fn load_i(self, x: &[i32; LANES]) -> Pair {
                let x = x.as_ptr().cast::<v128>();
                // SAFETY: 32 bytes are readable; v128 loads need no alignment.
                unsafe { Pair(v128_load(x), v128_load(x.add(1))) }
            }
            #[inline(always)]
            fn load_i8(self, x: &[i8; LANES]) -> Pair {
                // SAFETY: 8 bytes are readable; the load needs no alignment.
                let x = unsafe { i16x8_load_extend_i8x8(x.as_ptr()) };
                Pair(i32x4_extend_low_i16x8(x), i32x4_extend_high_i16x8(x))
            }
            #[inline(always)]
            fn add_i(self, a: Pair, b: Pair) -> Pair {
                both!(i32x4_add, a, b)
            }
            #[inline(always)]
            fn sub_i(self, a: Pair, b: Pair) -> Pair {
                both!(i32x4_sub, a, b)
            }
            #[inline(always)]
            fn mul_i(self, a: Pair, b: Pair) -> Pair {
                both!(i32x4_mul, a, b)
            }
            #[inline(always)]
            fn max_i(self, a: Pair, b: Pair) -> Pair {
                both!(i32x4_max, a, b)
            }
            #[inline(always)]
            fn min_i(self, a: Pair, b: Pair) -> Pair {
                both!(i32x4_min, a, b)
            }
            #[inline(always)]
            fn shift_to_exponent(self, x: Pair) -> Pair {
                Pair(i32x4_shl(x.0, 23), i32x4_shl(x.1, 23))
            }
            #[inline(always)]
            fn to_f32(self, x: Pair) -> Pair {
                Pair(f32x4_convert_i32x4(x.0), f32x4_convert_i32x4(x.1))
            }
            #[inline(always)]
            fn bits(self, x: Pair) -> Pair {
                x
            }
            #[inline(always)]
            fn as_f32(self, x: Pair) -> Pair {
                x
            }
            #[inline(always)]
            fn store_u8(self, x: [Pair; 4], out: &mut [u8; 4 * LANES]) {
                let narrow = |x: Pair| i16x8_narrow_i32x4(x.0, x.1);
                let out = out.as_mut_ptr().cast::<v128>();
                // SAFETY: 32 bytes are writable; v128 stores need no alignment.
                unsafe {
                    v128_store(out, u8x16_narrow_i16x8(narrow(x[0]), narrow(x[1])));
                    v128_store(out.add(1), u8x16_narrow_i16x8(narrow(x[2]), narrow(x[3])));
                }
            }
            #[inline(always)]
            fn sum(self, x: Pair) -> f32 {
                let four = f32x4_add(x.0, x.1);
                let two = f32x4_add(four, i32x4_shuffle::<2, 3, 2, 3>(four, four));
                f32x4_extract_lane::<0>(two) + f32x4_extract_lane::<1>(two)
            }
        }
    };
}

impl_simd!(Simd128);
