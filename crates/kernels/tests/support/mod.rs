//! Data for the tests.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use csanmt_kernels::{Isa, Kernels, PackedWeights, QuantizedRows};

pub fn scalar() -> Kernels {
    Kernels::new(Isa::Scalar).unwrap()
}

/// xorshift64.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    /// In [-1, 1).
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.unit()).collect()
    }

    pub fn weights(&mut self, count: usize) -> Vec<i8> {
        (0..count)
            .map(|_| (self.bits() % 255) as i32 - 127)
            .map(|w| w as i8)
            .collect()
    }
}

/// Packed weights with their companions.
#[derive(Debug)]
pub struct Weights {
    pub data: Vec<i8>,
    pub n: usize,
    pub k: usize,
    pub scale: Vec<f32>,
    pub colsum: Vec<i32>,
}

impl Weights {
    /// `rows: [n, k]`
    pub fn pack(rows: &[i8], n: usize, k: usize, scale: Vec<f32>) -> Self {
        assert_eq!(rows.len(), n * k);
        let mut data = vec![0; PackedWeights::packed_len(n, k)];
        for i in 0..n {
            for j in 0..k {
                data[i / 16 * (k.div_ceil(4) * 64) + j / 4 * 64 + i % 16 * 4 + j % 4] =
                    rows[i * k + j];
            }
        }
        let colsum = (0..n)
            .map(|i| rows[i * k..][..k].iter().map(|&w| i32::from(w)).sum())
            .collect();
        Self {
            data,
            n,
            k,
            scale,
            colsum,
        }
    }

    pub fn random(random: &mut Random, n: usize, k: usize) -> Self {
        let rows = random.weights(n * k);
        let scale = (0..n).map(|_| random.unit().abs() / 100.0).collect();
        Self::pack(&rows, n, k, scale)
    }

    pub fn view(&self) -> PackedWeights<'_> {
        PackedWeights::new(&self.data, self.n, self.k, &self.scale, &self.colsum).unwrap()
    }
}

pub fn quantized(kernels: Kernels, x: &[f32], k: usize) -> QuantizedRows {
    let mut out = QuantizedRows::default();
    kernels.quantize_rows(x, k, &mut out);
    out
}

/// Same bits, any NaN equal to any other.
#[track_caller]
pub fn assert_same(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
        assert!(
            same,
            "{what}: element {i} is {found:e}, expected {expected:e}"
        );
    }
}

/// A number that no kernel produces, put behind outputs.
pub const CANARY: f32 = -7.777e33;
