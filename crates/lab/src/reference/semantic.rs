//! The semantic encoder: one vector for a sentence.

use candle_core::Tensor;
use csanmt_format::ModelConfig;

use super::batch::Batch;
use super::encoder::EncoderStack;
use super::error::ReferenceError;
use super::linear::{Embedding, Linear};
use super::norm::{Norm, forward_if};
use super::variables::Scope;

/// Encoder layers with relative positions, whatever the model has elsewhere, and pooling.
#[derive(Clone, Debug)]
pub(super) struct SemanticEncoder {
    hidden: usize,
    embedding: Embedding,
    stack: EncoderStack,
    pooling: Linear,
    norm: Option<Norm>,
}

impl SemanticEncoder {
    pub(super) fn new(
        config: &ModelConfig,
        root: &Scope<'_>,
        table: Tensor,
    ) -> Result<Self, ReferenceError> {
        let scope = root.enter("mini_xlm_encoder");
        Ok(Self {
            hidden: config.hidden_size,
            embedding: Embedding::new(table),
            stack: EncoderStack::new(config, &scope, &config.all_widths().semantic_encoder, true)?,
            pooling: Linear::new(&scope.enter("pooling_layer/linear"))?,
            norm: Norm::last(config, &scope)?,
        })
    }

    /// `LN(mean W + b)`, `[B, H]`, of the mean over words and end mark of the residual stream,
    /// which takes neither position signal nor input bias. The mean of nothing is 0.
    pub(super) fn encode(&self, batch: &Batch) -> candle_core::Result<Tensor> {
        self.pool(batch, &self.embedding)
    }

    /// The same for tokens of another table.
    pub(super) fn encode_with(&self, batch: &Batch, table: &Tensor) -> candle_core::Result<Tensor> {
        self.pool(batch, &Embedding::new(table.clone()))
    }

    /// The embedding of the source.
    pub(super) fn table(&self) -> Tensor {
        self.embedding.table.clone()
    }

    fn pool(&self, batch: &Batch, embedding: &Embedding) -> candle_core::Result<Tensor> {
        let mean = if batch.width == 0 {
            batch.zeros(self.hidden)?
        } else {
            let mask = &batch.mask;
            let x = embedding.scaled(&batch.ids)?;
            let x = x.broadcast_mul(&mask.unsqueeze(2)?)?;
            let sum = self.stack.forward(&x, mask)?.sum(1)?;
            sum.broadcast_div(&mask.sum_keepdim(1)?)?
        };
        forward_if(self.norm.as_ref(), &self.pooling.forward(&mean)?)
    }
}
