//! Every buffer of a running search.

use csanmt_format::Precision;
use csanmt_kernels::{AttentionScratch, Kernels};

use crate::activation::Activation;
use crate::batch::Batch;
use crate::beam::SearchBuffers;
use crate::decoder::Row;
use crate::position::Timing;

/// Buffers of one search at a time, reused from call to call. Made by [`crate::Model::workspace`].
#[derive(Debug)]
pub struct Workspace {
    pub(crate) batch: Batch,
    pub(crate) encoder: EncoderBuffers,
    pub(crate) decoder: DecoderBuffers,
    pub(crate) search: SearchBuffers,
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
    /// Self-attention keys and values, per layer, one row `[k | v]` a node of [`History`].
    pub(crate) cache: Vec<Vec<f32>>,
    /// Cross-attention keys and values, per layer, `[positions, 2 width]`.
    pub(crate) cross: Vec<Vec<f32>>,
    /// Augmentation terms, per layer, `[sentences, d_model]`.
    pub(crate) augmentation: Vec<Vec<f32>>,
    pub(crate) history: History,
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
            cache: Vec::new(),
            cross: Vec::new(),
            augmentation: Vec::new(),
            history: History::default(),
        }
    }

    /// Forgets the last batch, keeps the memory.
    pub(crate) fn start(&mut self, layers: usize) {
        for buffers in [&mut self.cache, &mut self.cross, &mut self.augmentation] {
            buffers.resize_with(layers, Vec::new);
        }
        for cache in &mut self.cache {
            cache.clear();
        }
        self.history.clear();
    }
}

/// The tree of all hypotheses of a batch.
///
/// Each live row of each step is a *node*, numbered in order of creation; the caches hold one row
/// a node. Beams that share a beginning share its nodes, so re-ordering beams copies a path of
/// node numbers and no keys or values.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The input token of every node; nothing for the first.
    tokens: Vec<u32>,
    /// The node before every node; the first ones name themselves.
    parents: Vec<u32>,
    /// Nodes from the first step to the current one, `[rows, steps]`.
    paths: Vec<u32>,
    previous: Vec<u32>,
    steps: usize,
}

impl History {
    fn clear(&mut self) {
        self.tokens.clear();
        self.parents.clear();
        self.paths.clear();
        self.previous.clear();
        self.steps = 0;
    }

    /// Adds a node for every row behind its parent's path.
    pub(crate) fn advance(&mut self, rows: &[Row]) {
        std::mem::swap(&mut self.paths, &mut self.previous);
        self.paths.clear();
        for row in rows {
            let start = row.parent * self.steps;
            let parents = if self.steps == 0 {
                &[]
            } else {
                &self.previous[start..start + self.steps]
            };
            let node = self.tokens.len() as u32;
            self.parents.push(*parents.last().unwrap_or(&node));
            self.paths.extend_from_slice(parents);
            self.paths.push(node);
            self.tokens.push(row.token.unwrap_or(crate::EOS));
        }
        self.steps += 1;
    }

    /// The nodes of a row of the current step, first step first.
    pub(crate) fn path(&self, row: usize) -> &[u32] {
        &self.paths[row * self.steps..(row + 1) * self.steps]
    }

    /// The node of a row of the current step.
    pub(crate) fn node(&self, row: usize) -> usize {
        self.paths[(row + 1) * self.steps - 1] as usize
    }

    /// The tokens chosen on the way to a node, and `last` behind it.
    pub(crate) fn tokens(&self, mut node: usize, last: Option<u32>) -> Vec<u32> {
        let mut tokens: Vec<u32> = last.into_iter().collect();
        while self.parents[node] as usize != node {
            tokens.push(self.tokens[node]);
            node = self.parents[node] as usize;
        }
        tokens.reverse();
        tokens
    }
}
