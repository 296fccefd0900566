//! The input of a linear layer, in the precision that the weights ask for.

use csanmt_format::Precision;
use csanmt_kernels::{Buffer, Kernels, QuantizedRows};

use crate::norm::Norm;

/// Rows that a linear layer reads: f32 for an f32 model, 7-bit rows for an int8 model.
#[derive(Debug)]
pub(crate) struct Activation {
    pub(crate) kernels: Kernels,
    precision: Precision,
    pub(crate) dense: Buffer<f32>,
    pub(crate) quantized: QuantizedRows,
}

impl Activation {
    pub(crate) fn new(kernels: Kernels, precision: Precision) -> Self {
        Self {
            kernels,
            precision,
            dense: Buffer::default(),
            quantized: QuantizedRows::default(),
        }
    }

    /// Takes rows `x: [rows, k]`, through `norm` when there is one.
    pub(crate) fn set(&mut self, x: &[f32], k: usize, norm: Option<&Norm>) {
        match (self.precision, norm) {
            (Precision::Int8, Some(norm)) => {
                self.kernels
                    .layer_norm_quantize(x, &norm.scale, &norm.offset, &mut self.quantized);
            }
            (Precision::Int8, None) => self.kernels.quantize_rows(x, k, &mut self.quantized),
            (Precision::F32, Some(norm)) => {
                self.dense.resize(x.len());
                norm.apply(self.kernels, x, &mut self.dense);
            }
            (Precision::F32, None) => self.dense.copy_from(x),
        }
    }

    /// Subtracts the rows as they are held from `x: [rows, k]`; false where they are held exactly.
    pub(crate) fn subtract_from(&self, x: &mut [f32]) -> bool {
        if self.precision == Precision::F32 {
            return false;
        }
        let rows = &self.quantized;
        for (r, x) in x.chunks_exact_mut(rows.k()).enumerate() {
            let (scale, zero) = (rows.scale(r), rows.zero(r));
            for (x, &q) in x.iter_mut().zip(rows.row(r)) {
                *x -= (i32::from(q) - zero) as f32 * scale;
            }
        }
        true
    }
}
