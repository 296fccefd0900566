//! Vector operations of WebAssembly SIMD128: four 128-bit registers per vector.
//!
//! There is no run-time detection in WebAssembly: a module with SIMD instructions either loads or
//! does not, so this file exists only in builds with `simd128`.
#![allow(unsafe_code)]

use std::arch::wasm32::*;

use super::{LANES, Simd};

/// The build has SIMD128.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128;

/// The build has relaxed SIMD as well.
#[cfg(target_feature = "relaxed-simd")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelaxedSimd {
    /// Whether the engine makes several instructions of a dot product of bytes.
    pub(crate) dot_is_composed: bool,
}

#[cfg(target_feature = "relaxed-simd")]
impl RelaxedSimd {
    /// Asks the engine. What it may choose, the result for an operand of more than 7 bits, tells:
    /// pairs of products are saturated to i16 by x86's `vpmaddubsw`, which needs two more
    /// instructions, and by none of those that do the whole, `vpdpbusd` (with AVX-VNNI) and ARM's
    /// `sdot`.
    #[inline]
    pub(crate) fn new() -> Self {
        // What the compiler knows it would compute in its own way.
        let (a, b) = std::hint::black_box((i8x16_splat(i8::MAX), u8x16_splat(u8::MAX)));
        let dot = i32x4_relaxed_dot_i8x16_i7x16_add(a, b, i32x4_splat(0));
        Self {
            dot_is_composed: i32x4_extract_lane::<0>(dot) == 2 * i32::from(i16::MAX),
        }
    }
}

/// Sixteen lanes in quarters.
type Quarters = [v128; 4];

/// Applies a two-operand instruction to all quarters. (Functions with target features are no `Fn`.)
macro_rules! each {
    ($f:ident, $a:expr, $b:expr) => {{
        let (a, b): (Quarters, Quarters) = ($a, $b);
        [
            $f(a[0], b[0]),
            $f(a[1], b[1]),
            $f(a[2], b[2]),
            $f(a[3], b[3]),
        ]
    }};
}

#[inline(always)]
fn load<T>(x: &[T; LANES]) -> Quarters {
    const { assert!(size_of::<T>() == 4) };
    let x = x.as_ptr().cast::<v128>();
    // SAFETY: 64 bytes are readable; v128 loads need no alignment.
    unsafe {
        [
            v128_load(x),
            v128_load(x.add(1)),
            v128_load(x.add(2)),
            v128_load(x.add(3)),
        ]
    }
}

macro_rules! impl_simd {
    ($token:ty) => {
        impl Simd for $token {
            type F = Quarters;
            type I = Quarters;
            type H = [v128; 2];
            // x86 has 16 registers of 128 bits.
            const SUMS: usize = 2;

            #[inline(always)]
            fn splat(self, x: f32) -> Quarters {
                [f32x4_splat(x); 4]
            }
            #[inline(always)]
            fn load(self, x: &[f32; LANES]) -> Quarters {
                load(x)
            }
            #[inline(always)]
            fn store(self, x: Quarters, out: &mut [f32; LANES]) {
                let out = out.as_mut_ptr().cast::<v128>();
                for i in 0..4 {
                    // SAFETY: 64 bytes are writable; v128 stores need no alignment.
                    unsafe { v128_store(out.add(i), x[i]) }
                }
            }
            #[inline(always)]
            fn add(self, a: Quarters, b: Quarters) -> Quarters {
                each!(f32x4_add, a, b)
            }
            #[inline(always)]
            fn sub(self, a: Quarters, b: Quarters) -> Quarters {
                each!(f32x4_sub, a, b)
            }
            #[inline(always)]
            fn mul(self, a: Quarters, b: Quarters) -> Quarters {
                each!(f32x4_mul, a, b)
            }
            #[inline(always)]
            fn max(self, a: Quarters, b: Quarters) -> Quarters {
                // pmax(b, a) is `b < a ? a : b`.
                each!(f32x4_pmax, b, a)
            }
            #[inline(always)]
            fn min(self, a: Quarters, b: Quarters) -> Quarters {
                // pmin(b, a) is `a < b ? a : b`.
                each!(f32x4_pmin, b, a)
            }
            #[inline(always)]
            fn zero_where_less(self, a: Quarters, b: Quarters, x: Quarters) -> Quarters {
                each!(v128_andnot, x, each!(f32x4_lt, a, b))
            }
            #[inline(always)]
            fn any_greater(self, a: Quarters, b: Quarters) -> bool {
                let greater = each!(f32x4_gt, a, b);
                v128_any_true(v128_or(
                    v128_or(greater[0], greater[1]),
                    v128_or(greater[2], greater[3]),
                ))
            }
            #[inline(always)]
            fn splat_i(self, x: i32) -> Quarters {
                [i32x4_splat(x); 4]
            }
            #[inline(always)]
            fn load_i(self, x: &[i32; LANES]) -> Quarters {
                load(x)
            }
            #[inline(always)]
            fn load_i8(self, x: &[i8; LANES]) -> Quarters {
                // SAFETY: 16 bytes are readable; v128 loads need no alignment.
                let x = unsafe { v128_load(x.as_ptr().cast()) };
                let (low, high) = (i16x8_extend_low_i8x16(x), i16x8_extend_high_i8x16(x));
                [
                    i32x4_extend_low_i16x8(low),
                    i32x4_extend_high_i16x8(low),
                    i32x4_extend_low_i16x8(high),
                    i32x4_extend_high_i16x8(high),
                ]
            }
            #[inline(always)]
            fn add_i(self, a: Quarters, b: Quarters) -> Quarters {
                each!(i32x4_add, a, b)
            }
            #[inline(always)]
            fn sub_i(self, a: Quarters, b: Quarters) -> Quarters {
                each!(i32x4_sub, a, b)
            }
            #[inline(always)]
            fn mul_i(self, a: Quarters, b: Quarters) -> Quarters {
                each!(i32x4_mul, a, b)
            }
            #[inline(always)]
            fn shift_to_exponent(self, x: Quarters) -> Quarters {
                [
                    i32x4_shl(x[0], 23),
                    i32x4_shl(x[1], 23),
                    i32x4_shl(x[2], 23),
                    i32x4_shl(x[3], 23),
                ]
            }
            #[inline(always)]
            fn to_f32(self, x: Quarters) -> Quarters {
                [
                    f32x4_convert_i32x4(x[0]),
                    f32x4_convert_i32x4(x[1]),
                    f32x4_convert_i32x4(x[2]),
                    f32x4_convert_i32x4(x[3]),
                ]
            }
            #[inline(always)]
            fn bits(self, x: Quarters) -> Quarters {
                x
            }
            #[inline(always)]
            fn as_f32(self, x: Quarters) -> Quarters {
                x
            }
            #[inline(always)]
            fn store_u8(self, x: Quarters, out: &mut [u8; LANES]) {
                let (low, high) = (
                    i16x8_narrow_i32x4(x[0], x[1]),
                    i16x8_narrow_i32x4(x[2], x[3]),
                );
                // SAFETY: 16 bytes are writable; v128 stores need no alignment.
                unsafe { v128_store(out.as_mut_ptr().cast(), u8x16_narrow_i16x8(low, high)) }
            }
            #[inline(always)]
            fn max_lane(self, x: Quarters) -> f32 {
                let four = f32x4_pmax(f32x4_pmax(x[0], x[1]), f32x4_pmax(x[2], x[3]));
                let two = f32x4_pmax(four, i32x4_shuffle::<2, 3, 2, 3>(four, four));
                f32x4_extract_lane::<0>(f32x4_pmax(two, i32x4_shuffle::<1, 1, 1, 1>(two, two)))
            }
            #[inline(always)]
            fn load_part(self, x: &[f32], fill: f32) -> Quarters {
                let (quarters, rest) = x.as_chunks::<4>();
                let mut lanes = [f32x4_splat(fill); 4];
                for (lanes, x) in lanes.iter_mut().zip(quarters) {
                    // SAFETY: 16 bytes are readable; v128 loads need no alignment.
                    *lanes = unsafe { v128_load(x.as_ptr().cast()) };
                }
                if !rest.is_empty() {
                    let at = |i: usize| rest.get(i).copied().unwrap_or(fill);
                    lanes[quarters.len()] = f32x4(at(0), at(1), at(2), fill);
                }
                lanes
            }
            #[inline(always)]
            fn store_part(self, x: Quarters, out: &mut [f32]) {
                let (quarters, rest) = out.as_chunks_mut::<4>();
                let last = x[quarters.len().min(3)];
                for (x, out) in x.into_iter().zip(quarters) {
                    // SAFETY: 16 bytes are writable; v128 stores need no alignment.
                    unsafe { v128_store(out.as_mut_ptr().cast(), x) }
                }
                let last = [
                    f32x4_extract_lane::<0>(last),
                    f32x4_extract_lane::<1>(last),
                    f32x4_extract_lane::<2>(last),
                ];
                for (&x, out) in last.iter().zip(rest) {
                    *out = x;
                }
            }
            #[inline(always)]
            fn fold(self, x: Quarters) -> [v128; 2] {
                [f32x4_add(x[0], x[2]), f32x4_add(x[1], x[3])]
            }
            #[inline(always)]
            fn sum_half(self, x: [v128; 2]) -> f32 {
                let four = f32x4_add(x[0], x[1]);
                let two = f32x4_add(four, i32x4_shuffle::<2, 3, 2, 3>(four, four));
                f32x4_extract_lane::<0>(two) + f32x4_extract_lane::<1>(two)
            }
        }
    };
}

impl_simd!(Simd128);
#[cfg(target_feature = "relaxed-simd")]
impl_simd!(RelaxedSimd);
