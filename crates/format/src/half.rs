//! IEEE half-precision numbers.

/// The number with these bits.
#[must_use]
pub fn f32_of_f16(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let mantissa = u32::from(bits) & 0x3ff;
    let magnitude = match exponent {
        // Subnormal: a multiple of 2⁻²⁴, exact in f32.
        0 => return f32::from_bits(sign | (mantissa as f32 * 2f32.powi(-24)).to_bits()),
        31 => 0x7f80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest half-precision number, ties to even; what is too large becomes infinite.
#[must_use]
pub fn f16_of_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // From halfway between the largest half, 65504, and what would follow it.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Below 2⁻¹⁴ halves are multiples of 2⁻²⁴.
        let steps = f32::from_bits(magnitude) * 2f32.powi(24);
        return sign | steps.round_ties_even() as u16;
    }
    let rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    sign | ((rounded - (112 << 23)) >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::{f16_of_f32, f32_of_f16};

    #[test]
    fn every_half_survives() {
        for bits in 0..=u16::MAX {
            let value = f32_of_f16(bits);
            if value.is_nan() {
                assert!(f32_of_f16(f16_of_f32(value)).is_nan());
            } else {
                assert_eq!(f16_of_f32(value), bits, "{value}");
            }
        }
        assert_eq!(f32_of_f16(0x3c00), 1.0);
        assert_eq!(f32_of_f16(0xc000), -2.0);
        assert_eq!(f32_of_f16(1), 2f32.powi(-24));
    }

    #[test]
    fn rounding_is_to_nearest_with_ties_to_even() {
        for low in (0..0x7bff_u16).step_by(7) {
            let (a, b) = (f32_of_f16(low), f32_of_f16(low + 1));
            let middle = f32::midpoint(a, b);
            let even = if low % 2 == 0 { low } else { low + 1 };
            assert_eq!(f16_of_f32(middle), even);
            assert_eq!(f16_of_f32(f32::midpoint(a, middle)), low);
            assert_eq!(f16_of_f32(f32::midpoint(middle, b)), low + 1);
        }
        assert_eq!(f16_of_f32(65_519.0), 0x7bff);
        assert_eq!(f16_of_f32(65_520.0), 0x7c00);
        assert_eq!(f16_of_f32(f32::MAX), 0x7c00);
    }
}
