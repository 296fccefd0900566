//! Vector operations of AVX-512: one 512-bit register per vector.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Amx, Avx512Vnni, avx2};
use crate::simd::{LANES, LEAST_POWER, Simd};

/// The first `len` lanes.
fn part_mask(len: usize) -> __mmask16 {
    ((1u32 << len.min(LANES)) - 1) as __mmask16
}

macro_rules! impl_simd {
    ($token:ty) => {
        impl Simd for $token {
            type F = __m512;
            type I = __m512i;
            type H = __m256;
            const SUMS: usize = 8;
            const SHARES_KEYS: bool = true;

            #[inline(always)]
            fn splat(self, x: f32) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_set1_ps(x) }
            }
            #[inline(always)]
            fn load(self, x: &[f32; LANES]) -> __m512 {
                // SAFETY: the token proves AVX-512; 64 bytes are readable.
                unsafe { _mm512_loadu_ps(x.as_ptr()) }
            }
            #[inline(always)]
            fn store(self, x: __m512, out: &mut [f32; LANES]) {
                // SAFETY: the token proves AVX-512; 64 bytes are writable.
                unsafe { _mm512_storeu_ps(out.as_mut_ptr(), x) }
            }
            #[inline(always)]
            fn add(self, a: __m512, b: __m512) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_add_ps(a, b) }
            }
            #[inline(always)]
            fn sub(self, a: __m512, b: __m512) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_sub_ps(a, b) }
            }
            #[inline(always)]
            fn mul(self, a: __m512, b: __m512) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_mul_ps(a, b) }
            }
            #[inline(always)]
            fn max(self, a: __m512, b: __m512) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_max_ps(a, b) }
            }
            #[inline(always)]
            fn min(self, a: __m512, b: __m512) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_min_ps(a, b) }
            }
            #[inline(always)]
            fn zero_where_less(self, a: __m512, b: __m512, x: __m512) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(a, b), x) }
            }
            #[inline(always)]
            fn prefetch(self, address: *const i8) {
                // SAFETY: every x86-64 has the instruction; it never faults.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
            }
            #[inline(always)]
            fn prefetch_l2(self, address: *const i8) {
                // SAFETY: as above.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(address) }
            }
            #[inline(always)]
            fn any_greater(self, a: __m512, b: __m512) -> bool {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b) != 0 }
            }
            #[inline(always)]
            fn splat_i(self, x: i32) -> __m512i {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_set1_epi32(x) }
            }
            #[inline(always)]
            fn load_i(self, x: &[i32; LANES]) -> __m512i {
                // SAFETY: the token proves AVX-512; 64 bytes are readable.
                unsafe { _mm512_loadu_si512(x.as_ptr().cast()) }
            }
            #[inline(always)]
            fn load_i8(self, x: &[i8; LANES]) -> __m512i {
                // SAFETY: the token proves AVX-512; 16 bytes are readable.
                unsafe { _mm512_cvtepi8_epi32(_mm_loadu_si128(x.as_ptr().cast())) }
            }
            #[inline(always)]
            fn add_i(self, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_add_epi32(a, b) }
            }
            #[inline(always)]
            fn sub_i(self, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_sub_epi32(a, b) }
            }
            #[inline(always)]
            fn mul_i(self, a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_mullo_epi32(a, b) }
            }
            #[inline(always)]
            fn shift_to_exponent(self, x: __m512i) -> __m512i {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_slli_epi32::<23>(x) }
            }
            #[inline(always)]
            fn split(self, x: __m512) -> (__m512, __m512) {
                // SAFETY: the token proves AVX-512.
                unsafe {
                    let x = _mm512_max_ps(x, _mm512_set1_ps(LEAST_POWER));
                    let n = _mm512_roundscale_ps::<_MM_FROUND_NO_EXC>(x);
                    (n, _mm512_sub_ps(x, n))
                }
            }
            #[inline(always)]
            fn scale_by_power(self, x: __m512, n: __m512) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_scalef_ps(x, n) }
            }
            #[inline(always)]
            fn to_f32(self, x: __m512i) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_cvtepi32_ps(x) }
            }
            #[inline(always)]
            fn bits(self, x: __m512) -> __m512i {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_castps_si512(x) }
            }
            #[inline(always)]
            fn as_f32(self, x: __m512i) -> __m512 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm512_castsi512_ps(x) }
            }
            #[inline(always)]
            fn store_u8(self, x: __m512i, out: &mut [u8; LANES]) {
                // SAFETY: the token proves AVX-512; 16 bytes are writable.
                unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(x)) }
            }
            #[inline(always)]
            fn fold(self, x: __m512) -> __m256 {
                // SAFETY: the token proves AVX-512.
                unsafe { _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps::<1>(x)) }
            }
            #[inline(always)]
            fn sum_half(self, x: __m256) -> f32 {
                // SAFETY: the token proves AVX-512.
                unsafe { avx2::sum(x) }
            }
            #[inline(always)]
            fn sum8(self, x: &[__m256; 8], out: &mut [f32; 8]) {
                // SAFETY: the token proves AVX-512; 32 bytes are writable.
                unsafe { _mm256_storeu_ps(out.as_mut_ptr(), avx2::sum8(x)) }
            }
            #[inline(always)]
            fn max_lane(self, x: __m512) -> f32 {
                // SAFETY: the token proves AVX-512.
                unsafe {
                    avx2::max_lane(_mm256_max_ps(
                        _mm512_castps512_ps256(x),
                        _mm512_extractf32x8_ps::<1>(x),
                    ))
                }
            }
            #[inline(always)]
            fn load_part(self, x: &[f32], fill: f32) -> __m512 {
                // SAFETY: the token proves AVX-512; only lanes within `x` are read.
                unsafe {
                    _mm512_mask_loadu_ps(_mm512_set1_ps(fill), part_mask(x.len()), x.as_ptr())
                }
            }
            #[inline(always)]
            fn store_part(self, x: __m512, out: &mut [f32]) {
                // SAFETY: the token proves AVX-512; only lanes within `out` are written.
                unsafe { _mm512_mask_storeu_ps(out.as_mut_ptr(), part_mask(out.len()), x) }
            }
        }
    };
}

impl_simd!(Avx512Vnni);
impl_simd!(Amx);
