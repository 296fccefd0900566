//! Every buffer of a running search.

use csanmt_format::Precision;
use csanmt_kernels::{AttentionScratch, Buffer, Kernels};

use crate::activation::Activation;
use crate::batch::Batch;
use crate::lane::Lanes;
use crate::position::Timing;
use crate::search::SearchBuffers;

/// Buffers of one search at a time, reused from call to call. Made by [`crate::Model::workspace`].
#[derive(Debug)]
pub struct Workspace {
    pub(crate) batch: Batch,
    pub(crate) encoder: EncoderBuffers,
    pub(crate) decoder: DecoderBuffers,
    pub(crate) search: SearchBuffers,
    /// Lanes that were opened last.
    pub(crate) opened: Vec<usize>,
    pub(crate) timing: Timing,
    /// Encoder output `[positions, d_model]`.
    pub(crate) source: Buffer<f32>,
    /// Semantic encoder's residual stream `[positions, d_model]`.
    pub(crate) semantic_stream: Buffer<f32>,
    /// Semantic vectors `[sentences, d_model]`.
    pub(crate) semantic: Buffer<f32>,
}

impl Workspace {
    pub(crate) fn new(kernels: Kernels, precision: Precision, d_model: usize) -> Self {
        Self {
            batch: Batch::default(),
            encoder: EncoderBuffers::new(Activation::new(kernels, precision)),
            decoder: DecoderBuffers::new(Activation::new(kernels, precision)),
            search: SearchBuffers::default(),
            opened: Vec::new(),
            timing: Timing::new(d_model),
            source: Buffer::default(),
            semantic_stream: Buffer::default(),
            semantic: Buffer::default(),
        }
    }
}

/// Buffers of an encoder stack, `P` = positions of the batch.
#[derive(Debug)]
pub(crate) struct EncoderBuffers {
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

impl EncoderBuffers {
    fn new(input: Activation) -> Self {
        Self {
            input,
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
    pub(crate) input: Activation,
    /// `[R, d_model]`
    pub(crate) x: Buffer<f32>,
    /// `[R, 3 width]`, width of the layer's heads together.
    pub(crate) qkv: Buffer<f32>,
    /// `[R, width]`
    pub(crate) query: Buffer<f32>,
    /// `[R, width]`
    pub(crate) context: Buffer<f32>,
    /// `[R, d_ff]`
    pub(crate) hidden: Buffer<f32>,
    /// `[R, d_model]`
    pub(crate) spare: Buffer<f32>,
    /// `[R, vocab]`
    pub(crate) logits: Buffer<f32>,
    pub(crate) scratch: AttentionScratch,
    pub(crate) lanes: Lanes,
}

impl DecoderBuffers {
    fn new(input: Activation) -> Self {
        Self {
            input,
            x: Buffer::default(),
            qkv: Buffer::default(),
            query: Buffer::default(),
            context: Buffer::default(),
            hidden: Buffer::default(),
            spare: Buffer::default(),
            logits: Buffer::default(),
            scratch: AttentionScratch::default(),
            lanes: Lanes::default(),
        }
    }
}
