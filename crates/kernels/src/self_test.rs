//! A start-up check: every kernel of an instruction set against the scalar ones, bit for bit, on
//! fixed pseudo-random data. Takes well under a millisecond, and runs wherever the crate does:
//! it is also the crate's test in WebAssembly, where `cargo test` cannot go.

use std::sync::OnceLock;

use crate::{
    Attention, AttentionScratch, DenseWeights, Epilogue, Isa, Kernels, PackedWeights,
    QuantizedRows, Relative, Rows, Top,
};

/// Two kernels disagree: a defect of the CPU, the compiler or this crate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Whose result differs from the scalar one.
    pub isa: Isa,
    /// Which kernel.
    pub kernel: &'static str,
    /// First differing element.
    pub index: usize,
    /// The scalar result.
    pub expected: f32,
    /// The result of `isa`.
    pub found: f32,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            isa,
            kernel,
            index,
            expected,
            found,
        } = self;
        write!(
            f,
            "{kernel} on {isa}: element {index} is {found:e}, expected {expected:e}; choose another instruction set"
        )
    }
}

impl std::error::Error for Mismatch {}

/// Rows, inputs, outputs. The last two are whole tiles of AMX, in one register of rows and in two.
const SHAPES: [(usize, usize, usize); 7] = [
    (1, 24, 16),
    (2, 7, 40),
    (5, 33, 19),
    (13, 8, 50),
    (26, 12, 33),
    (3, 64, 32),
    (19, 128, 48),
];

/// What [`digest`] returns on every instruction set of every machine.
pub const DIGEST: u64 = 0x7e08_3c4b_67d0_e5f6;

/// FNV-1a over the bits of all results: equal where all results are equal.
pub fn digest(kernels: Kernels) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325;
    for (m, k, n) in SHAPES {
        let case = Case::new(m, k, n);
        for (_, compute) in KERNELS {
            for byte in compute(&case, kernels)
                .iter()
                .flat_map(|x| x.to_bits().to_le_bytes())
            {
                digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    digest
}

/// Compares all kernels of `kernels` with the scalar ones.
pub fn run(kernels: Kernels) -> Result<(), Mismatch> {
    let scalar = Kernels::scalar();
    for (m, k, n) in SHAPES {
        let case = Case::new(m, k, n);
        for (kernel, compute) in KERNELS {
            compare(
                kernels.isa(),
                kernel,
                &compute(&case, scalar),
                &compute(&case, kernels),
            )?;
        }
    }
    Ok(())
}

/// The fastest kernels of this machine and build that pass [`run`], which is done once a process.
#[must_use]
pub fn fastest() -> Kernels {
    static FASTEST: OnceLock<Kernels> = OnceLock::new();
    *FASTEST.get_or_init(|| fastest_that(|kernels| run(kernels).is_ok()))
}

/// The fastest kernels that pass, the scalar ones if none does.
fn fastest_that(passes: impl Fn(Kernels) -> bool) -> Kernels {
    let mut available = Kernels::available();
    while let Some(kernels) = available.pop_if(|kernels| kernels.isa() != Isa::Scalar) {
        if passes(kernels) {
            return kernels;
        }
    }
    Kernels::scalar()
}

fn compare(
    isa: Isa,
    kernel: &'static str,
    expected: &[f32],
    found: &[f32],
) -> Result<(), Mismatch> {
    let differs = |(expected, found): (&f32, &f32)| expected.to_bits() != found.to_bits();
    match expected.iter().zip(found).position(differs) {
        Some(index) => Err(Mismatch {
            isa,
            kernel,
            index,
            expected: expected[index],
            found: found[index],
        }),
        None => Ok(()),
    }
}

/// xorshift32: numbers in [-1, 1).
struct Random(u32);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// One shape's data.
struct Case {
    k: usize,
    n: usize,
    /// `[m, k]`
    x: Vec<f32>,
    /// `[m, n]`, what a residual is added to.
    base: Vec<f32>,
    packed: Vec<i8>,
    colsum: Vec<i32>,
    /// `[n]`
    scale: Vec<f32>,
    bias: Vec<f32>,
    /// `[k, n]`
    dense: Vec<f32>,
    norm_scale: Vec<f32>,
    norm_offset: Vec<f32>,
}

impl Case {
    fn new(m: usize, k: usize, n: usize) -> Self {
        let mut random = Random(1 + (m * 31 + k * 7 + n) as u32);
        let mut weights = vec![0; PackedWeights::packed_len(n, k)];
        let mut colsum = vec![0; n];
        for (n, colsum) in colsum.iter_mut().enumerate() {
            for i in 0..k {
                let weight = (random.next() * 128.0).clamp(-127.0, 127.0) as i8;
                weights[((n / 16 * k.div_ceil(4) + i / 4) * 16 + n % 16) * 4 + i % 4] = weight;
                *colsum += i32::from(weight);
            }
        }
        Self {
            k,
            n,
            x: random.numbers(m * k).iter().map(|x| 3.0 * x).collect(),
            base: random.numbers(m * n),
            packed: weights,
            colsum,
            scale: random.numbers(n).iter().map(|x| x.abs() / 64.0).collect(),
            bias: random.numbers(n),
            dense: random.numbers(k * n),
            norm_scale: random.numbers(k),
            norm_offset: random.numbers(k),
        }
    }

    fn weights(&self) -> Option<PackedWeights<'_>> {
        PackedWeights::new(&self.packed, self.n, self.k, &self.scale, &self.colsum).ok()
    }

    fn product(&self, kernels: Kernels, epilogue: Epilogue<'_>) -> Vec<f32> {
        let mut a = QuantizedRows::default();
        kernels.quantize_rows(&self.x, self.k, &mut a);
        let mut out = self.base.clone();
        if let Some(w) = self.weights() {
            kernels.linear_i8(&a, w, epilogue, &mut out);
        }
        out
    }
}

type Compute = fn(&Case, Kernels) -> Vec<f32>;

const KERNELS: [(&str, Compute); 13] = [
    ("quantize_rows", |case, kernels| {
        let mut a = QuantizedRows::default();
        kernels.quantize_rows(&case.x, case.k, &mut a);
        listed(&a)
    }),
    ("layer_norm_quantize", |case, kernels| {
        let mut a = QuantizedRows::default();
        kernels.layer_norm_quantize(&case.x, &case.norm_scale, &case.norm_offset, &mut a);
        listed(&a)
    }),
    ("linear_i8", |case, kernels| {
        case.product(kernels, Epilogue::Store { bias: None })
    }),
    ("linear_i8 with relu", |case, kernels| {
        case.product(
            kernels,
            Epilogue::Relu {
                bias: Some(&case.bias),
            },
        )
    }),
    ("linear_i8 with residual", |case, kernels| {
        case.product(
            kernels,
            Epilogue::Residual {
                bias: Some(&case.bias),
            },
        )
    }),
    ("linear_f32", |case, kernels| {
        let mut out = case.base.clone();
        let w = DenseWeights::InOut {
            data: &case.dense,
            k: case.k,
            n: case.n,
        };
        kernels.linear_f32(&case.x, w, Epilogue::Residual { bias: None }, &mut out);
        let w = DenseWeights::OutIn {
            data: &case.dense,
            k: case.k,
            n: case.n,
        };
        kernels.linear_f32(
            &case.x,
            w,
            Epilogue::Residual {
                bias: Some(&case.bias),
            },
            &mut out,
        );
        out
    }),
    ("layer_norm", |case, kernels| {
        let mut out = vec![0.0; case.x.len()];
        kernels.layer_norm(&case.x, &case.norm_scale, &case.norm_offset, &mut out);
        out
    }),
    ("exp", |case, kernels| {
        let mut out: Vec<f32> = case.x.iter().map(|x| 30.0 * x).collect();
        kernels.exp(&mut out);
        out
    }),
    ("softmax", |case, kernels| {
        let mut out = case.x.clone();
        kernels.softmax(&mut out);
        out
    }),
    ("top_of_row", |case, kernels| {
        let mut top = Top::default();
        top.start(3, [1]);
        // Falling and rising by more than a fixed shift of the exponentials could bear.
        let row: Vec<f32> = case.x.iter().map(|x| 90.0 * x).collect();
        kernels.top_of_row(&row, &mut top);
        found(&top)
    }),
    ("top_of_product", |case, kernels| {
        let mut tops = vec![Top::default(); case.x.len() / case.k];
        tops.iter_mut().for_each(|top| top.start(5, []));
        let mut a = QuantizedRows::default();
        kernels.quantize_rows(&case.x, case.k, &mut a);
        if let Some(w) = case.weights() {
            kernels.top_of_product(&a, w, &mut tops);
        }
        tops.iter().flat_map(found).collect()
    }),
    ("dequantize_row", |case, kernels| {
        let mut out = case.dense.clone();
        let row: Vec<i8> = case
            .packed
            .iter()
            .copied()
            .cycle()
            .take(out.len())
            .collect();
        kernels.dequantize_row(&row, 0.37, &mut out);
        out
    }),
    ("attend", |case, kernels| {
        // Two heads over the rows of x; the tables are cut from other data.
        let (heads, d) = (2, case.k / 2);
        let relative = Relative {
            keys: &case.dense[..5 * d],
            values: &case.dense[d..6 * d],
            max_distance: 2,
        };
        let valid: Vec<bool> = case
            .base
            .chunks_exact(case.n)
            .map(|row| row[0] > -0.7)
            .collect();
        let attention = Attention {
            heads,
            keys: &case.x,
            values: &case.x,
            stride: case.k,
            head_stride: d,
            rows: Rows::Range {
                start: 0,
                len: valid.len(),
            },
            valid: Some(&valid),
            relative: Some(relative),
        };
        let mut scratch = AttentionScratch::default();
        let mut out = vec![0.0; heads * d];
        kernels.attend(
            &case.dense[..heads * d],
            2,
            &attention,
            &mut scratch,
            &mut out,
        );
        out.extend_from_slice(scratch.weights());
        out
    }),
];

fn found(top: &Top) -> Vec<f32> {
    let (shift, ln_sum) = top.log_sum_exp();
    let best = top.best().iter();
    let best = best.flat_map(|&(place, value)| [place as f32, value]);
    best.chain([shift, ln_sum]).collect()
}

fn listed(a: &QuantizedRows) -> Vec<f32> {
    let mut list: Vec<f32> = a.data().iter().map(|&q| f32::from(q)).collect();
    for row in 0..a.rows() {
        list.extend([a.scale(row), a.zero(row) as f32]);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_falls_back_to_the_next_slower_kernels() {
        let available = Kernels::available();
        for (number, &fastest) in available.iter().enumerate() {
            let broken = &available[number + 1..];
            assert_eq!(fastest_that(|kernels| !broken.contains(&kernels)), fastest);
        }
        assert_eq!(fastest_that(|_| false).isa(), Isa::Scalar);
    }
}
