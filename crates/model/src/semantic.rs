//! The semantic encoder: one vector a sentence.

use csanmt_format::{FormatError, ModelFile};
use csanmt_kernels::Buffer;

use crate::batch::Batch;
use crate::embedding::Embedding;
use crate::encoder::{EncoderStack, Probe, embed, zero_masked};
use crate::linear::Linear;
use crate::norm::SublayerNorm;
use crate::workspace::LayerBuffers;

/// `r = LN(p W_pool + b_pool)`, where `p` is the mean of the stack's output over the valid
/// positions. Its stack always has relative positions and neither timing nor input bias.
#[derive(Debug)]
pub(crate) struct SemanticEncoder {
    stack: EncoderStack,
    pooling: Linear,
    norm: SublayerNorm,
}

impl SemanticEncoder {
    pub(crate) fn load(file: &ModelFile) -> Result<Self, FormatError> {
        let config = file.config();
        let (size, widths) = (config.hidden_size, config.all_widths().semantic_encoder);
        Ok(Self {
            stack: EncoderStack::load(file, "mini_xlm_encoder", &widths, true)?,
            pooling: Linear::load(file, "mini_xlm_encoder/pooling_layer/linear", size, size)?,
            norm: SublayerNorm::load_final(file, "mini_xlm_encoder/layer_norm")?,
        })
    }

    /// `out: [sentences, d_model]`.
    pub(crate) fn run(
        &self,
        batch: &Batch,
        embedding: &Embedding,
        buffers: &mut LayerBuffers,
        x: &mut Buffer<f32>,
        out: &mut Buffer<f32>,
        probe: Probe<'_>,
    ) {
        let d = self.pooling.outputs;
        let kernels = buffers.input.kernels;
        embed(kernels, batch, embedding, d, x);
        zero_masked(batch, x, d);
        self.stack.run_to_means(batch, x, buffers, out, probe);
        buffers.input.set(out, d, None);
        self.pooling.store(&buffers.input, batch.spans.len(), out);
        self.norm.final_norm(kernels, out, &mut buffers.spare);
    }
}
