//! The natural logarithm, rounded correctly, with the same bits on every platform.
//!
//! Two ways through the word graph often differ by one rounding of one addition, so the logarithms
//! must have exactly the bits the reference computed. Those are the correctly rounded ones for every
//! frequency of the dictionary and every probability of the hidden Markov model, which the usual
//! "below one ulp" implementations miss now and then. Here the value is evaluated to about 70 bits
//! and rounded once.
//!
//! With x = 2^e · m, m in [1, 2), c = the multiple of 1/128 nearest to m, z = (m − c) / c:
//! ln x = e · ln 2 + ln c + ln(1 + z), where |z| ≤ 2⁻⁸.

/// An unevaluated sum `.0 + .1` with |.1| ≤ ulp(.0) / 2: about 106 bits.
type Double = (f64, f64);

/// `ln 1 … ln 2` in steps of 1/128.
static LN_STEPS: [Double; 129] = ln_steps();

/// Error-free sum for |a| ≥ |b| (or a = 0).
const fn fast_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Error-free sum.
const fn sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Cuts a value into two halves of at most 26 bits.
const fn halves(a: f64) -> Double {
    let scaled = 134_217_729.0 * a; // 2^27 + 1
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// Error-free product, without a fused multiply-add.
const fn product(a: f64, b: f64) -> Double {
    let p = a * b;
    let (ah, al) = halves(a);
    let (bh, bl) = halves(b);
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

const fn add(a: Double, b: Double) -> Double {
    let (high, low) = sum(a.0, b.0);
    fast_sum(high, low + (a.1 + b.1))
}

const fn multiply(a: Double, b: Double) -> Double {
    let (high, low) = product(a.0, b.0);
    fast_sum(high, low + (a.0 * b.1 + a.1 * b.0))
}

/// a / b for a divisor that is one double.
const fn divide(a: Double, b: f64) -> Double {
    let quotient = a.0 / b;
    let (high, low) = product(quotient, b);
    fast_sum(quotient, ((a.0 - high) - low + a.1) / b)
}

/// ln c = 2 · artanh s = 2 · (s + s³/3 + s⁵/5 + …) with s = (c − 1) / (c + 1) ≤ 1/3.
const fn ln_step(index: usize) -> Double {
    let c = 1.0 + index as f64 / 128.0;
    let s = divide((c - 1.0, 0.0), c + 1.0);
    let square = multiply(s, s);
    let mut tail = (0.0, 0.0);
    // s² ≤ 1/9: 35 terms leave less than 2^-110.
    let mut term = 35;
    while term > 0 {
        term -= 1;
        let coefficient = divide((1.0, 0.0), (2 * term + 1) as f64);
        tail = add(multiply(tail, square), coefficient);
    }
    let half = multiply(tail, s);
    (2.0 * half.0, 2.0 * half.1)
}

const fn ln_steps() -> [Double; 129] {
    let mut steps = [(0.0, 0.0); 129];
    let mut index = 0;
    while index < 129 {
        steps[index] = ln_step(index);
        index += 1;
    }
    steps
}

/// The natural logarithm of a positive, normal, finite `x`.
pub(super) fn ln(x: f64) -> f64 {
    debug_assert!(x.is_normal() && x > 0.0);
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    let step = ((m - 1.0) * 128.0 + 0.5) as usize;
    let c = 1.0 + step as f64 / 128.0;
    let z = divide((m - c, 0.0), c);
    let (square, square_low) = product(z.0, z.0);
    // The terms from z³ on are below 2⁻²⁵: one double holds them well enough.
    let w = z.0;
    let tail = square
        * w
        * (1.0 / 3.0
            - w * (1.0 / 4.0
                - w * (1.0 / 5.0 - w * (1.0 / 6.0 - w * (1.0 / 7.0 - w * (1.0 / 8.0 - w / 9.0))))));
    let ln_2 = LN_STEPS[128];
    let (power, power_low) = product(f64::from(exponent), ln_2.0);
    let power = (power, power_low + f64::from(exponent) * ln_2.1);
    let ln_c = LN_STEPS.get(step).copied().unwrap_or(ln_2);
    let whole = add(power, ln_c);
    let small = add(
        (-0.5 * square, z.1 - z.0 * z.1 - 0.5 * square_low + tail),
        (0.0, 0.0),
    );
    let result = add(add(whole, (z.0, 0.0)), small);
    result.0 + result.1
}

#[cfg(test)]
mod tests {
    use super::ln;

    /// Bits of correctly rounded logarithms (45-digit decimal arithmetic), chosen among arguments
    /// for which common one-ulp implementations are off.
    #[test]
    fn golden_hard_arguments() {
        for (x, bits) in GOLDEN {
            assert_eq!(ln(*x).to_bits(), *bits, "ln({x})");
        }
    }

    #[test]
    fn agrees_with_the_platform_within_one_ulp() {
        let mut x = 1u64;
        for _ in 0..200_000 {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let v = ((x >> 33) + 2) as f64;
            for v in [v, 1.0 / v] {
                let difference = ln(v).to_bits().abs_diff(v.ln().to_bits());
                assert!(difference <= 1, "ln({v}) is {difference} ulp away");
            }
        }
        assert_eq!(ln(1.0), 0.0);
    }

    const GOLDEN: &[(f64, u64)] = &[
        (3.0, 0x3ff1_93ea_7aad_030b),
        (14.0, 0x4005_1cca_16d7_bba7),
        (48.0, 0x400e_f838_3c50_bb75),
        (74.0, 0x4011_375c_d6fc_ab1d),
        (176.0, 0x4014_ae93_5b3c_b89d),
        (196.0, 0x4015_1cca_16d7_bba7),
        (220.0, 0x4015_9313_1979_8d6f),
        (299.0, 0x4016_cd41_1481_a021),
        (308.0, 0x4016_eb9f_470a_c0b7),
        (334.0, 0x4017_3e9b_be95_1e9d),
        (343.0, 0x4017_59d6_02a5_c3c1),
        (346.0, 0x4017_62c0_d8a3_c1c5),
        (362.0, 0x4017_910b_2e25_d669),
        (657.0, 0x4019_f363_7078_b16b),
        (661.0, 0x4019_f99a_9b49_bfe9),
        (759.0, 0x401a_872b_7953_b661),
        (820.0, 0x401a_d653_e081_47ef),
        (850.0, 0x401a_fb1f_3cd3_4d95),
        (859.0, 0x401b_05e8_49cd_05af),
        (894.0, 0x401b_2ecd_7ea6_6f2d),
        (60_101_967.0, 0x4031_e95b_8bb8_4672),
        (883_634.0, 0x402b_6233_609f_b790),
        (9_991.0 / 33_749_694.0, 0xc020_4005_7f55_adff),
        (873_256.0 / 33_749_694.0, 0xc00d_3c69_61c4_f4ca),
        (1.0 / 33_749_694.0, 0xc031_55a0_9b3a_6ef8),
        (32_561.0 / 6_980_216.0, 0xc015_788b_8fee_0f81),
        (42_542.0 / 29_953_599.0, 0xc01a_3a47_62c0_8cf3),
        (3.0 / 29_953_599.0, 0xc030_1dd6_12d6_0fc0),
    ];
}
