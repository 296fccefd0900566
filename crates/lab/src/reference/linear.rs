//! Linear and feed-forward layers, embeddings.

use candle_core::{Result, Tensor};

use super::error::ReferenceError;
use super::observe::Observations;
use super::rounding;
use super::variables::Scope;

/// `x W + b` over the last axis.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    /// `[inputs, outputs]`.
    matrix: Tensor,
    /// `[outputs]`.
    bias: Tensor,
    /// Computes as in int8.
    quantized: bool,
    /// Told what is read, with the matrix's name.
    observations: Option<(String, Observations)>,
}

impl Linear {
    pub(super) fn new(scope: &Scope<'_>) -> std::result::Result<Self, ReferenceError> {
        Ok(Self {
            matrix: scope.tensor("matrix")?,
            bias: scope.tensor("bias")?,
            quantized: scope.is_quantized(),
            observations: scope.observations("matrix"),
        })
    }

    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if let Some((name, observations)) = &self.observations {
            observations.see(name, x)?;
        }
        if self.quantized {
            let matrix = rounding::matrix(&self.matrix)?;
            return project(&rounding::rows(x)?, &matrix, Some(&self.bias));
        }
        project(x, &self.matrix, Some(&self.bias))
    }
}

/// `x W + b` over the last axis, as one product of two matrices.
pub(super) fn project(x: &Tensor, matrix: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let (inputs, outputs) = matrix.dims2()?;
    let mut shape = x.dims().to_vec();
    if let Some(last) = shape.last_mut() {
        *last = outputs;
    }
    let y = x.reshape(((), inputs))?.matmul(matrix)?;
    match bias {
        Some(bias) => y.broadcast_add(bias)?.reshape(shape),
        None => y.reshape(shape),
    }
}

/// `h T^T` for a table T `[V, H]`.
#[derive(Clone, Debug)]
pub(super) struct OutputLayer {
    table: Tensor,
    quantized: bool,
}

impl OutputLayer {
    pub(super) fn new(table: Tensor, quantized: bool) -> Self {
        Self { table, quantized }
    }

    /// Logits over the last axis.
    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if self.quantized {
            let table = rounding::table(&self.table)?;
            return project(&rounding::rows(x)?, &table.t()?, None);
        }
        project(x, &self.table.t()?, None)
    }
}

/// `relu(x W1 + b1) W2 + b2`.
#[derive(Clone, Debug)]
pub(super) struct FeedForward {
    input: Linear,
    output: Linear,
}

impl FeedForward {
    pub(super) fn new(scope: &Scope<'_>) -> std::result::Result<Self, ReferenceError> {
        Ok(Self {
            input: Linear::new(&scope.enter("input_layer/linear"))?,
            output: Linear::new(&scope.enter("output_layer/linear"))?,
        })
    }

    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.output.forward(&self.input.forward(x)?.relu()?)
    }
}

/// A table `[V, H]` that is looked up.
#[derive(Clone, Debug)]
pub(super) struct Embedding {
    pub(super) table: Tensor,
}

impl Embedding {
    pub(super) fn new(table: Tensor) -> Self {
        Self { table }
    }

    /// `E[id] sqrt(H)` for ids `[B, L]`: `[B, L, H]`.
    pub(super) fn scaled(&self, ids: &Tensor) -> Result<Tensor> {
        let hidden = self.table.dim(1)?;
        let (rows, width) = ids.dims2()?;
        if width == 0 {
            return Tensor::zeros((rows, 0, hidden), self.table.dtype(), self.table.device());
        }
        let found = self.table.index_select(&ids.flatten_all()?, 0)?;
        found.reshape((rows, width, hidden))? * (hidden as f64).sqrt()
    }
}
