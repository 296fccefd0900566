//! Attention: bits against the scalar kernel, values against a plain f64 implementation.
#![allow(clippy::unwrap_used)]

mod support;

use csanmt_kernels::{Attention, AttentionScratch, Kernels, Relative, Rows};
use proptest::prelude::*;
use support::{Random, assert_same, scalar};

/// One attention's data.
#[derive(Debug)]
struct Case {
    heads: usize,
    d: usize,
    position: usize,
    q: Vec<f32>,
    stride: usize,
    head_stride: usize,
    keys: Vec<f32>,
    values: Vec<f32>,
    rows: Vec<u32>,
    valid: Option<Vec<bool>>,
    relative: Option<(Vec<f32>, Vec<f32>, usize)>,
}

impl Case {
    fn new(
        seed: u64,
        heads: usize,
        d: usize,
        count: usize,
        masked: bool,
        distance: Option<usize>,
    ) -> Self {
        let mut random = Random::new(seed);
        let table = count + 3;
        let space = (seed % 4) as usize;
        // Heads side by side in every row, or one behind the other.
        let (stride, head_stride) = if seed & 4 == 0 {
            (heads * d + space, d)
        } else {
            (d + space, table * (d + space))
        };
        let numbers = table * stride.max(heads * (d + space));
        Self {
            heads,
            d,
            position: (random.bits() % (count as u32 + 2)) as usize,
            q: random.numbers(heads * d).iter().map(|x| 3.0 * x).collect(),
            stride,
            head_stride,
            keys: random.numbers(numbers).iter().map(|x| 2.0 * x).collect(),
            values: random.numbers(numbers),
            rows: (0..count).map(|_| random.bits() % table as u32).collect(),
            valid: masked.then(|| (0..count).map(|_| random.bits() & 3 != 0).collect()),
            relative: distance.map(|m| {
                (
                    random.numbers((2 * m + 1) * d),
                    random.numbers((2 * m + 1) * d),
                    m,
                )
            }),
        }
    }

    fn with_attention(&self, rows: Rows<'_>, attend: impl FnOnce(&Attention<'_>)) {
        let relative = self.relative.as_ref();
        attend(&Attention {
            heads: self.heads,
            keys: &self.keys,
            values: &self.values,
            stride: self.stride,
            head_stride: self.head_stride,
            rows,
            valid: self.valid.as_deref(),
            relative: relative.map(|(keys, values, max_distance)| Relative {
                keys,
                values,
                max_distance: *max_distance,
            }),
        });
    }

    fn attend(&self, kernels: Kernels, rows: Rows<'_>) -> (Vec<f32>, Vec<f32>) {
        let mut scratch = AttentionScratch::default();
        let mut out = vec![f32::NAN; self.q.len()];
        self.with_attention(rows, |attention| {
            kernels.attend(&self.q, self.position, attention, &mut scratch, &mut out);
        });
        (out, scratch.weights().to_vec())
    }

    /// The formulas in f64: `(out, weights)`.
    fn naive(&self) -> (Vec<f64>, Vec<f64>) {
        let (count, d) = (self.rows.len(), self.d);
        let mut out = vec![0.0; self.heads * d];
        let mut all_weights = vec![0.0; self.heads * count];
        let index = |j: usize, m: usize| {
            let distance = (self.position as i64 - j as i64).clamp(-(m as i64), m as i64);
            (distance + m as i64) as usize
        };
        for h in 0..self.heads {
            let column = |c: usize| h * d + c;
            let place = |c: usize| h * self.head_stride + c;
            let valid = |j: usize| self.valid.as_ref().is_none_or(|valid| valid[j]);
            let logit = |j: usize| -> f64 {
                let row = self.rows[j] as usize * self.stride;
                (0..d)
                    .map(|c| {
                        let mut key = f64::from(self.keys[row + place(c)]);
                        if let Some((keys, _, m)) = &self.relative {
                            key += f64::from(keys[index(j, *m) * d + c]);
                        }
                        f64::from(self.q[column(c)]) / (d as f64).sqrt() * key
                    })
                    .sum()
            };
            let e: Vec<f64> = (0..count)
                .map(|j| if valid(j) { logit(j).exp() } else { 0.0 })
                .collect();
            let sum: f64 = e.iter().sum();
            for j in (0..count).filter(|&j| valid(j)) {
                let weight = e[j] / sum;
                all_weights[h * count + j] = weight;
                let row = self.rows[j] as usize * self.stride;
                for c in 0..d {
                    let mut value = f64::from(self.values[row + place(c)]);
                    if let Some((_, values, m)) = &self.relative {
                        value += f64::from(values[index(j, *m) * d + c]);
                    }
                    out[column(c)] += weight * value;
                }
            }
        }
        (out, all_weights)
    }
}

/// Heads of any size, and of the one that has code of its own.
fn head_size() -> impl Strategy<Value = usize> {
    prop_oneof![2 => 1usize..70, 1 => Just(64)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn matches_scalar_and_f64(
        seed: u64, heads in 1usize..5, d in head_size(), count in 0usize..40,
        masked: bool, distance in prop::option::of(0usize..18),
    ) {
        let case = Case::new(seed, heads, d, count, masked, distance);
        let (expected, expected_weights) = case.attend(scalar(), Rows::List(&case.rows));
        for kernels in Kernels::available() {
            let (out, weights) = case.attend(kernels, Rows::List(&case.rows));
            assert_same(&out, &expected, kernels.isa().name());
            assert_same(&weights, &expected_weights, kernels.isa().name());
        }
        let (naive, naive_weights) = case.naive();
        // Logits up to 3·3·sqrt(70)·2 = 150 carry an error of about 1e-5, which exp turns into a
        // relative one; values are below 2.
        for (found, naive) in expected.iter().zip(naive).chain(expected_weights.iter().zip(naive_weights)) {
            prop_assert!((f64::from(*found) - naive).abs() < 1e-4, "{found} {naive}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Many rows at once (packed), each like a call of its own.
    #[test]
    fn rows_equal_single_rows(
        seed: u64, heads in 1usize..7, d in head_size(), count in 0usize..40, queries in 0usize..10,
        masked: bool, distance in prop::option::of(0usize..9),
    ) {
        let case = Case::new(seed, heads, d, count, masked, distance);
        let width = heads * d;
        let q_stride = width + 3;
        let q = Random::new(seed ^ 1).numbers(queries * q_stride);
        for kernels in Kernels::available() {
            let mut scratch = AttentionScratch::default();
            let mut out = vec![f32::NAN; queries * width];
            case.with_attention(Rows::List(&case.rows), |attention| {
                kernels.attend_rows(&q, q_stride, width, case.position, attention, &mut scratch, &mut out);
            });
            let weights = scratch.weights().to_vec();
            for r in 0..queries {
                let mut single = vec![0.0; width];
                case.with_attention(Rows::List(&case.rows), |attention| {
                    let q = &q[r * q_stride..][..width];
                    scalar().attend(q, case.position + r, attention, &mut scratch, &mut single);
                });
                assert_same(&out[r * width..][..width], &single, kernels.isa().name());
                if r + 1 == queries {
                    assert_same(&weights, scratch.weights(), kernels.isa().name());
                }
            }
        }
    }
}

#[test]
fn masked_keys_weigh_exactly_nothing() {
    let case = Case::new(5, 2, 16, 30, true, Some(4));
    for kernels in Kernels::available() {
        let (_, weights) = case.attend(kernels, Rows::List(&case.rows));
        for (j, weight) in weights.iter().enumerate() {
            assert_eq!(*weight == 0.0, !case.valid.as_ref().unwrap()[j % 30]);
        }
    }
}

#[test]
fn no_keys_give_zeros() {
    for distance in [None, Some(3)] {
        let empty = Case::new(6, 2, 12, 0, true, distance);
        let mut masked = Case::new(6, 2, 12, 9, true, distance);
        masked.valid = Some(vec![false; 9]);
        for kernels in Kernels::available() {
            for case in [&empty, &masked] {
                assert_eq!(
                    case.attend(kernels, Rows::List(&case.rows)).0,
                    vec![0.0; 24]
                );
            }
        }
    }
}

#[test]
fn ranges_equal_lists() {
    let mut case = Case::new(7, 3, 20, 11, false, Some(2));
    case.rows = (2..13).collect();
    let range = Rows::Range { start: 2, len: 11 };
    assert!(!range.is_empty());
    for kernels in Kernels::available() {
        assert_eq!(
            case.attend(kernels, range),
            case.attend(kernels, Rows::List(&case.rows))
        );
    }
}
