//! Every buffer of a running search.

use csanmt_format::Precision;
use csanmt_kernels::{AttentionScratch, Buffer, Kernels};

use crate::activation::Activation;
use crate::lane::Lanes;
use crate::search::SearchBuffers;

/// Buffers of one search at a time, reused from call to call. Made by [`crate::Model::workspace`].
#[derive(Debug)]
pub struct Workspace {
    pub(crate) decoder: DecoderBuffers,
    pub(crate) search: SearchBuffers,
    /// Lanes that were opened last.
    pub(crate) opened: Vec<usize>,
}

impl Workspace {
    pub(crate) fn new(layer: LayerBuffers) -> Self {
        Self {
            decoder: DecoderBuffers::new(layer),
            search: SearchBuffers::default(),
            opened: Vec::new(),
        }
    }
}

/// Buffers of a layer. `P` = positions of a block of sentences in an encoder, live hypotheses of all
/// sentences of a step in the decoder.
#[derive(Debug)]
pub(crate) struct LayerBuffers {
    pub(crate) input: Activation,
    /// `[P, 3 width]`, width of the layer's heads together.
    pub(crate) qkv: Buffer<f32>,
    /// `[P, width]`
    pub(crate) context: Buffer<f32>,
    /// `[P, d_ff]`
    pub(crate) hidden: Buffer<f32>,
    /// `[P, d_model]`
    pub(crate) spare: Buffer<f32>,
    pub(crate) scratch: AttentionScratch,
}

impl LayerBuffers {
    pub(crate) fn new(kernels: Kernels, precision: Precision) -> Self {
        Self {
            input: Activation::new(kernels, precision),
            qkv: Buffer::default(),
            context: Buffer::default(),
            hidden: Buffer::default(),
            spare: Buffer::default(),
            scratch: AttentionScratch::default(),
        }
    }
}

/// Buffers of the decoder, `R` = live hypotheses of all sentences in a step.
#[derive(Debug)]
pub(crate) struct DecoderBuffers {
    pub(crate) layer: LayerBuffers,
    /// `[R, d_model]`
    pub(crate) x: Buffer<f32>,
    /// Queries of cross-attention, `[R, width]`.
    pub(crate) query: Buffer<f32>,
    /// `[R, vocab]`
    pub(crate) logits: Buffer<f32>,
    pub(crate) lanes: Lanes,
}

impl DecoderBuffers {
    fn new(layer: LayerBuffers) -> Self {
        Self {
            layer,
            x: Buffer::default(),
            query: Buffer::default(),
            logits: Buffer::default(),
            lanes: Lanes::default(),
        }
    }
}
