//! Vector operations of NEON: four 128-bit registers per vector. Every AArch64 CPU that Rust targets
//! with a standard library has NEON; the dot product extension is detected.
//!
//! The f32 operations are the plain ones: no fused multiply-add, and selections instead of `fmax` and
//! `fmin`, which treat NaN differently.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{LANES, Simd};
use crate::Kernels;
use crate::isa::{Isa, Task};

/// The CPU has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

/// The CPU has NEON and the dot product extension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeonDot(());

/// Whether the CPU has exactly the features that the functions of [`run`] are compiled with.
pub(crate) fn is_usable(isa: Isa) -> bool {
    match isa {
        Isa::Neon => std::arch::is_aarch64_feature_detected!("neon"),
        Isa::NeonDot => {
            std::arch::is_aarch64_feature_detected!("neon")
                && std::arch::is_aarch64_feature_detected!("dotprod")
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
            Isa::NeonDot => run_neondot(task),
            _ => run_neon(task),
        }
    }
}

// The features of each wrapper equal those tested in `is_usable`.

#[target_feature(enable = "neon")]
fn run_neon<T: Task>(task: T) -> T::Output {
    task.run(Neon(()))
}

#[target_feature(enable = "neon,dotprod")]
fn run_neondot<T: Task>(task: T) -> T::Output {
    task.run(NeonDot(()))
}

/// Applies a two-operand instruction to all quarters. (Functions with target features are no `Fn`.)
macro_rules! each {
    ($f:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        // SAFETY: the token proves NEON.
        unsafe {
            [
                $f(a[0], b[0]),
                $f(a[1], b[1]),
                $f(a[2], b[2]),
                $f(a[3], b[3]),
            ]
        }
    }};
    ($f:path, $a:expr) => {{
        let a = $a;
        // SAFETY: the token proves NEON.
        unsafe { [$f(a[0]), $f(a[1]), $f(a[2]), $f(a[3])] }
    }};
}

/// `if a > b { a } else { b }`
#[target_feature(enable = "neon")]
#[inline]
fn greater(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    vbslq_f32(vcgtq_f32(a, b), a, b)
}

/// `if a < b { a } else { b }`
#[target_feature(enable = "neon")]
#[inline]
fn less(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    vbslq_f32(vcltq_f32(a, b), a, b)
}

/// `x` without the lanes of `mask`
#[target_feature(enable = "neon")]
#[inline]
fn without(x: float32x4_t, mask: uint32x4_t) -> float32x4_t {
    vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(x), mask))
}

macro_rules! impl_simd {
    ($token:ty) => {
        impl Simd for $token {
            type F = [float32x4_t; 4];
            type I = [int32x4_t; 4];
            type H = [float32x4_t; 2];
            const SUMS: usize = 4;

            #[inline(always)]
            fn splat(self, x: f32) -> Self::F {
                // SAFETY: the token proves NEON.
                unsafe { [vdupq_n_f32(x); 4] }
            }
            #[inline(always)]
            fn load(self, x: &[f32; LANES]) -> Self::F {
                let x = x.as_ptr();
                // SAFETY: the token proves NEON; 64 bytes are readable.
                unsafe {
                    [
                        vld1q_f32(x),
                        vld1q_f32(x.add(4)),
                        vld1q_f32(x.add(8)),
                        vld1q_f32(x.add(12)),
                    ]
                }
            }
            #[inline(always)]
            fn store(self, x: Self::F, out: &mut [f32; LANES]) {
                for (x, out) in x.into_iter().zip(out.as_chunks_mut::<4>().0) {
                    // SAFETY: the token proves NEON; 16 bytes are writable.
                    unsafe { vst1q_f32(out.as_mut_ptr(), x) }
                }
            }
            #[inline(always)]
            fn add(self, a: Self::F, b: Self::F) -> Self::F {
                each!(vaddq_f32, a, b)
            }
            #[inline(always)]
            fn sub(self, a: Self::F, b: Self::F) -> Self::F {
                each!(vsubq_f32, a, b)
            }
            #[inline(always)]
            fn mul(self, a: Self::F, b: Self::F) -> Self::F {
                each!(vmulq_f32, a, b)
            }
            #[inline(always)]
            fn max(self, a: Self::F, b: Self::F) -> Self::F {
                each!(greater, a, b)
            }
            #[inline(always)]
            fn min(self, a: Self::F, b: Self::F) -> Self::F {
                each!(less, a, b)
            }
            #[inline(always)]
            fn zero_where_less(self, a: Self::F, b: Self::F, x: Self::F) -> Self::F {
                each!(without, x, each!(vcltq_f32, a, b))
            }
            #[inline(always)]
            fn any_greater(self, a: Self::F, b: Self::F) -> bool {
                let greater = each!(vcgtq_f32, a, b);
                // SAFETY: the token proves NEON.
                unsafe {
                    let two = [
                        vorrq_u32(greater[0], greater[1]),
                        vorrq_u32(greater[2], greater[3]),
                    ];
                    vmaxvq_u32(vorrq_u32(two[0], two[1])) != 0
                }
            }
            #[inline(always)]
            fn splat_i(self, x: i32) -> Self::I {
                // SAFETY: the token proves NEON.
                unsafe { [vdupq_n_s32(x); 4] }
            }
            #[inline(always)]
            fn load_i(self, x: &[i32; LANES]) -> Self::I {
                let x = x.as_ptr();
                // SAFETY: the token proves NEON; 64 bytes are readable.
                unsafe {
                    [
                        vld1q_s32(x),
                        vld1q_s32(x.add(4)),
                        vld1q_s32(x.add(8)),
                        vld1q_s32(x.add(12)),
                    ]
                }
            }
            #[inline(always)]
            fn load_i8(self, x: &[i8; LANES]) -> Self::I {
                // SAFETY: the token proves NEON; 16 bytes are readable.
                unsafe {
                    let x = vld1q_s8(x.as_ptr());
                    let (low, high) = (vmovl_s8(vget_low_s8(x)), vmovl_high_s8(x));
                    [
                        vmovl_s16(vget_low_s16(low)),
                        vmovl_high_s16(low),
                        vmovl_s16(vget_low_s16(high)),
                        vmovl_high_s16(high),
                    ]
                }
            }
            #[inline(always)]
            fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
                each!(vaddq_s32, a, b)
            }
            #[inline(always)]
            fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
                each!(vsubq_s32, a, b)
            }
            #[inline(always)]
            fn mul_i(self, a: Self::I, b: Self::I) -> Self::I {
                each!(vmulq_s32, a, b)
            }
            #[inline(always)]
            fn shift_to_exponent(self, x: Self::I) -> Self::I {
                each!(vshlq_n_s32::<23>, x)
            }
            #[inline(always)]
            fn to_f32(self, x: Self::I) -> Self::F {
                each!(vcvtq_f32_s32, x)
            }
            #[inline(always)]
            fn bits(self, x: Self::F) -> Self::I {
                each!(vreinterpretq_s32_f32, x)
            }
            #[inline(always)]
            fn as_f32(self, x: Self::I) -> Self::F {
                each!(vreinterpretq_f32_s32, x)
            }
            #[inline(always)]
            fn store_u8(self, x: Self::I, out: &mut [u8; LANES]) {
                // SAFETY: the token proves NEON; 16 bytes are writable.
                unsafe {
                    let low = vmovn_high_s32(vmovn_s32(x[0]), x[1]);
                    let high = vmovn_high_s32(vmovn_s32(x[2]), x[3]);
                    let bytes = vmovn_high_s16(vmovn_s16(low), high);
                    vst1q_u8(out.as_mut_ptr(), vreinterpretq_u8_s8(bytes));
                }
            }
            #[inline(always)]
            fn fold(self, x: Self::F) -> Self::H {
                // SAFETY: the token proves NEON.
                unsafe { [vaddq_f32(x[0], x[2]), vaddq_f32(x[1], x[3])] }
            }
            #[inline(always)]
            fn sum_half(self, x: Self::H) -> f32 {
                // SAFETY: the token proves NEON.
                unsafe {
                    let four = vaddq_f32(x[0], x[1]);
                    let two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
                    vget_lane_f32::<0>(two) + vget_lane_f32::<1>(two)
                }
            }
        }
    };
}

impl_simd!(Neon);
impl_simd!(NeonDot);
