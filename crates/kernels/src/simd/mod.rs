//! The vector operations that all kernels are written in: sixteen f32 or i32 lanes, and the tile of
//! the int8 matrix product. One token type per instruction set implements them.
//!
//! Methods are `#[inline(always)]` without `#[target_feature]`, so that they take on the features
//! of the one outer function per instruction set (see [`run`]).

#[cfg(target_arch = "aarch64")]
pub(crate) mod aarch64;
pub(crate) mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm32;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

use crate::Kernels;
use crate::gemm::Tile;
use crate::isa::{Isa, Task};

/// Lanes of a vector.
pub(crate) const LANES: usize = 16;
/// Lanes of half a vector.
pub(crate) const HALF: usize = LANES / 2;

/// Vectors that reductions over a long row keep, so that additions need not wait for each other:
/// block i of 16 numbers goes to vector i mod 4 (of an incomplete group of four blocks, all to vector
/// 0), and the vectors are combined as `(0+1)+(2+3)`.
pub(crate) const WIDE: usize = 4;

/// 1.5 · 2^23: adding it to |x| < 2^22 rounds x half to even, and leaves the integer in the low
/// mantissa bits.
pub(crate) const ROUND_MAGIC: f32 = 12_582_912.0;

/// 2^n from here on is no subnormal number, nor is a little less than it.
pub(crate) const LEAST_POWER: f32 = -125.0;

/// Sixteen lanes of f32 and i32. All f32 operations are IEEE, none is fused.
pub(crate) trait Simd: Tile {
    /// Sixteen f32.
    type F: Copy;
    /// Sixteen i32; arithmetic wraps.
    type I: Copy;
    /// Eight f32.
    type H: Copy;
    /// Sums of sixteen lanes that fit the registers beside a few other values.
    const SUMS: usize;
    /// Whether four queries of a head of 64 numbers fit the registers, with a sum for each.
    const SHARES_KEYS: bool = false;

    fn splat(self, x: f32) -> Self::F;
    fn load(self, x: &[f32; LANES]) -> Self::F;
    fn store(self, x: Self::F, out: &mut [f32; LANES]);
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `if a > b { a } else { b }` per lane, hence `b` where either is NaN.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// `if a < b { a } else { b }` per lane, hence `b` where either is NaN.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    /// `if a < b { 0.0 } else { x }` per lane.
    fn zero_where_less(self, a: Self::F, b: Self::F, x: Self::F) -> Self::F;
    /// Begins to load the cache line at an address, which may be any, where there is such an
    /// instruction.
    #[inline(always)]
    fn prefetch(self, _address: *const i8) {}

    /// As [`Self::prefetch`], no further than to the L2 cache.
    #[inline(always)]
    fn prefetch_l2(self, _address: *const i8) {}

    /// Whether `a > b` in any lane.
    fn any_greater(self, a: Self::F, b: Self::F) -> bool;

    fn splat_i(self, x: i32) -> Self::I;
    fn load_i(self, x: &[i32; LANES]) -> Self::I;
    fn load_i8(self, x: &[i8; LANES]) -> Self::I;
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn mul_i(self, a: Self::I, b: Self::I) -> Self::I;
    /// Shifts the lowest bits up to an f32's exponent: `x << 23`.
    fn shift_to_exponent(self, x: Self::I) -> Self::I;
    /// `x = n + f`, n whole and |f| ≤ 1/2: n in the form that [`Self::scale_by_power`] takes, and f. What
    /// is less than [`LEAST_POWER`], or NaN, counts as that.
    #[inline(always)]
    fn split(self, x: Self::F) -> (Self::F, Self::F) {
        let magic = self.splat(ROUND_MAGIC);
        let x = self.max(x, self.splat(LEAST_POWER));
        let shifted = self.add(x, magic);
        (shifted, self.sub(x, self.sub(shifted, magic)))
    }

    /// `x·2^n`
    #[inline(always)]
    fn scale_by_power(self, x: Self::F, n: Self::F) -> Self::F {
        // n is added to the exponent; the shift drops the magic number's own bits.
        let n = self.shift_to_exponent(self.bits(n));
        self.as_f32(self.add_i(self.bits(x), n))
    }

    /// Value conversion, rounded to nearest.
    fn to_f32(self, x: Self::I) -> Self::F;
    /// Bit casts.
    fn bits(self, x: Self::F) -> Self::I;
    fn as_f32(self, x: Self::I) -> Self::F;
    /// Narrows values in 0..=255 to bytes.
    fn store_u8(self, x: Self::I, out: &mut [u8; LANES]);

    /// Lane i plus lane i + 8, the first step of every sum over lanes.
    fn fold(self, x: Self::F) -> Self::H;
    /// `((0+4)+(2+6))+((1+5)+(3+7))`, the rest of it.
    fn sum_half(self, x: Self::H) -> f32;

    /// The sum of the lanes.
    #[inline(always)]
    fn sum(self, x: Self::F) -> f32 {
        self.sum_half(self.fold(x))
    }

    /// [`Self::sum_half`] of each of eight halves.
    #[inline(always)]
    fn sum8(self, x: &[Self::H; 8], out: &mut [f32; 8]) {
        for i in 0..8 {
            out[i] = self.sum_half(x[i]);
        }
    }

    /// Maximum of the lanes; none may be NaN.
    #[inline(always)]
    fn max_lane(self, x: Self::F) -> f32 {
        let lanes = self.to_array(x);
        let mut max = lanes[0];
        for lane in lanes {
            max = if lane > max { lane } else { max };
        }
        max
    }

    #[inline(always)]
    fn to_array(self, x: Self::F) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        self.store(x, &mut lanes);
        lanes
    }

    /// Loads up to sixteen numbers, the missing lanes filled with `fill`.
    #[inline(always)]
    fn load_part(self, x: &[f32], fill: f32) -> Self::F {
        let mut lanes = [fill; LANES];
        lanes[..x.len()].copy_from_slice(x);
        self.load(&lanes)
    }

    /// Stores the first `out.len()` lanes.
    #[inline(always)]
    fn store_part(self, x: Self::F, out: &mut [f32]) {
        out.copy_from_slice(&self.to_array(x)[..out.len()]);
    }
}

/// Whether this machine and build can run `isa`.
pub(crate) fn is_usable(isa: Isa) -> bool {
    match isa {
        Isa::Scalar => true,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::AvxVnni | Isa::Avx512Vnni | Isa::Amx => x86_64::is_usable(isa),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon | Isa::NeonDot => aarch64::is_usable(isa),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Isa::Simd128 => true,
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            target_feature = "relaxed-simd"
        ))]
        Isa::RelaxedSimd => true,
        _ => false,
    }
}

/// Runs `task` with the vector operations of `kernels`.
#[inline]
pub(crate) fn run<T: Task>(kernels: Kernels, task: T) -> T::Output {
    match kernels.isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::AvxVnni | Isa::Avx512Vnni | Isa::Amx => x86_64::run(kernels, task),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon | Isa::NeonDot => aarch64::run(kernels, task),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Isa::Simd128 => task.run(wasm32::Simd128),
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            target_feature = "relaxed-simd"
        ))]
        Isa::RelaxedSimd => task.run(wasm32::RelaxedSimd::new()),
        _ => task.run(scalar::Scalar),
    }
}
