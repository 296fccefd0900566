//! Widths of single layers: a pruned model keeps more of the layers that matter more.

use serde::{Deserialize, Serialize};

use crate::config::ModelConfig;
use crate::error::FormatError;

/// Widths of one layer of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncoderWidths {
    /// Heads of self-attention.
    pub heads: usize,
    /// Inner width of the feed-forward layer.
    pub filter: usize,
}

/// Widths of one layer of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecoderWidths {
    /// Heads of self-attention.
    pub heads: usize,
    /// Heads of attention to the source.
    pub cross_heads: usize,
    /// Inner width of the embedding augmentation.
    pub augmentation: usize,
    /// Inner width of the feed-forward layer.
    pub filter: usize,
}

/// Widths of all layers, in their order. Attention with h heads computes on h · [head
/// size](ModelConfig::head_size) numbers, whatever the width of the residual stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Widths {
    /// Of the encoder.
    pub encoder: Vec<EncoderWidths>,
    /// Of the semantic encoder.
    pub semantic_encoder: Vec<EncoderWidths>,
    /// Of the decoder.
    pub decoder: Vec<DecoderWidths>,
}

/// No layer is wider inside.
const MOST: usize = 65_536;

impl Widths {
    pub(crate) fn validate(&self, config: &ModelConfig) -> Result<(), FormatError> {
        let counts = [
            (
                "widths.encoder",
                self.encoder.len(),
                config.num_encoder_layers,
            ),
            (
                "widths.semantic_encoder",
                self.semantic_encoder.len(),
                config.num_semantic_encoder_layers,
            ),
            (
                "widths.decoder",
                self.decoder.len(),
                config.num_decoder_layers,
            ),
        ];
        for (field, found, layers) in counts {
            if found != layers {
                let found = format!("{found} entries");
                return Err(FormatError::config(
                    field,
                    format!("{layers} layers"),
                    &found,
                ));
            }
        }
        let heads = config.num_heads;
        for widths in self.encoder.iter().chain(&self.semantic_encoder) {
            check("widths.heads", widths.heads, heads)?;
            check("widths.filter", widths.filter, MOST)?;
        }
        for widths in &self.decoder {
            check("widths.heads", widths.heads, heads)?;
            check("widths.cross_heads", widths.cross_heads, heads)?;
            check("widths.augmentation", widths.augmentation, MOST)?;
            check("widths.filter", widths.filter, MOST)?;
        }
        Ok(())
    }
}

fn check(field: &'static str, found: usize, most: usize) -> Result<(), FormatError> {
    if (1..=most).contains(&found) {
        Ok(())
    } else {
        Err(FormatError::config(field, format!("1 to {most}"), &found))
    }
}
