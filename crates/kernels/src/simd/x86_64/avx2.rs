//! Vector operations of AVX2: two 256-bit registers per vector.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Avx2, AvxVnni};
use crate::simd::{HALF, LANES, Simd};

/// Sixteen f32, low half first.
#[derive(Clone, Copy)]
pub(crate) struct Floats(__m256, __m256);

/// Sixteen i32, low half first.
#[derive(Clone, Copy)]
pub(crate) struct Ints(__m256i, __m256i);

/// All bits of the first `len` of eight lanes (all lanes from 8 on).
#[target_feature(enable = "avx2")]
#[inline]
fn part_mask(len: usize) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_cmpgt_epi32(_mm256_set1_epi32(len.min(HALF) as i32), lanes)
}

/// `((0+4)+(2+6))+((1+5)+(3+7))`
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn sum(x: __m256) -> f32 {
    let four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn max_lane(x: __m256) -> f32 {
    let four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
    let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
}

/// [`sum`] of eight vectors: three rounds, each on twice as many vectors at a time: lanes i and
/// i + 4, then i and i + 2, then i and i + 1.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn sum8(x: &[__m256; 8]) -> __m256 {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn halves(a: __m256, b: __m256) -> __m256 {
        let low = _mm256_permute2f128_ps::<0x20>(a, b);
        _mm256_add_ps(low, _mm256_permute2f128_ps::<0x31>(a, b))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn quarters(a: __m256, b: __m256) -> __m256 {
        let (a, b) = (_mm256_castps_pd(a), _mm256_castps_pd(b));
        let low = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
        _mm256_add_ps(low, _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)))
    }
    let low = quarters(halves(x[0], x[4]), halves(x[1], x[5]));
    let high = quarters(halves(x[2], x[6]), halves(x[3], x[7]));
    let even = _mm256_shuffle_ps::<0b10_00_10_00>(low, high);
    _mm256_add_ps(even, _mm256_shuffle_ps::<0b11_01_11_01>(low, high))
}

macro_rules! impl_simd {
    ($token:ty) => {
        impl Simd for $token {
            type F = Floats;
            type I = Ints;
            type H = __m256;
            const SUMS: usize = 8;

            #[inline(always)]
            fn splat(self, x: f32) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_set1_ps(x), _mm256_set1_ps(x)) }
            }
            #[inline(always)]
            fn load(self, x: &[f32; LANES]) -> Floats {
                // SAFETY: the token proves AVX2; 64 bytes are readable.
                unsafe {
                    let x = x.as_ptr();
                    Floats(_mm256_loadu_ps(x), _mm256_loadu_ps(x.add(HALF)))
                }
            }
            #[inline(always)]
            fn store(self, x: Floats, out: &mut [f32; LANES]) {
                // SAFETY: the token proves AVX2; 64 bytes are writable.
                unsafe {
                    let out = out.as_mut_ptr();
                    _mm256_storeu_ps(out, x.0);
                    _mm256_storeu_ps(out.add(HALF), x.1);
                }
            }
            #[inline(always)]
            fn add(self, a: Floats, b: Floats) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)) }
            }
            #[inline(always)]
            fn sub(self, a: Floats, b: Floats) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1)) }
            }
            #[inline(always)]
            fn mul(self, a: Floats, b: Floats) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1)) }
            }
            #[inline(always)]
            fn max(self, a: Floats, b: Floats) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_max_ps(a.0, b.0), _mm256_max_ps(a.1, b.1)) }
            }
            #[inline(always)]
            fn min(self, a: Floats, b: Floats) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_min_ps(a.0, b.0), _mm256_min_ps(a.1, b.1)) }
            }
            #[inline(always)]
            fn zero_where_less(self, a: Floats, b: Floats, x: Floats) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe {
                    Floats(
                        _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a.0, b.0), x.0),
                        _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a.1, b.1), x.1),
                    )
                }
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
            fn any_greater(self, a: Floats, b: Floats) -> bool {
                // SAFETY: the token proves AVX2.
                unsafe {
                    let greater = _mm256_or_ps(
                        _mm256_cmp_ps::<_CMP_GT_OQ>(a.0, b.0),
                        _mm256_cmp_ps::<_CMP_GT_OQ>(a.1, b.1),
                    );
                    _mm256_movemask_ps(greater) != 0
                }
            }
            #[inline(always)]
            fn splat_i(self, x: i32) -> Ints {
                // SAFETY: the token proves AVX2.
                unsafe { Ints(_mm256_set1_epi32(x), _mm256_set1_epi32(x)) }
            }
            #[inline(always)]
            fn load_i(self, x: &[i32; LANES]) -> Ints {
                // SAFETY: the token proves AVX2; 64 bytes are readable.
                unsafe {
                    let x = x.as_ptr().cast::<__m256i>();
                    Ints(_mm256_loadu_si256(x), _mm256_loadu_si256(x.add(1)))
                }
            }
            #[inline(always)]
            fn load_i8(self, x: &[i8; LANES]) -> Ints {
                // SAFETY: the token proves AVX2; 16 bytes are readable.
                unsafe {
                    let x = _mm_loadu_si128(x.as_ptr().cast());
                    Ints(
                        _mm256_cvtepi8_epi32(x),
                        _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(x, x)),
                    )
                }
            }
            #[inline(always)]
            fn add_i(self, a: Ints, b: Ints) -> Ints {
                // SAFETY: the token proves AVX2.
                unsafe { Ints(_mm256_add_epi32(a.0, b.0), _mm256_add_epi32(a.1, b.1)) }
            }
            #[inline(always)]
            fn sub_i(self, a: Ints, b: Ints) -> Ints {
                // SAFETY: the token proves AVX2.
                unsafe { Ints(_mm256_sub_epi32(a.0, b.0), _mm256_sub_epi32(a.1, b.1)) }
            }
            #[inline(always)]
            fn mul_i(self, a: Ints, b: Ints) -> Ints {
                // SAFETY: the token proves AVX2.
                unsafe { Ints(_mm256_mullo_epi32(a.0, b.0), _mm256_mullo_epi32(a.1, b.1)) }
            }
            #[inline(always)]
            fn shift_to_exponent(self, x: Ints) -> Ints {
                // SAFETY: the token proves AVX2.
                unsafe { Ints(_mm256_slli_epi32::<23>(x.0), _mm256_slli_epi32::<23>(x.1)) }
            }
            #[inline(always)]
            fn to_f32(self, x: Ints) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_cvtepi32_ps(x.0), _mm256_cvtepi32_ps(x.1)) }
            }
            #[inline(always)]
            fn bits(self, x: Floats) -> Ints {
                // SAFETY: the token proves AVX2.
                unsafe { Ints(_mm256_castps_si256(x.0), _mm256_castps_si256(x.1)) }
            }
            #[inline(always)]
            fn as_f32(self, x: Ints) -> Floats {
                // SAFETY: the token proves AVX2.
                unsafe { Floats(_mm256_castsi256_ps(x.0), _mm256_castsi256_ps(x.1)) }
            }
            #[inline(always)]
            fn store_u8(self, x: Ints, out: &mut [u8; LANES]) {
                // SAFETY: the token proves AVX2; 16 bytes are writable.
                unsafe {
                    // Packing works per 128-bit half; the permutation puts the quarters right.
                    let words =
                        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(x.0, x.1));
                    let bytes = _mm_packus_epi16(
                        _mm256_castsi256_si128(words),
                        _mm256_extracti128_si256::<1>(words),
                    );
                    _mm_storeu_si128(out.as_mut_ptr().cast(), bytes);
                }
            }
            #[inline(always)]
            fn fold(self, x: Floats) -> __m256 {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_add_ps(x.0, x.1) }
            }
            #[inline(always)]
            fn sum_half(self, x: __m256) -> f32 {
                // SAFETY: the token proves AVX2.
                unsafe { sum(x) }
            }
            #[inline(always)]
            fn sum8(self, x: &[__m256; 8], out: &mut [f32; 8]) {
                // SAFETY: the token proves AVX2; 32 bytes are writable.
                unsafe { _mm256_storeu_ps(out.as_mut_ptr(), sum8(x)) }
            }
            #[inline(always)]
            fn max_lane(self, x: Floats) -> f32 {
                // SAFETY: the token proves AVX2.
                unsafe { max_lane(_mm256_max_ps(x.0, x.1)) }
            }
            #[inline(always)]
            fn load_part(self, x: &[f32], fill: f32) -> Floats {
                // SAFETY: the token proves AVX2; only lanes within `x` are read.
                unsafe {
                    let (low, high) = (part_mask(x.len()), part_mask(x.len().saturating_sub(HALF)));
                    let fill = _mm256_set1_ps(fill);
                    let x = x.as_ptr();
                    Floats(
                        _mm256_blendv_ps(
                            fill,
                            _mm256_maskload_ps(x, low),
                            _mm256_castsi256_ps(low),
                        ),
                        _mm256_blendv_ps(
                            fill,
                            _mm256_maskload_ps(x.wrapping_add(HALF), high),
                            _mm256_castsi256_ps(high),
                        ),
                    )
                }
            }
            #[inline(always)]
            fn store_part(self, x: Floats, out: &mut [f32]) {
                // SAFETY: the token proves AVX2; only lanes within `out` are written.
                unsafe {
                    let (low, high) = (
                        part_mask(out.len()),
                        part_mask(out.len().saturating_sub(HALF)),
                    );
                    let out = out.as_mut_ptr();
                    _mm256_maskstore_ps(out, low, x.0);
                    _mm256_maskstore_ps(out.wrapping_add(HALF), high, x.1);
                }
            }
        }
    };
}

impl_simd!(Avx2);
impl_simd!(AvxVnni);
