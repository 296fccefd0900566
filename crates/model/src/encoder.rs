//! A stack of encoder layers; the encoder and the semantic encoder are two of them.

use std::ops::Range;

use csanmt_format::{EncoderWidths, FormatError, ModelFile, Slab};
use csanmt_kernels::{Buffer, Rows};

use crate::attention::{Memory, Query, SelfAttention};
use crate::batch::{Batch, Span};
use crate::embedding::Embedding;
use crate::feed_forward::FeedForward;
use crate::norm::SublayerNorm;
use crate::position::Timing;
use crate::workspace::LayerBuffers;

/// Called with the layer's number and its output `[positions, d_model]`; for tests that compare
/// layer by layer.
pub type Probe<'p> = Option<&'p mut dyn FnMut(usize, &[f32])>;

#[derive(Debug)]
struct EncoderLayer {
    attention_norm: SublayerNorm,
    attention: SelfAttention,
    feed_forward_norm: SublayerNorm,
    feed_forward: FeedForward,
}

/// Layers `x = x + MHA(LN(x)); x = x + FFN(LN_1(x)); x = x * mask` (the norms behind the sums in
/// post-norm models).
#[derive(Debug)]
pub(crate) struct EncoderStack {
    layers: Vec<EncoderLayer>,
    d_model: usize,
}

impl EncoderStack {
    /// Loads `SCOPE/layer_0` … `SCOPE/layer_{count-1}`.
    pub(crate) fn load(
        file: &ModelFile,
        scope: &str,
        widths: &[EncoderWidths],
        with_relative: bool,
    ) -> Result<Self, FormatError> {
        let size = file.config().hidden_size;
        let layer = |(i, widths): (usize, &EncoderWidths)| {
            let scope = format!("{scope}/layer_{i}");
            let attention = format!("{scope}/encoder_self_attention");
            let feed_forward = format!("{scope}/ffn_layer");
            Ok(EncoderLayer {
                attention_norm: SublayerNorm::load(file, &format!("{scope}/layer_norm"))?,
                attention: SelfAttention::load(file, &attention, widths.heads, with_relative)?,
                feed_forward_norm: SublayerNorm::load(file, &format!("{scope}/layer_norm_1"))?,
                feed_forward: FeedForward::load(file, &feed_forward, size, widths.filter)?,
            })
        };
        let layers = widths.iter().enumerate().map(layer);
        let layers = layers.collect::<Result<_, FormatError>>()?;
        Ok(Self {
            layers,
            d_model: size,
        })
    }

    /// Runs all layers on `x: [positions, d_model]` in place.
    pub(crate) fn run(
        &self,
        batch: &Batch,
        x: &mut [f32],
        buffers: &mut LayerBuffers,
        mut probe: Probe<'_>,
    ) {
        let d = self.d_model;
        for (number, layer) in self.layers.iter().enumerate() {
            layer.run_all(batch, d, x, buffers);
            if let Some(probe) = probe.as_mut() {
                probe(number, x);
            }
        }
    }

    /// The mean of [`Self::run`]'s output over the valid positions of each sentence, `means:
    /// [sentences, d_model]`; `x` is scratch.
    ///
    /// In pre-norm models the last operation is `x + hidden W2 + b2`, whose mean is `mean(x) +
    /// mean(hidden) W2 + b2`: one row a sentence goes through the second matrix instead of one a
    /// position, unless a probe wants to see them all.
    pub(crate) fn run_to_means(
        &self,
        batch: &Batch,
        x: &mut [f32],
        buffers: &mut LayerBuffers,
        means: &mut Buffer<f32>,
        probe: Probe<'_>,
    ) {
        let d = self.d_model;
        means.resize(batch.spans.len() * d);
        let last = self.layers.split_last();
        let ends_linear = |last: &EncoderLayer| !last.feed_forward_norm.follows();
        let Some((last, before)) = last.filter(|(last, _)| probe.is_none() && ends_linear(last))
        else {
            self.run(batch, x, buffers, probe);
            batch.means(&batch.spans, x, d, means);
            return;
        };
        for layer in before {
            layer.run_all(batch, d, x, buffers);
        }
        let inner = last.feed_forward.inner();
        let mut hidden_means = std::mem::take(&mut buffers.spare);
        hidden_means.resize(batch.spans.len() * inner);
        let mut left = &mut hidden_means[..];
        for spans in blocks(&batch.spans) {
            let rows = rows_of(spans);
            let x = &mut x[rows.start * d..rows.end * d];
            last.attend(batch, spans, d, x, buffers);
            let LayerBuffers { input, hidden, .. } = &mut *buffers;
            input.set(x, d, last.feed_forward_norm.before());
            last.feed_forward.hidden(input, rows.len(), hidden);
            let own;
            (own, left) = left.split_at_mut(spans.len() * inner);
            batch.means(spans, hidden, inner, own);
        }
        batch.means(&batch.spans, x, d, means);
        let input = &mut buffers.input;
        last.feed_forward
            .add_output_precisely(input, &mut hidden_means, means);
        for (span, mean) in batch.spans.iter().zip(means.chunks_exact_mut(d)) {
            if span.len == 0 {
                mean.fill(0.0);
            }
        }
        buffers.spare = hidden_means;
    }
}

/// A layer takes about so many positions at a time: their activations stay in the L2 cache beside
/// the layer's weights, and there are enough of them to share the reading of the weights.
const BLOCK_ROWS: usize = 128;

/// Cuts the sentences of a batch into blocks.
fn blocks(mut spans: &[Span]) -> impl Iterator<Item = &[Span]> {
    std::iter::from_fn(move || {
        let end = spans.first()?.start + BLOCK_ROWS;
        let count = spans.partition_point(|span| span.start + span.len <= end);
        let (block, rest) = spans.split_at(count.max(1));
        spans = rest;
        Some(block)
    })
}

/// The rows of consecutive sentences.
fn rows_of(spans: &[Span]) -> Range<usize> {
    match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => first.start..last.start + last.len,
        _ => 0..0,
    }
}

impl EncoderLayer {
    /// Runs the layer on `x: [positions, d_model]` of all sentences.
    fn run_all(&self, batch: &Batch, d_model: usize, x: &mut [f32], buffers: &mut LayerBuffers) {
        for spans in blocks(&batch.spans) {
            let rows = rows_of(spans);
            let x = &mut x[rows.start * d_model..rows.end * d_model];
            self.attend(batch, spans, d_model, x, buffers);
            let LayerBuffers {
                input,
                hidden,
                spare,
                ..
            } = &mut *buffers;
            input.set(x, d_model, self.feed_forward_norm.before());
            self.feed_forward.add_to(input, x, hidden);
            self.feed_forward_norm.after(input.kernels, x, spare);
        }
        zero_masked(batch, x, d_model);
    }

    /// The layer's attention on the positions of some sentences of the batch, `x: [positions,
    /// d_model]`.
    fn attend(
        &self,
        batch: &Batch,
        spans: &[Span],
        d_model: usize,
        x: &mut [f32],
        buffers: &mut LayerBuffers,
    ) {
        let LayerBuffers {
            input,
            qkv,
            context,
            spare,
            scratch,
            ..
        } = buffers;
        let kernels = input.kernels;
        let first = rows_of(spans).start;
        let rows = x.len() / d_model;
        input.set(x, d_model, self.attention_norm.before());
        self.attention.qkv.store(input, rows, qkv);
        let width = self.attention.shape.width();
        context.resize(rows * width);
        for span in spans {
            let start = span.start - first;
            let memory = Memory {
                keys: &qkv[width.min(qkv.len())..],
                values: &qkv[(2 * width).min(qkv.len())..],
                stride: 3 * width,
                head_stride: None,
                rows: Rows::Range {
                    start,
                    len: span.len,
                },
                valid: batch.mask_of(*span),
            };
            let query = Query {
                rows: &qkv[start * 3 * width..],
                stride: 3 * width,
                first_position: 0,
            };
            let out = &mut context[start * width..(start + span.len) * width];
            self.attention.attend(kernels, query, memory, scratch, out);
        }
        input.set(context, width, None);
        self.attention.output.add_to(input, x);
        self.attention_norm.after(kernels, x, spare);
    }
}

/// `x = x * mask`.
pub(crate) fn zero_masked(batch: &Batch, x: &mut [f32], d_model: usize) {
    if batch.masked {
        for (row, _) in batch.mask.iter().enumerate().filter(|(_, valid)| !**valid) {
            x[row * d_model..(row + 1) * d_model].fill(0.0);
        }
    }
}

/// The translation encoder: embeddings, positions, input bias, layers, final norm.
#[derive(Debug)]
pub(crate) struct Encoder {
    input_bias: Slab<f32>,
    absolute: bool,
    stack: EncoderStack,
    norm: SublayerNorm,
}

impl Encoder {
    pub(crate) fn load(file: &ModelFile) -> Result<Self, FormatError> {
        let config = file.config();
        let relative = config.position == csanmt_format::Position::Relative;
        Ok(Self {
            input_bias: file.f32("encoder_input_bias", &[config.hidden_size])?,
            absolute: !relative,
            stack: EncoderStack::load(file, "encoder", &config.all_widths().encoder, relative)?,
            norm: SublayerNorm::load_final(file, "encoder/layer_norm")?,
        })
    }

    /// `out: [positions, d_model]`.
    ///
    /// `x = (Emb[s] sqrt(H) + timing) * mask + input_bias`; the bias is added on masked positions too.
    pub(crate) fn run(
        &self,
        batch: &Batch,
        embedding: &Embedding,
        timing: &Timing,
        buffers: &mut LayerBuffers,
        out: &mut Buffer<f32>,
        probe: Probe<'_>,
    ) {
        let d = self.stack.d_model;
        let kernels = buffers.input.kernels;
        embed(kernels, batch, embedding, d, out);
        if self.absolute {
            for span in &batch.spans {
                for (position, row) in span.rows().enumerate() {
                    timing.add(position, &mut out[row * d..(row + 1) * d]);
                }
            }
        }
        zero_masked(batch, out, d);
        for row in out.chunks_exact_mut(d) {
            for (value, bias) in row.iter_mut().zip(self.input_bias.iter()) {
                *value += bias;
            }
        }
        self.stack.run(batch, out, buffers, probe);
        self.norm.final_norm(kernels, out, &mut buffers.spare);
    }
}

/// `out = Emb[s] sqrt(H)`, `[positions, d_model]`.
pub(crate) fn embed(
    kernels: csanmt_kernels::Kernels,
    batch: &Batch,
    embedding: &Embedding,
    d_model: usize,
    out: &mut Buffer<f32>,
) {
    let factor = (d_model as f32).sqrt();
    out.resize(batch.ids.len() * d_model);
    for (&id, row) in batch.ids.iter().zip(out.chunks_exact_mut(d_model)) {
        embedding.row(kernels, id, factor, row);
    }
}
