//! Every buffer of a running search.

use csanmt_format::Precision;
use csanmt_kernels::{AttentionScratch, Kernels};

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
    pub(crate) source: Vec<f32>,
    /// Semantic encoder's residual stream `[positions, d_model]`.
    pub(crate) semantic_stream: Vec<f32>,
    /// Semantic vectors `[sentences, d_model]`.
    pub(crate) semantic: Vec<f32>,
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
            source: Vec::new(),
            semantic_stream: Vec::new(),
            semantic: Vec::new(),
        }
    }
}

/// Buffers of an encoder stack, `P` = positions of the batch.
#[derive(Debug)]
pub(crate) struct EncoderBuffers {
    pub(crate) input: Activation,
    /// `[P, 3 width]`, width of the layer's heads together.
    pub(crate) qkv: Vec<f32>,
    /// `[P, width]`
    pub(crate) context: Vec<f32>,
    /// `[P, d_ff]`
    pub(crate) hidden: Vec<f32>,
    /// `[P, d_model]`
    pub(crate) spare: Vec<f32>,
    pub(crate) scratch: AttentionScratch,
}

impl EncoderBuffers {
    fn new(input: Activation) -> Self {
        Self {
            input,
            qkv: Vec::new(),
            context: Vec::new(),
            hidden: Vec::new(),
            spare: Vec::new(),
            scratch: AttentionScratch::default(),
        }
    }
}

/// Buffers of the decoder, `R` = live hypotheses of all sentences in a step.
#[derive(Debug)]
pub(crate) struct DecoderBuffers {
    pub(crate) input: Activation,
    /// `[R, d_model]`
    pub(crate) x: Vec<f32>,
    /// `[R, 3 width]`, width of the layer's heads together.
    pub(crate) qkv: Vec<f32>,
    /// `[R, width]`
    pub(crate) query: Vec<f32>,
    /// `[R, width]`
    pub(crate) context: Vec<f32>,
    /// `[R, d_ff]`
    pub(crate) hidden: Vec<f32>,
    /// `[R, d_model]`
    pub(crate) spare: Vec<f32>,
    /// `[R, vocab]`
    pub(crate) logits: Vec<f32>,
    pub(crate) scratch: AttentionScratch,
    pub(crate) lanes: Lanes,
}

impl DecoderBuffers {
    fn new(input: Activation) -> Self {
        Self {
            input,
            x: Vec::new(),
            qkv: Vec::new(),
            query: Vec::new(),
            context: Vec::new(),
            hidden: Vec::new(),
            spare: Vec::new(),
            logits: Vec::new(),
            scratch: AttentionScratch::default(),
            lanes: Lanes::default(),
        }
    }
}
