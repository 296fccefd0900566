//! Vector operations of x86-64: one 256-bit register per vector. All tokens share them; they differ
//! in their int8 tiles ([`crate::gemm`]).
//!
//! A token's value exists only inside [`run`], whose `Kernels` are the proof that the CPU has the
//! features: holding one makes the intrinsics below sound.
#![allow(unsafe_code)]

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::*;

use super::{LANES, Simd};
use crate::Kernels;
use crate::isa::{Isa, Task};

/// The CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// The CPU has AVX2 and AVX-VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AvxVnni(());

/// The CPU has AVX2 and AVX-512 F, BW, DQ, VL, VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512Vnni(());

/// Whether the CPU has exactly the features that the functions of [`run`] are compiled with.
pub(crate) fn is_usable(isa: Isa) -> bool {
    let avx2 = is_x86_feature_detected!("avx2");
    match isa {
        Isa::Avx2 => avx2,
        Isa::AvxVnni => avx2 && is_x86_feature_detected!("avxvnni"),
        Isa::Avx512Vnni => {
            avx2 && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
        }
        _ => false,
    }
}

/// Runs `task` compiled for `kernels`, one of this module's instruction sets.
#[inline]
pub(crate) fn run<T: Task>(kernels: Kernels, task: T) -> T::Output {
    // SAFETY: `Kernels` exist only for instruction sets whose features `is_usable` has confirmed.
    unsafe {
        match kernels.isa() {
            Isa::AvxVnni => run_avxvnni(task),
            Isa::Avx512Vnni => run_avx512vnni(task),
            _ => run_avx2(task),
        }
    }
}

// The features of each wrapper equal those tested in `is_usable`.

#[target_feature(enable = "avx2")]
fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run(Avx2(()))
}

#[target_feature(enable = "avx2,avxvnni")]
fn run_avxvnni<T: Task>(task: T) -> T::Output {
    task.run(AvxVnni(()))
}

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn run_avx512vnni<T: Task>(task: T) -> T::Output {
    task.run(Avx512Vnni(()))
}

/// All bits of the first `len` lanes (all lanes from 8 on).
#[target_feature(enable = "avx2")]
#[inline]
fn part_mask(len: usize) -> __m256i {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_cmpgt_epi32(_mm256_set1_epi32(len.min(LANES) as i32), lanes)
}

macro_rules! impl_simd {
    ($token:ty) => {
        // SAFETY of every block: a token proves AVX2 (module docs), and array references are as
        // large as the unaligned loads and stores made through them.
        impl Simd for $token {
            type F = __m256;
            type I = __m256i;

            #[inline(always)]
            fn splat(self, x: f32) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_set1_ps(x) }
            }
            #[inline(always)]
            fn load(self, x: &[f32; LANES]) -> Self::F {
                // SAFETY: the token proves AVX2; 32 bytes are readable.
                unsafe { _mm256_loadu_ps(x.as_ptr()) }
            }
            #[inline(always)]
            fn store(self, x: Self::F, out: &mut [f32; LANES]) {
                // SAFETY: the token proves AVX2; 32 bytes are writable.
                unsafe { _mm256_storeu_ps(out.as_mut_ptr(), x) }
            }
            #[inline(always)]
            fn add(self, a: Self::F, b: Self::F) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_add_ps(a, b) }
            }
            #[inline(always)]
            fn sub(self, a: Self::F, b: Self::F) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_sub_ps(a, b) }
            }
            #[inline(always)]
            fn mul(self, a: Self::F, b: Self::F) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_mul_ps(a, b) }
            }
            #[inline(always)]
            fn max(self, a: Self::F, b: Self::F) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_max_ps(a, b) }
            }
            #[inline(always)]
            fn min(self, a: Self::F, b: Self::F) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_min_ps(a, b) }
            }
            #[inline(always)]
            fn zero_where_less(self, a: Self::F, b: Self::F, x: Self::F) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b), x) }
            }
            #[inline(always)]
            fn splat_i(self, x: i32) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_set1_epi32(x) }
            }
            #[inline(always)]
            fn load_i(self, x: &[i32; LANES]) -> Self::I {
                // SAFETY: the token proves AVX2; 32 bytes are readable.
                unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
            }
            #[inline(always)]
            fn load_i8(self, x: &[i8; LANES]) -> Self::I {
                // SAFETY: the token proves AVX2; 8 bytes are readable.
                unsafe { _mm256_cvtepi8_epi32(_mm_loadl_epi64(x.as_ptr().cast())) }
            }
            #[inline(always)]
            fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_add_epi32(a, b) }
            }
            #[inline(always)]
            fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_sub_epi32(a, b) }
            }
            #[inline(always)]
            fn mul_i(self, a: Self::I, b: Self::I) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_mullo_epi32(a, b) }
            }
            #[inline(always)]
            fn max_i(self, a: Self::I, b: Self::I) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_max_epi32(a, b) }
            }
            #[inline(always)]
            fn min_i(self, a: Self::I, b: Self::I) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_min_epi32(a, b) }
            }
            #[inline(always)]
            fn shift_to_exponent(self, x: Self::I) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_slli_epi32::<23>(x) }
            }
            #[inline(always)]
            fn to_f32(self, x: Self::I) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_cvtepi32_ps(x) }
            }
            #[inline(always)]
            fn bits(self, x: Self::F) -> Self::I {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_castps_si256(x) }
            }
            #[inline(always)]
            fn as_f32(self, x: Self::I) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe { _mm256_castsi256_ps(x) }
            }
            #[inline(always)]
            fn store_u8(self, x: [Self::I; 4], out: &mut [u8; 4 * LANES]) {
                // SAFETY: the token proves AVX2; 32 bytes are writable.
                unsafe {
                    // Packing works per 128-bit half; the permutation puts the groups of four right.
                    let low = _mm256_packs_epi32(x[0], x[1]);
                    let high = _mm256_packs_epi32(x[2], x[3]);
                    let bytes = _mm256_packus_epi16(low, high);
                    let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
                    let bytes = _mm256_permutevar8x32_epi32(bytes, order);
                    _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes);
                }
            }
            #[inline(always)]
            fn max_lane(self, x: Self::F) -> f32 {
                // SAFETY: the token proves AVX2.
                unsafe {
                    let four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
                    let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
                    _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
                }
            }
            #[inline(always)]
            fn load_part(self, x: &[f32], fill: f32) -> Self::F {
                // SAFETY: the token proves AVX2; only the lanes within `x` are read.
                unsafe {
                    let lanes = part_mask(x.len());
                    let part = _mm256_maskload_ps(x.as_ptr(), lanes);
                    _mm256_blendv_ps(_mm256_set1_ps(fill), part, _mm256_castsi256_ps(lanes))
                }
            }
            #[inline(always)]
            fn store_part(self, x: Self::F, out: &mut [f32]) {
                // SAFETY: the token proves AVX2; only the lanes within `out` are written.
                unsafe { _mm256_maskstore_ps(out.as_mut_ptr(), part_mask(out.len()), x) }
            }
            #[inline(always)]
            fn sum8(self, x: &[Self::F; LANES]) -> Self::F {
                // SAFETY: the token proves AVX2.
                unsafe {
                    // Three rounds of the order of `sum`, each on twice as many vectors at a time:
                    // lanes i and i + 4, then i and i + 2, then i and i + 1.
                    let halves = |a, b| {
                        let low = _mm256_permute2f128_ps::<0x20>(a, b);
                        _mm256_add_ps(low, _mm256_permute2f128_ps::<0x31>(a, b))
                    };
                    let quarters = |a, b| {
                        let (a, b) = (_mm256_castps_pd(a), _mm256_castps_pd(b));
                        let low = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
                        _mm256_add_ps(low, _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)))
                    };
                    let low = quarters(halves(x[0], x[4]), halves(x[1], x[5]));
                    let high = quarters(halves(x[2], x[6]), halves(x[3], x[7]));
                    let even = _mm256_shuffle_ps::<0b10_00_10_00>(low, high);
                    _mm256_add_ps(even, _mm256_shuffle_ps::<0b11_01_11_01>(low, high))
                }
            }
            #[inline(always)]
            fn sum(self, x: Self::F) -> f32 {
                // SAFETY: the token proves AVX2.
                unsafe {
                    let four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
                    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
                    _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
                }
            }
        }
    };
}

impl_simd!(Avx2);
impl_simd!(AvxVnni);
impl_simd!(Avx512Vnni);
