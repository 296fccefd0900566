//! The stack of layers that encoder and semantic encoder are made of.

use candle_core::Tensor;
use csanmt_format::{EncoderWidths, ModelConfig, Position};

use super::attention::{SelfAttention, padding_bias};
use super::error::ReferenceError;
use super::linear::FeedForward;
use super::norm::{Norm, SublayerNorm, forward_if};
use super::variables::Scope;

/// Layers of self-attention and feed-forward.
#[derive(Clone, Debug)]
pub(super) struct EncoderStack {
    layers: Vec<Layer>,
}

#[derive(Clone, Debug)]
struct Layer {
    norms: [SublayerNorm; 2],
    attention: SelfAttention,
    feed_forward: FeedForward,
}

impl EncoderStack {
    pub(super) fn new(
        config: &ModelConfig,
        scope: &Scope<'_>,
        widths: &[EncoderWidths],
        relative: bool,
    ) -> Result<Self, ReferenceError> {
        let layer = |(i, widths): (usize, &EncoderWidths)| {
            let scope = scope.enter(&format!("layer_{i}"));
            let attention = scope.enter("encoder_self_attention");
            Ok(Layer {
                norms: [
                    SublayerNorm::new(config, &scope, "layer_norm")?,
                    SublayerNorm::new(config, &scope, "layer_norm_1")?,
                ],
                attention: SelfAttention::new(widths.heads, &attention, relative)?,
                feed_forward: FeedForward::new(&scope.enter("ffn_layer"))?,
            })
        };
        Ok(Self {
            layers: widths
                .iter()
                .enumerate()
                .map(layer)
                .collect::<Result<_, ReferenceError>>()?,
        })
    }

    /// The residual stream `[B, S, H]` behind the last layer; `mask` is `[B, S]`.
    pub(super) fn forward(&self, x: &Tensor, mask: &Tensor) -> candle_core::Result<Tensor> {
        let bias = padding_bias(mask)?;
        let mask = mask.unsqueeze(2)?;
        self.layers.iter().try_fold(x.clone(), |x, layer| {
            let [attention, feed_forward] = &layer.norms;
            let x = attention.residual(&x, |x| layer.attention.forward(x, &bias))?;
            let x = feed_forward.residual(&x, |x| layer.feed_forward.forward(x))?;
            x.broadcast_mul(&mask)
        })
    }
}

/// The encoder behind the embedding.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    input_bias: Tensor,
    stack: EncoderStack,
    norm: Option<Norm>,
}

impl Encoder {
    pub(super) fn new(config: &ModelConfig, root: &Scope<'_>) -> Result<Self, ReferenceError> {
        let scope = root.enter("encoder");
        let relative = config.position == Position::Relative;
        Ok(Self {
            input_bias: root.tensor("encoder_input_bias")?,
            stack: EncoderStack::new(config, &scope, &config.all_widths().encoder, relative)?,
            norm: Norm::last(config, &scope)?,
        })
    }

    /// `x` is `[B, S, H]`: embeddings with positions. The bias is added to the padding as well.
    pub(super) fn encode(&self, x: &Tensor, mask: &Tensor) -> candle_core::Result<Tensor> {
        if x.dim(1)? == 0 {
            return Ok(x.clone());
        }
        let x = x
            .broadcast_mul(&mask.unsqueeze(2)?)?
            .broadcast_add(&self.input_bias)?;
        forward_if(self.norm.as_ref(), &self.stack.forward(&x, mask)?)
    }
}
