//! Kernels over rows: quantisation, layer norm, softmax, exp, embeddings. Bits against the scalar
//! kernels, values against f64.
#![allow(clippy::unwrap_used)]

mod support;

use csanmt_kernels::{Isa, Kernels, QuantizedRows, Top, self_test};
use proptest::prelude::*;
use support::{Random, Weights, assert_same, quantized, scalar};

fn assert_same_rows(found: &QuantizedRows, expected: &QuantizedRows, isa: Isa) {
    assert_eq!(found.data(), expected.data(), "{isa}");
    for row in 0..expected.rows() {
        assert_eq!(
            found.scale(row).to_bits(),
            expected.scale(row).to_bits(),
            "{isa}"
        );
        assert_eq!(found.zero(row), expected.zero(row), "{isa}");
    }
}

/// Mostly ordinary numbers, some of every odd kind.
fn odd_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -4.0f32..4.0,
        1 => any::<u32>().prop_map(f32::from_bits),
        1 => prop::sample::select(vec![0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-40, -1e-45, 0.5, 1.5]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn matches_scalar_quantize(x in prop::collection::vec(odd_float(), 1..150), rows in 1usize..4) {
        let k = x.len() / rows;
        let x = &x[..k * rows];
        let expected = quantized(scalar(), x, k);
        for kernels in Kernels::available() {
            assert_same_rows(&quantized(kernels, x, k), &expected, kernels.isa());
        }
        for row in 0..expected.rows() {
            prop_assert!(expected.row(row).iter().all(|&q| q <= 127));
            prop_assert!((0..=127).contains(&expected.zero(row)) && expected.scale(row).is_finite());
            prop_assert!(expected.row(row)[k..].iter().all(|&q| q == 0), "padding");
        }
    }

    #[test]
    fn quantize_is_within_one_step(x in prop::collection::vec(-50.0f32..50.0, 1..150)) {
        let q = quantized(scalar(), &x, x.len());
        for (x, &q_x) in x.iter().zip(q.row(0)) {
            let back = (i32::from(q_x) - q.zero(0)) as f32 * q.scale(0);
            // Half a step for x, half for the zero point, and rounding.
            prop_assert!((back - x).abs() <= q.scale(0) * 1.001, "{x} became {back}, step {}", q.scale(0));
        }
    }

    #[test]
    fn matches_scalar_layer_norm(width in 1usize..90, rows in 1usize..4, seed: u64, size in -20i32..20) {
        let mut random = Random::new(seed);
        let factor = 2f32.powi(size);
        let x: Vec<f32> = random.numbers(width * rows).iter().map(|x| x * factor).collect();
        let (scale, offset) = (random.numbers(width), random.numbers(width));
        let mut expected = vec![0.0; x.len()];
        scalar().layer_norm(&x, &scale, &offset, &mut expected);
        let quantized_twice = quantized(scalar(), &expected, width);
        for kernels in Kernels::available() {
            let mut out = vec![0.0; x.len()];
            kernels.layer_norm(&x, &scale, &offset, &mut out);
            assert_same(&out, &expected, kernels.isa().name());
            let mut fused = QuantizedRows::default();
            kernels.layer_norm_quantize(&x, &scale, &offset, &mut fused);
            assert_same_rows(&fused, &quantized_twice, kernels.isa());
        }
    }

    #[test]
    fn matches_scalar_softmax_and_exp(x in prop::collection::vec(odd_float(), 0..80), factor in 0.1f32..30.0) {
        let x: Vec<f32> = x.iter().map(|x| x * factor).collect();
        let (mut softmax, mut exp) = (x.clone(), x.clone());
        scalar().softmax(&mut softmax);
        scalar().exp(&mut exp);
        for kernels in Kernels::available() {
            let mut out = x.clone();
            kernels.softmax(&mut out);
            assert_same(&out, &softmax, "softmax");
            let mut out = x.clone();
            kernels.exp(&mut out);
            assert_same(&out, &exp, "exp");
        }
    }

    #[test]
    fn top_is_sorting_and_log_sum_exp(
        x in prop::collection::vec(odd_float(), 0..700), copies in 1usize..30, count in 1usize..20,
        excluded in prop::collection::vec(0u32..700, 0..3), factor in 0.1f32..200.0,
    ) {
        // Rows of many blocks, and equal numbers.
        let x: Vec<f32> = x.iter().map(|x| x * factor).cycle().take(x.len() * copies).collect();
        let mut sorted: Vec<(u32, f32)> = (0..).zip(x.iter().copied()).collect();
        sorted.retain(|&(place, value)| value > f32::NEG_INFINITY && !excluded.contains(&place));
        sorted.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap());
        sorted.truncate(count);
        let mut expected = Top::default();
        expected.start(count, excluded.iter().copied());
        scalar().top_of_row(&x, &mut expected);
        prop_assert_eq!(expected.best(), &sorted);
        for kernels in Kernels::available() {
            let mut top = Top::default();
            kernels.top_of_row(&[3.0; 20], &mut top);
            top.start(count, excluded.iter().copied());
            kernels.top_of_row(&x, &mut top);
            prop_assert_eq!(top.best(), &sorted);
            let ((a, b), (c, d)) = (top.log_sum_exp(), expected.log_sum_exp());
            assert_same(&[a, b], &[c, d], kernels.isa().name());
        }
    }

    #[test]
    fn matches_scalar_embedding(len in 0usize..70, scale in -2.0f32..2.0, seed: u64) {
        let mut random = Random::new(seed);
        let (row, base) = (random.weights(len), random.numbers(len));
        let expected: Vec<f32> = row.iter().zip(&base).map(|(&w, x)| x + f32::from(w) * scale).collect();
        for kernels in Kernels::available() {
            let mut out = base.clone();
            kernels.dequantize_row(&row, scale, &mut out);
            assert_same(&out, &expected, kernels.isa().name());
        }
    }
}

#[test]
fn quantize_by_hand() {
    // lo -1, hi 1.54: step 0.02, zero point 50; 0.03 lies between steps 1 and 2.
    let q = quantized(Kernels::detect(), &[-1.0, 1.54, 0.0, 0.02, -0.02, 0.031], 6);
    assert_eq!(
        (q.zero(0), q.stride(), q.row(0)),
        (50, 8, &[0, 127, 50, 51, 49, 52, 0, 0][..])
    );
    let q = quantized(Kernels::detect(), &[0.0; 5], 5);
    assert_eq!((q.scale(0), q.zero(0), q.row(0)), (0.0, 0, &[0; 8][..]));
    // A buffer used again forgets what it held.
    let mut buffer = quantized(Kernels::detect(), &[1.0; 64], 8);
    Kernels::detect().quantize_rows(&[0.5; 3], 3, &mut buffer);
    assert_eq!((buffer.rows(), buffer.row(0)), (1, &[127, 127, 127, 0][..]));
}

#[test]
fn exp_is_within_two_ulp() {
    let mut worst = 0.0f64;
    let steps = 2_000_000;
    let mut x: Vec<f32> = (0..=steps)
        .map(|i| -87.0 + 175.0 * i as f32 / steps as f32)
        .collect();
    let inputs = x.clone();
    Kernels::detect().exp(&mut x);
    for (x, y) in inputs.into_iter().zip(x) {
        let expected = f64::from(x).exp();
        let rounded = expected as f32;
        let ulp = f64::from(f32::from_bits(rounded.to_bits() + 1)) - f64::from(rounded);
        worst = worst.max((f64::from(y) - expected).abs() / ulp);
    }
    assert!(worst <= 2.0, "{worst} ulp");
    println!("exp: {worst:.3} ulp");

    let mut ends = [
        f32::NEG_INFINITY,
        -1e30,
        -87.4,
        f32::INFINITY,
        1e30,
        f32::NAN,
        0.0,
        -0.0,
    ];
    Kernels::detect().exp(&mut ends);
    assert_eq!(ends[..5], [0.0, 0.0, 0.0, f32::INFINITY, f32::INFINITY]);
    assert!(ends[5].is_nan());
    assert_eq!(ends[6..], [1.0, 1.0]);
}

#[test]
fn softmax_is_close_to_f64() {
    let mut random = Random::new(7);
    for len in [1, 2, 7, 8, 9, 100, 1003] {
        let x: Vec<f32> = random.numbers(len).iter().map(|x| 20.0 * x).collect();
        let max = x.iter().copied().fold(f32::MIN, f32::max);
        let sum: f64 = x.iter().map(|&x| f64::from(x - max).exp()).sum();
        let mut out = x.clone();
        Kernels::detect().softmax(&mut out);
        // exp 2 ulp, its sum, division and product one each, lanes of len/8 additions.
        let tolerance = (6.0 + len as f64 / 8.0) * f64::from(f32::EPSILON);
        for (x, y) in x.iter().zip(&out) {
            let expected = f64::from(x - max).exp() / sum;
            assert!(
                (f64::from(*y) - expected).abs() <= tolerance * expected + 1e-38,
                "{y} {expected}"
            );
        }
    }
    let mut masked = [f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY];
    Kernels::detect().softmax(&mut masked);
    assert_eq!(masked, [0.0, 1.0, 0.0]);
}

/// Rows that rise and fall, by less and by far more than the exponential can bear.
#[test]
fn log_sum_exp_is_close_to_f64() {
    let mut random = Random::new(9);
    for (len, factor) in [
        (1, 1.0),
        (16, 5.0),
        (1003, 20.0),
        (5000, 20.0),
        (1003, 300.0),
    ] {
        let mut x: Vec<f32> = random.numbers(len).iter().map(|x| factor * x).collect();
        for order in ["none", "ascending", "descending"] {
            match order {
                "ascending" => x.sort_by(f32::total_cmp),
                "descending" => x.reverse(),
                _ => {}
            }
            let max = f64::from(x.iter().copied().fold(f32::MIN, f32::max));
            let sum: f64 = x.iter().map(|&x| (f64::from(x) - max).exp()).sum();
            let expected = max + sum.ln();
            let mut top = Top::default();
            Kernels::detect().top_of_row(&x, &mut top);
            let (shift, ln_sum) = top.log_sum_exp();
            let found = f64::from(shift) + f64::from(ln_sum);
            // Rounding the difference to the shift is as large as its numbers allow.
            let tolerance = f64::from(f32::EPSILON) * (8.0 + len as f64 / 16.0 + 2.0 * max.abs());
            assert!(
                (found - expected).abs() <= tolerance,
                "{len} {factor} {order}: {found} {expected}"
            );
        }
    }
    let mut top = Top::default();
    Kernels::detect().top_of_row(&[], &mut top);
    assert_eq!(top.log_sum_exp().1, f32::NEG_INFINITY);
    assert_eq!(top.best(), []);
}

#[test]
fn layer_norm_is_close_to_f64() {
    let mut random = Random::new(8);
    for width in [1, 5, 8, 64, 511] {
        let x: Vec<f32> = random
            .numbers(width)
            .iter()
            .map(|x| 3.0 * x + 0.5)
            .collect();
        let (scale, offset) = (random.numbers(width), random.numbers(width));
        let mut out = vec![0.0; width];
        Kernels::detect().layer_norm(&x, &scale, &offset, &mut out);
        let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / width as f64;
        let var = x
            .iter()
            .map(|&x| (f64::from(x) - mean).powi(2))
            .sum::<f64>()
            / width as f64;
        for i in 0..width {
            let expected = (f64::from(x[i]) - mean) / (var + 1e-6).sqrt() * f64::from(scale[i])
                + f64::from(offset[i]);
            // A single number has no deviation: rounding of the mean counts a thousandfold.
            let tolerance = if var < 1e-6 { 1e-3 } else { 1e-5 };
            assert!(
                (f64::from(out[i]) - expected).abs() < tolerance,
                "{width}: {} {expected}",
                out[i]
            );
        }
    }
}

#[test]
fn packed_rows_are_embeddings() {
    let (n, k) = (21, 10);
    let mut random = Random::new(9);
    let rows = random.weights(n * k);
    let w = Weights::pack(&rows, n, k, random.numbers(n));
    for row in 0..n {
        let mut out = vec![1.0; k];
        Kernels::detect().dequantize_packed_row(w.view(), row, 16.0, &mut out);
        let mut expected = vec![1.0; k];
        Kernels::detect().dequantize_row(&rows[row * k..][..k], w.scale[row] * 16.0, &mut expected);
        assert_same(&out, &expected, "packed row");
    }
}

#[test]
fn names_round_trip() {
    for isa in Isa::ALL {
        assert_eq!(isa.to_string().parse(), Ok(isa));
    }
    assert!(
        "sse"
            .parse::<Isa>()
            .unwrap_err()
            .to_string()
            .contains("avx2")
    );
    assert_eq!(Kernels::available()[0].isa(), Isa::Scalar);
    assert_eq!(Kernels::available().last(), Some(&Kernels::detect()));
}

#[test]
fn self_test_passes() {
    for kernels in Kernels::available() {
        assert_eq!(self_test::run(kernels), Ok(()));
        assert_eq!(
            self_test::digest(kernels),
            self_test::DIGEST,
            "{:#x}",
            self_test::digest(kernels)
        );
    }
}
