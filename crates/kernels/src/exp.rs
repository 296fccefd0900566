//! The exponential, one vector at a time.
//!
//! `x = n·ln 2 + r`, |r| ≤ ln 2 / 2, `e^x = 2^n·(1 + r + r²·g(r))`. n is found by adding 1.5·2^23,
//! ln 2 is subtracted in two parts (n times the first is exact), and g is the degree-4 interpolation
//! of (e^r - 1 - r)/r² at the Chebyshev nodes, relative error of the whole below 1e-8.

use crate::simd::{ROUND_MAGIC, Simd};

/// Below this the result would be subnormal: 0 instead.
const LOWEST: f32 = -87.336_54;
/// Above this n is 128 and 2^n is infinite.
const HIGHEST: f32 = 88.5;
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// g, highest power first.
const G: [f32; 5] = [
    0.001_392_625,
    0.008_363_233,
    0.041_666_552,
    0.166_665_76,
    0.5,
];

/// 2^f for |f| ≤ 1/2, highest power first: least relative error, below 2e-7.
const EXP2: [f32; 6] = [
    0.001_327_647_2,
    0.009_675_541,
    0.055_507_13,
    0.240_221_2,
    0.693_146_94,
    1.0,
];

/// Within 2 ulp on [-87, 88]; 0 below [`LOWEST`], +inf above 88.38, NaN for NaN.
#[inline(always)]
pub(crate) fn exp<S: Simd>(simd: S, x: S::F) -> S::F {
    // In this order NaN stays NaN.
    let limited = simd.min(simd.splat(HIGHEST), x);
    simd.zero_where_less(x, simd.splat(LOWEST), exp_inside(simd, limited))
}

/// [`exp`] of x ≤ [`HIGHEST`] or NaN, one operation shorter.
#[inline(always)]
pub(crate) fn exp_limited<S: Simd>(simd: S, x: S::F) -> S::F {
    simd.zero_where_less(x, simd.splat(LOWEST), exp_inside(simd, x))
}

/// Between the limits.
#[inline(always)]
fn exp_inside<S: Simd>(simd: S, limited: S::F) -> S::F {
    let magic = simd.splat(ROUND_MAGIC);
    let shifted = simd.add(
        simd.mul(limited, simd.splat(std::f32::consts::LOG2_E)),
        magic,
    );
    let n = simd.sub(shifted, magic);
    let r = simd.sub(limited, simd.mul(n, simd.splat(LN2_HIGH)));
    let r = simd.sub(r, simd.mul(n, simd.splat(LN2_LOW)));

    let mut g = simd.splat(G[0]);
    for coefficient in &G[1..] {
        g = simd.add(simd.mul(g, r), simd.splat(*coefficient));
    }
    let p = simd.add(simd.add(simd.mul(simd.mul(r, r), g), r), simd.splat(1.0));

    // n + 127 in the exponent field; the shift drops the magic number's own bits.
    let biased = simd.add_i(simd.bits(shifted), simd.splat_i(127));
    let power = simd.as_f32(simd.shift_to_exponent(biased));
    simd.mul(p, power)
}

/// e^x of x ≤ 88, a term of a sum: never less than 2^-125, also where x is NaN.
///
/// `x·log2 e = n + f`, `e^x = 2^n·2^f`: a third fewer operations than [`exp`], for which the rounding
/// of the product is left in the result (2^-24·|x| relative). Terms that are small beside the sum are
/// the ones far from 0.
#[inline(always)]
pub(crate) fn exp_term<S: Simd>(simd: S, x: S::F) -> S::F {
    let t = simd.mul(x, simd.splat(std::f32::consts::LOG2_E));
    let (n, f) = simd.split(t);
    // In pairs: fewer operations wait for each other than in Horner's order.
    let pair = |i| simd.add(simd.mul(simd.splat(EXP2[i]), f), simd.splat(EXP2[i + 1]));
    let square = simd.mul(f, f);
    let p = simd.add(simd.mul(pair(0), square), pair(2));
    let p = simd.add(simd.mul(p, square), pair(4));
    simd.scale_by_power(p, n)
}
