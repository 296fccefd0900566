//! Embedding tables, and the output layer that shares one of them.

use csanmt_format::{
    ElementType, FormatError, ModelFile, PackedMatrix, Precision, QuantizedRowsTable, Slab,
    f32_of_f16,
};
use csanmt_kernels::{Buffer, Epilogue, Kernels, Top};

use crate::activation::Activation;
use crate::linear::{Matrix, packed};
use crate::shortlist::Candidates;

/// Rows looked up by token id.
#[derive(Debug)]
pub(crate) enum Embedding {
    /// f32 `[vocab, size]`.
    Dense { data: Slab<f32>, size: usize },
    /// f16 `[vocab, size]`.
    Half { data: Slab<u16>, size: usize },
    /// int8 `[vocab, size]` with one scale a row.
    Rows(QuantizedRowsTable),
    /// The packed int8 output table, read row by row.
    Packed(PackedMatrix),
}

impl Embedding {
    /// Loads a table that is used for look-ups only.
    pub(crate) fn load(
        file: &ModelFile,
        name: &str,
        vocab: usize,
        size: usize,
    ) -> Result<Self, FormatError> {
        match file.quantization().tables() {
            ElementType::I8 => file.rows(name, vocab, size).map(Self::Rows),
            ElementType::F16 => Ok(Self::Half {
                data: file.f16(name, &[vocab, size])?,
                size,
            }),
            _ => Ok(Self::Dense {
                data: file.f32(name, &[vocab, size])?,
                size,
            }),
        }
    }

    /// Loads a table that the output layer uses too.
    pub(crate) fn load_tied(
        file: &ModelFile,
        name: &str,
        vocab: usize,
        size: usize,
    ) -> Result<Self, FormatError> {
        match file.quantization().linears() {
            Precision::Int8 => file.packed(name, size, vocab).map(Self::Packed),
            Precision::F32 => Self::load(file, name, vocab, size),
        }
    }

    /// Rows of the table.
    pub(crate) fn vocab(&self) -> usize {
        match self {
            Self::Dense { data, size } => data.len() / size,
            Self::Half { data, size } => data.len() / size,
            Self::Rows(table) => table.rows,
            Self::Packed(table) => table.n,
        }
    }

    /// `out = table[token] * factor`, `out: [size]`. `token` is below [`Self::vocab`].
    pub(crate) fn row(&self, kernels: Kernels, token: u32, factor: f32, out: &mut [f32]) {
        let token = token as usize;
        match self {
            Self::Dense { data, size } => {
                let row = &data[token * size..(token + 1) * size];
                for (o, value) in out.iter_mut().zip(row) {
                    *o = value * factor;
                }
            }
            Self::Half { data, size } => {
                let row = &data[token * size..(token + 1) * size];
                for (o, &bits) in out.iter_mut().zip(row) {
                    *o = f32_of_f16(bits) * factor;
                }
            }
            Self::Rows(table) => {
                let row = &table.data[token * table.cols..(token + 1) * table.cols];
                out.fill(0.0);
                kernels.dequantize_row(row, table.scale[token] * factor, out);
            }
            Self::Packed(table) => {
                out.fill(0.0);
                kernels.dequantize_packed_row(packed(table), token, factor, out);
            }
        }
    }
}

/// Most rows whose logits exist at a time.
const LOGIT_ROWS: usize = 32;

/// The output layer: `logits = h T^T`, T `[vocab, size]`, without bias.
#[derive(Debug)]
pub(crate) struct OutputTable {
    matrix: Matrix,
    pub(crate) vocab: usize,
}

impl OutputTable {
    pub(crate) fn load(
        file: &ModelFile,
        name: &str,
        vocab: usize,
        size: usize,
    ) -> Result<Self, FormatError> {
        let matrix = match file.quantization().linears() {
            Precision::Int8 => Matrix::Int8(file.packed(name, size, vocab)?, None),
            Precision::F32 => Matrix::OutIn {
                data: file.f32(name, &[vocab, size])?,
                k: size,
                n: vocab,
            },
        };
        Ok(Self { matrix, vocab })
    }

    /// `out` is resized to `[rows, vocab]`.
    pub(crate) fn logits(&self, input: &Activation, rows: usize, out: &mut Buffer<f32>) {
        out.resize(rows * self.vocab);
        self.matrix
            .apply(input, Epilogue::Store { bias: None }, out);
    }

    /// How many of `rows` rows [`Self::best`] takes: all of an int8 model, whose table is so read once
    /// for all of them; of an f32 model so many that their logits are read while they are in the cache.
    pub(crate) fn rows_at_a_time(&self, rows: usize) -> usize {
        match &self.matrix {
            Matrix::Int8(..) => rows,
            Matrix::InOut { .. } | Matrix::OutIn { .. } => rows.min(LOGIT_ROWS),
        }
    }

    /// Takes the weights of a sentence's candidates out of the table.
    pub(crate) fn choose(&self, candidates: &mut Candidates) {
        if let Matrix::Int8(matrix, _) = &self.matrix {
            candidates.choose(packed(matrix));
        }
    }

    /// [`Self::best`] among the candidates of a sentence, of which all rows are.
    pub(crate) fn best_of(
        &self,
        input: &Activation,
        candidates: &mut Candidates,
        tops: &mut [Top],
        logits: &mut Buffer<f32>,
    ) {
        let kernels = input.kernels;
        match &self.matrix {
            Matrix::Int8(..) => {
                kernels.top_of_product(&input.quantized, candidates.weights(), tops);
            }
            Matrix::InOut { .. } | Matrix::OutIn { .. } => {
                self.logits(input, tops.len(), logits);
                for (row, top) in logits.chunks_exact(self.vocab).zip(&mut *tops) {
                    kernels.top_of_row(candidates.logits(row), top);
                }
            }
        }
        for top in tops {
            top.rename(|place| candidates.tokens()[place as usize]);
        }
    }

    /// The largest logits of every row in `input`, one of `tops` a row. Those of an int8 model are
    /// never stored; those of an f32 model are in `logits`.
    pub(crate) fn best(&self, input: &Activation, tops: &mut [Top], logits: &mut Buffer<f32>) {
        let kernels = input.kernels;
        match &self.matrix {
            Matrix::Int8(matrix, _) => {
                kernels.top_of_product(&input.quantized, packed(matrix), tops);
            }
            Matrix::InOut { .. } | Matrix::OutIn { .. } => {
                self.logits(input, tops.len(), logits);
                for (row, top) in logits.chunks_exact(self.vocab).zip(tops) {
                    kernels.top_of_row(row, top);
                }
            }
        }
    }
}
