//! A linear layer: `y = x W + b`, weights int8 or f32.

use csanmt_format::{FormatError, ModelFile, PackedMatrix, Precision, Slab};
use csanmt_kernels::{Buffer, DenseWeights, Epilogue, PackedWeights};

use crate::activation::Activation;
use crate::peaks::Diagonals;

/// The matrix of a linear layer or of the output table.
#[derive(Debug)]
pub(crate) enum Matrix {
    /// Packed int8 `[n/16][k/4][16][4]` with one scale an output, and the weights kept apart.
    Int8(PackedMatrix, Option<Diagonals>),
    /// f32 in TensorFlow's order `[k, n]`.
    InOut { data: Slab<f32>, k: usize, n: usize },
    /// f32 table `[n, k]`, one output a row.
    OutIn { data: Slab<f32>, k: usize, n: usize },
}

impl Matrix {
    /// `out: [rows, n]` from the rows in `input`.
    ///
    /// What `epilogue` does is said at [`Epilogue`].
    pub(crate) fn apply(&self, input: &Activation, epilogue: Epilogue<'_>, out: &mut [f32]) {
        let kernels = input.kernels;
        match self {
            Self::Int8(matrix, None) => {
                kernels.linear_i8(&input.quantized, packed(matrix), epilogue, out);
            }
            Self::Int8(matrix, Some(peaks)) => {
                let (sum, relu) = match epilogue {
                    Epilogue::Relu { bias } => (Epilogue::Store { bias }, true),
                    other => (other, false),
                };
                kernels.linear_i8(&input.quantized, packed(matrix), sum, out);
                peaks.add(&input.quantized, matrix.n, out);
                if relu {
                    out.iter_mut().for_each(|y| *y = y.max(0.0));
                }
            }
            Self::InOut { data, k, n } => {
                let weights = DenseWeights::InOut { data, k: *k, n: *n };
                kernels.linear_f32(&input.dense, weights, epilogue, out);
            }
            Self::OutIn { data, k, n } => {
                let weights = DenseWeights::OutIn { data, n: *n, k: *k };
                kernels.linear_f32(&input.dense, weights, epilogue, out);
            }
        }
    }
}

/// The kernels' view of a packed matrix.
///
/// # Panics
/// Never for a matrix that the model file's reader handed out: it has checked the same lengths.
pub(crate) fn packed(m: &PackedMatrix) -> PackedWeights<'_> {
    PackedWeights::new(&m.data, m.n, m.k, &m.scale, &m.colsum)
        .expect("the reader checks shape, scales and column sums")
}

/// `y = x W + b`.
#[derive(Debug)]
pub(crate) struct Linear {
    matrix: Matrix,
    bias: Slab<f32>,
    pub(crate) outputs: usize,
}

impl Linear {
    /// Loads `SCOPE/matrix` `[inputs, outputs]` and `SCOPE/bias` `[outputs]`.
    pub(crate) fn load(
        file: &ModelFile,
        scope: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<Self, FormatError> {
        let name = format!("{scope}/matrix");
        let matrix = match file.quantization().linears() {
            Precision::Int8 => Matrix::Int8(
                file.packed(&name, inputs, outputs)?,
                file.peaks(&name, inputs, outputs)?
                    .map(|peaks| Diagonals::new(&peaks)),
            ),
            Precision::F32 => Matrix::InOut {
                data: file.f32(&name, &[inputs, outputs])?,
                k: inputs,
                n: outputs,
            },
        };
        let bias = file.f32(&format!("{scope}/bias"), &[outputs])?;
        Ok(Self {
            matrix,
            bias,
            outputs,
        })
    }

    /// `out = x W + b`; `out` is resized to `[rows, outputs]`.
    pub(crate) fn store(&self, input: &Activation, rows: usize, out: &mut Buffer<f32>) {
        out.resize(rows * self.outputs);
        self.matrix.apply(
            input,
            Epilogue::Store {
                bias: Some(&self.bias),
            },
            out,
        );
    }

    /// `out = relu(x W + b)`; `out` is resized to `[rows, outputs]`.
    pub(crate) fn relu(&self, input: &Activation, rows: usize, out: &mut Buffer<f32>) {
        out.resize(rows * self.outputs);
        self.matrix.apply(
            input,
            Epilogue::Relu {
                bias: Some(&self.bias),
            },
            out,
        );
    }

    /// `out += x W`; `out` is `[rows, outputs]`.
    pub(crate) fn add_product_to(&self, input: &Activation, out: &mut [f32]) {
        self.matrix
            .apply(input, Epilogue::Residual { bias: None }, out);
    }

    /// `out += x W + b`; `out` is `[rows, outputs]`.
    pub(crate) fn add_to(&self, input: &Activation, out: &mut [f32]) {
        self.matrix.apply(
            input,
            Epilogue::Residual {
                bias: Some(&self.bias),
            },
            out,
        );
    }
}
