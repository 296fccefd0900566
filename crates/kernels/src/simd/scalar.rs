//! Vector operations as loops over arrays: the definition that every instruction set must equal.

use super::{HALF, LANES, Simd};

/// Plain Rust; usable everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

#[inline(always)]
fn each<T: Copy, U: Copy + Default>(
    a: [T; LANES],
    b: [T; LANES],
    f: impl Fn(T, T) -> U,
) -> [U; LANES] {
    let mut out = [U::default(); LANES];
    for i in 0..LANES {
        out[i] = f(a[i], b[i]);
    }
    out
}

impl Simd for Scalar {
    type F = [f32; LANES];
    type I = [i32; LANES];
    type H = [f32; HALF];
    const SUMS: usize = 8;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [x; LANES]
    }
    #[inline(always)]
    fn load(self, x: &[f32; LANES]) -> Self::F {
        *x
    }
    #[inline(always)]
    fn store(self, x: Self::F, out: &mut [f32; LANES]) {
        *out = x;
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        each(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn zero_where_less(self, a: Self::F, b: Self::F, x: Self::F) -> Self::F {
        let mut out = x;
        for i in 0..LANES {
            out[i] = if a[i] < b[i] { 0.0 } else { x[i] };
        }
        out
    }

    #[inline(always)]
    fn any_greater(self, a: Self::F, b: Self::F) -> bool {
        a.iter().zip(&b).any(|(a, b)| a > b)
    }
    #[inline(always)]
    fn splat_i(self, x: i32) -> Self::I {
        [x; LANES]
    }
    #[inline(always)]
    fn load_i(self, x: &[i32; LANES]) -> Self::I {
        *x
    }
    #[inline(always)]
    fn load_i8(self, x: &[i8; LANES]) -> Self::I {
        x.map(i32::from)
    }
    #[inline(always)]
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I {
        each(a, b, i32::wrapping_add)
    }
    #[inline(always)]
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I {
        each(a, b, i32::wrapping_sub)
    }
    #[inline(always)]
    fn mul_i(self, a: Self::I, b: Self::I) -> Self::I {
        each(a, b, i32::wrapping_mul)
    }
    #[inline(always)]
    fn shift_to_exponent(self, x: Self::I) -> Self::I {
        x.map(|x| x << 23)
    }
    #[inline(always)]
    fn to_f32(self, x: Self::I) -> Self::F {
        x.map(|x| x as f32)
    }
    #[inline(always)]
    fn bits(self, x: Self::F) -> Self::I {
        x.map(|x| x.to_bits() as i32)
    }
    #[inline(always)]
    fn as_f32(self, x: Self::I) -> Self::F {
        x.map(|x| f32::from_bits(x as u32))
    }
    #[inline(always)]
    fn store_u8(self, x: Self::I, out: &mut [u8; LANES]) {
        *out = x.map(|x| x as u8);
    }
    #[inline(always)]
    fn fold(self, x: Self::F) -> Self::H {
        let mut half = [0.0; HALF];
        for i in 0..HALF {
            half[i] = x[i] + x[i + HALF];
        }
        half
    }
    #[inline(always)]
    fn sum_half(self, x: Self::H) -> f32 {
        ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
    }
}
