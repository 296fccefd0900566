//! Sentences padded to one length.

use candle_core::{DType, Device, Tensor};

use super::error::ReferenceError;

/// Ids of B sentences in rows of one length.
#[derive(Debug)]
pub(super) struct Batch {
    /// `[B, width]`, u32.
    pub(super) ids: Tensor,
    /// `[B, width]`: 1 for tokens, 0 for padding.
    pub(super) mask: Tensor,
    pub(super) width: usize,
}

impl Batch {
    /// Source sentences with end mark and padding, both id 0: `width` is that of the longest + 1.
    ///
    /// A position counts when it is the first or follows an id other than 0; so the end mark does
    /// and the padding does not. When all sentences are empty the original appends no end mark:
    /// `width` is 0.
    pub(super) fn source<S: AsRef<[u32]>>(
        sentences: &[S],
        vocab: usize,
    ) -> Result<Self, ReferenceError> {
        let longest = longest(sentences)?;
        let width = if longest == 0 { 0 } else { longest + 1 };
        let ids = rows(sentences, width, vocab)?;
        let counts = |row: &[u32]| -> Vec<f32> {
            let follows = row.iter().map(|&id| if id == 0 { 0.0 } else { 1.0 });
            std::iter::once(1.0).chain(follows).take(width).collect()
        };
        let mask: Vec<f32> = ids.chunks_exact(width.max(1)).flat_map(counts).collect();
        Self::new(&ids, &mask, sentences.len(), width)
    }

    /// Target sentences padded with id 0. No mask is needed, as no position sees later ones.
    pub(super) fn target<S: AsRef<[u32]>>(
        sentences: &[S],
        vocab: usize,
    ) -> Result<Self, ReferenceError> {
        let width = longest(sentences)?;
        let ids = rows(sentences, width, vocab)?;
        Self::new(&ids, &vec![1.0; ids.len()], sentences.len(), width)
    }

    fn new(ids: &[u32], mask: &[f32], rows: usize, width: usize) -> Result<Self, ReferenceError> {
        let shape = (rows, width);
        Ok(Self {
            ids: Tensor::from_slice(ids, shape, &Device::Cpu)?,
            mask: Tensor::from_slice(mask, shape, &Device::Cpu)?,
            width,
        })
    }

    /// A tensor of zeros `[B, H]`.
    pub(super) fn zeros(&self, hidden: usize) -> candle_core::Result<Tensor> {
        Tensor::zeros((self.ids.dim(0)?, hidden), DType::F32, self.ids.device())
    }
}

fn longest<S: AsRef<[u32]>>(sentences: &[S]) -> Result<usize, ReferenceError> {
    let lengths = sentences.iter().map(|sentence| sentence.as_ref().len());
    lengths.max().ok_or(ReferenceError::NoSentences)
}

/// The ids of all sentences, each row filled up with 0.
fn rows<S: AsRef<[u32]>>(
    sentences: &[S],
    width: usize,
    vocab: usize,
) -> Result<Vec<u32>, ReferenceError> {
    let mut ids = Vec::with_capacity(sentences.len() * width);
    for (sentence, row) in sentences.iter().enumerate() {
        let row = row.as_ref();
        if let Some(position) = row.iter().position(|&id| id as usize >= vocab) {
            let id = row[position];
            return Err(ReferenceError::Token {
                sentence,
                position,
                id,
                vocab,
            });
        }
        ids.extend_from_slice(row);
        ids.resize((sentence + 1) * width, 0);
    }
    Ok(ids)
}
