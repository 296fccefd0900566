//! The decoder on whole targets.

use candle_core::Tensor;
use csanmt_format::{DecoderWidths, ModelConfig, Position};

use super::Encoded;
use super::attention::{CrossAttention, SelfAttention, causal_bias, padding_bias};
use super::error::ReferenceError;
use super::linear::FeedForward;
use super::norm::{Norm, SublayerNorm, forward_if};
use super::variables::Scope;

/// Layers and the norm behind them.
#[derive(Clone, Debug)]
pub(super) struct Decoder {
    layers: Vec<Layer>,
    norm: Option<Norm>,
}

/// Adds the semantic vector, then attends to the target so far, to the source, and feeds forward.
#[derive(Clone, Debug)]
struct Layer {
    norms: [SublayerNorm; 4],
    augmentation: FeedForward,
    self_attention: SelfAttention,
    cross_attention: CrossAttention,
    feed_forward: FeedForward,
}

impl Decoder {
    pub(super) fn new(config: &ModelConfig, root: &Scope<'_>) -> Result<Self, ReferenceError> {
        let scope = root.enter("decoder");
        let relative = config.position == Position::Relative;
        let layer = |(i, widths): (usize, DecoderWidths)| {
            let scope = scope.enter(&format!("layer_{i}"));
            let norm = |name: &str| SublayerNorm::new(config, &scope, name);
            let own = scope.enter("decoder_self_attention");
            let cross = scope.enter("encdec_attention");
            Ok(Layer {
                norms: [
                    norm("layer_norm")?,
                    norm("layer_norm_1")?,
                    norm("layer_norm_2")?,
                    norm("layer_norm_3")?,
                ],
                augmentation: FeedForward::new(&scope.enter("embedding_augmentation_layer"))?,
                self_attention: SelfAttention::new(widths.heads, &own, relative)?,
                cross_attention: CrossAttention::new(widths.cross_heads, &cross)?,
                feed_forward: FeedForward::new(&scope.enter("ffn_layer"))?,
            })
        };
        Ok(Self {
            layers: config
                .all_widths()
                .decoder
                .into_iter()
                .enumerate()
                .map(layer)
                .collect::<Result<_, ReferenceError>>()?,
            norm: Norm::last(config, &scope)?,
        })
    }

    /// States `[B, n + 1, H]`; `x` has the shifted target embeddings with positions.
    pub(super) fn decode(&self, x: &Tensor, encoded: &Encoded) -> candle_core::Result<Tensor> {
        let later = causal_bias(x.dim(1)?)?;
        let padding = padding_bias(&encoded.mask)?;
        let semantic = encoded.semantic.unsqueeze(1)?;
        let states = self.layers.iter().try_fold(x.clone(), |x, layer| {
            let [augmentation, own, cross, feed_forward] = &layer.norms;
            // The norm is the semantic vector's before, the sum's behind; one term for all steps.
            let term = layer
                .augmentation
                .forward(&augmentation.before(&semantic)?)?;
            let x = augmentation.after(&x.broadcast_add(&term)?)?;
            let x = own.residual(&x, |x| layer.self_attention.forward(x, &later))?;
            let x = cross.residual(&x, |x| {
                layer.cross_attention.forward(x, &encoded.output, &padding)
            })?;
            feed_forward.residual(&x, |x| layer.feed_forward.forward(x))
        })?;
        forward_if(self.norm.as_ref(), &states)
    }
}
