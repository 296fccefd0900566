//! Matrix products: every instruction set equals the scalar loops, bit for bit.
#![allow(clippy::unwrap_used)]

mod support;

use csanmt_kernels::{
    DenseWeights, Epilogue, Kernels, MAX_K, PackedWeights, PackedWeightsError, Top,
};
use proptest::prelude::*;
use support::{CANARY, Random, Weights, assert_same, quantized, scalar};

const EPILOGUES: usize = 6;

fn epilogue(which: usize, bias: &[f32]) -> Epilogue<'_> {
    let bias = (which % 2 == 1).then_some(bias);
    match which / 2 {
        0 => Epilogue::Store { bias },
        1 => Epilogue::Relu { bias },
        _ => Epilogue::Residual { bias },
    }
}

/// Runs every available instruction set on slices that start at `skew`, canaries behind the output.
fn check_i8(x: &[f32], w: &Weights, which: usize, skew: usize, random: &mut Random) {
    let rows = x.len() / w.k;
    let bias = random.numbers(w.n);
    let base = random.numbers(rows * w.n);
    let mut expected = base.clone();
    scalar().linear_i8(
        &quantized(scalar(), x, w.k),
        w.view(),
        epilogue(which, &bias),
        &mut expected,
    );

    let mut data = vec![0; skew];
    data.extend_from_slice(&w.data);
    let view = PackedWeights::new(&data[skew..], w.n, w.k, &w.scale, &w.colsum).unwrap();
    for kernels in Kernels::available() {
        let mut out = vec![CANARY; skew];
        out.extend_from_slice(&base);
        out.extend([CANARY; 16]);
        let end = skew + base.len();
        kernels.linear_i8(
            &quantized(kernels, x, w.k),
            view,
            epilogue(which, &bias),
            &mut out[skew..end],
        );
        let what = format!("{} {rows}x{}x{} epilogue {which}", kernels.isa(), w.k, w.n);
        assert_same(&out[skew..end], &expected, &what);
        assert!(
            out[..skew].iter().chain(&out[end..]).all(|&x| x == CANARY),
            "{what}: wrote outside"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn matches_scalar_i8(
        m in 1usize..=20, k in 1usize..140, n in 1usize..100,
        which in 0..EPILOGUES, skew in 0usize..5, seed: u64,
    ) {
        let mut random = Random::new(seed);
        let w = Weights::random(&mut random, n, k);
        let x = random.numbers(m * k);
        check_i8(&x, &w, which, skew, &mut random);
    }

    #[test]
    fn matches_scalar_f32(m in 1usize..6, k in 1usize..70, n in 1usize..80, which in 0..EPILOGUES, seed: u64) {
        let mut random = Random::new(seed);
        let (x, data, bias) = (random.numbers(m * k), random.numbers(k * n), random.numbers(n));
        let base = random.numbers(m * n);
        for w in [DenseWeights::InOut { data: &data, k, n }, DenseWeights::OutIn { data: &data, n, k }] {
            let mut expected = base.clone();
            scalar().linear_f32(&x, w, epilogue(which, &bias), &mut expected);
            for kernels in Kernels::available() {
                let mut out = base.clone();
                kernels.linear_f32(&x, w, epilogue(which, &bias), &mut out);
                assert_same(&out, &expected, kernels.isa().name());
            }
        }
    }
}

/// The largest outputs, and the sum of their exponentials, are those of the stored outputs.
#[test]
fn top_of_a_product_is_top_of_its_rows() {
    let mut random = Random::new(4);
    for m in [1, 2, 3, 4, 7, 16, 17, 33] {
        for n in [1, 16, 17, 32, 33, 79, 300] {
            for k in [36, 192] {
                let w = Weights::random(&mut random, n, k);
                let a = quantized(scalar(), &random.numbers(m * k), k);
                let mut rows = vec![0.0; m * n];
                scalar().linear_i8(&a, w.view(), Epilogue::Store { bias: None }, &mut rows);
                for kernels in Kernels::available() {
                    let mut tops = vec![Top::default(); m];
                    tops.iter_mut().for_each(|top| top.start(8, [2]));
                    kernels.top_of_product(&a, w.view(), &mut tops);
                    for (row, top) in rows.chunks_exact(n).zip(&tops) {
                        let mut expected = Top::default();
                        expected.start(8, [2]);
                        scalar().top_of_row(row, &mut expected);
                        assert_eq!(top.best(), expected.best());
                        let ((a, b), (c, d)) = (top.log_sum_exp(), expected.log_sum_exp());
                        assert_same(&[a, b], &[c, d], kernels.isa().name());
                    }
                }
            }
        }
    }
}

/// Every number of rows around the tiles' heights, and enough panels for full and partial strips.
#[test]
fn matches_scalar_i8_on_all_tile_shapes() {
    let mut random = Random::new(1);
    for m in (1..=26).chain([64, 67, 97]) {
        for n in [1, 16, 17, 32, 33, 79] {
            // 192 inputs are whole tiles of AMX, 36 of the others only.
            for k in [36, 192] {
                let w = Weights::random(&mut random, n, k);
                let x = random.numbers(m * k);
                check_i8(&x, &w, m % EPILOGUES, 0, &mut random);
            }
        }
    }
}

/// More activations than one block of rows holds.
#[test]
fn matches_scalar_i8_on_several_blocks() {
    let mut random = Random::new(2);
    for k in [4096, 4099] {
        let w = Weights::random(&mut random, 20, k);
        let x = random.numbers(150 * k);
        check_i8(&x, &w, 3, 0, &mut random);
    }
}

#[test]
fn matches_scalar_i8_on_extremes() {
    let mut random = Random::new(3);
    let (n, k) = (35, 260);
    for weight in [-127i8, 127, 0] {
        let w = Weights::pack(&vec![weight; n * k], n, k, vec![1.0; n]);
        // All q = 127 (zero point 0), all q = 0 (zero point 127), and rows without range.
        for x in [
            1.0,
            -1.0,
            0.0,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            1e-42,
            1e-31,
        ] {
            for m in [1, 5] {
                check_i8(&vec![x; m * k], &w, 0, 0, &mut random);
            }
        }
    }
    // Alternating signs: the largest pair sums that `vpmaddubsw` can meet, both ways.
    let rows: Vec<i8> = (0..n * k)
        .map(|i| if i / 2 % 2 == 0 { 127 } else { -127 })
        .collect();
    let w = Weights::pack(&rows, n, k, vec![0.5; n]);
    check_i8(&vec![2.0; 3 * k], &w, 1, 0, &mut random);
}

#[test]
fn sums_of_the_largest_k_do_not_overflow() {
    for weight in [127i8, -127] {
        let w = Weights::pack(&vec![weight; 2 * MAX_K], 2, MAX_K, vec![1.0; 2]);
        for kernels in Kernels::available() {
            for (x, sign) in [(1.0, 1.0), (-1.0, -1.0)] {
                let a = quantized(kernels, &vec![x; MAX_K], MAX_K);
                let mut out = [0.0; 2];
                kernels.linear_i8(&a, w.view(), Epilogue::Store { bias: None }, &mut out);
                let expected =
                    (127 * MAX_K) as f64 * f64::from(weight) * f64::from(a.scale(0)) * sign;
                assert!(
                    (f64::from(out[0]) / expected - 1.0).abs() < 1e-6,
                    "{}: {out:?}",
                    kernels.isa()
                );
            }
        }
    }
}

/// Small integers are exact in the scheme: compare with the plain product.
#[test]
fn equals_the_plain_product_of_integers() {
    let (m, k, n) = (3, 10, 18);
    let mut random = Random::new(4);
    let rows = random.weights(n * k);
    let w = Weights::pack(&rows, n, k, vec![1.0; n]);
    // -27 and 100 in every row: scale 1, zero point 27.
    let x: Vec<f32> = (0..m * k)
        .map(|i| match i % k {
            0 => -27.0,
            1 => 100.0,
            _ => (random.bits() % 128) as f32 - 27.0,
        })
        .collect();
    for kernels in Kernels::available() {
        let mut out = vec![0.0; m * n];
        kernels.linear_i8(
            &quantized(kernels, &x, k),
            w.view(),
            Epilogue::Store { bias: None },
            &mut out,
        );
        for i in 0..m * n {
            let expected: f32 = (0..k)
                .map(|j| x[i / n * k + j] * f32::from(rows[i % n * k + j]))
                .sum();
            assert_eq!(out[i], expected, "{} element {i}", kernels.isa());
        }
    }
}

#[test]
fn dense_products_are_close_to_f64() {
    let (m, k, n) = (4, 300, 37);
    let mut random = Random::new(5);
    let (x, data, bias) = (
        random.numbers(m * k),
        random.numbers(k * n),
        random.numbers(n),
    );
    for in_out in [true, false] {
        let w = if in_out {
            DenseWeights::InOut { data: &data, k, n }
        } else {
            DenseWeights::OutIn { data: &data, n, k }
        };
        let mut out = vec![0.0; m * n];
        scalar().linear_f32(&x, w, Epilogue::Store { bias: Some(&bias) }, &mut out);
        for i in 0..m {
            for j in 0..n {
                let weight = |l: usize| {
                    f64::from(if in_out {
                        data[l * n + j]
                    } else {
                        data[j * k + l]
                    })
                };
                let terms = (0..k).map(|l| f64::from(x[i * k + l]) * weight(l));
                let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| {
                    (sum + term, size + f64::abs(term))
                });
                let expected = sum + f64::from(bias[j]);
                // k additions, each off by at most half an ulp of the sum of magnitudes.
                let tolerance = (k + 2) as f64 * f64::from(f32::EPSILON) / 2.0 * (size + 1.0);
                assert!((f64::from(out[i * n + j]) - expected).abs() <= tolerance);
            }
        }
    }
}

#[test]
fn empty_shapes_are_fine() {
    for kernels in Kernels::available() {
        let none = quantized(kernels, &[], 8);
        let w = Weights::pack(&[1; 24], 3, 8, vec![1.0; 3]);
        kernels.linear_i8(&none, w.view(), Epilogue::Store { bias: None }, &mut []);
        let a = quantized(kernels, &[1.0; 8], 8);
        let w = Weights::pack(&[], 0, 8, vec![]);
        kernels.linear_i8(&a, w.view(), Epilogue::Store { bias: None }, &mut []);
        kernels.linear_f32(
            &[],
            DenseWeights::InOut {
                data: &[],
                k: 4,
                n: 0,
            },
            Epilogue::Store { bias: None },
            &mut [],
        );
    }
}

#[test]
fn rejects_wrong_lengths() {
    let data = [0i8; 128];
    let (scale, colsum) = ([1.0; 17], [0; 17]);
    assert!(PackedWeights::new(&data, 17, 4, &scale, &colsum).is_ok());
    let error = |result: Result<PackedWeights<'_>, PackedWeightsError>| result.unwrap_err();
    assert_eq!(
        error(PackedWeights::new(&data[1..], 17, 4, &scale, &colsum)),
        PackedWeightsError::Data {
            n: 17,
            k: 4,
            expected: 128,
            found: 127
        }
    );
    assert_eq!(
        error(PackedWeights::new(&data, 17, 4, &scale[1..], &colsum)),
        PackedWeightsError::Scale {
            expected: 17,
            found: 16
        }
    );
    assert_eq!(
        error(PackedWeights::new(&data, 17, 4, &scale, &colsum[1..])),
        PackedWeightsError::ColSum {
            expected: 17,
            found: 16
        }
    );
    assert_eq!(
        error(PackedWeights::new(&data, 1, MAX_K + 1, &scale, &colsum)),
        PackedWeightsError::TooManyInputs { k: MAX_K + 1 }
    );
    assert!(PackedWeights::new(&data, usize::MAX, 5, &scale, &colsum).is_err());
}

#[test]
#[should_panic(expected = "output is not [1, 3]")]
fn panics_on_a_short_output() {
    let w = Weights::pack(&[1; 24], 3, 8, vec![1.0; 3]);
    scalar().linear_i8(
        &quantized(scalar(), &[1.0; 8], 8),
        w.view(),
        Epilogue::Store { bias: None },
        &mut [0.0; 2],
    );
}
