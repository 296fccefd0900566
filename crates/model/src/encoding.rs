//! What the encoders make of a batch, and their buffers.

use crate::batch::Batch;
use crate::workspace::LayerBuffers;
use csanmt_kernels::Buffer;

/// A batch of sentences that has gone through both encoders.
///
/// Its buffers are as large as the sources are long. A search needs them only while sentences join
/// it, so that searches that run at the same time lend them to one another.
#[derive(Debug)]
pub struct Encoding {
    pub(crate) batch: Batch,
    pub(crate) layer: LayerBuffers,
    pub(crate) source: Buffer<f32>,
    /// Semantic encoder's residual stream `[positions, d_model]`.
    pub(crate) semantic_stream: Buffer<f32>,
    pub(crate) semantic: Buffer<f32>,
}

impl Encoding {
    pub(crate) fn new(layer: LayerBuffers) -> Self {
        Self {
            batch: Batch::default(),
            layer,
            source: Buffer::default(),
            semantic_stream: Buffer::default(),
            semantic: Buffer::default(),
        }
    }

    /// The packed sentences.
    #[must_use]
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Encoder output `[positions, d_model]`.
    #[must_use]
    pub fn source(&self) -> &[f32] {
        &self.source
    }

    /// Semantic vectors `[sentences, d_model]`.
    #[must_use]
    pub fn semantic(&self) -> &[f32] {
        &self.semantic
    }
}
