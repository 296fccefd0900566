//! A stack of encoder layers; the encoder and the semantic encoder are two of them.

use csanmt_format::{EncoderWidths, FormatError, ModelFile, Slab};
use csanmt_kernels::{Buffer, Rows};

use crate::attention::{Memory, Query, SelfAttention};
use crate::batch::Batch;
use crate::embedding::Embedding;
use crate::feed_forward::FeedForward;
use crate::norm::SublayerNorm;
use crate::workspace::EncoderBuffers;

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
        buffers: &mut EncoderBuffers,
        mut probe: Probe<'_>,
    ) {
        let d = self.d_model;
        let rows = batch.ids.len();
        let EncoderBuffers {
            input,
            qkv,
            context,
            hidden,
            spare,
            scratch,
        } = buffers;
        let kernels = input.kernels;
        for (number, layer) in self.layers.iter().enumerate() {
            input.set(x, d, layer.attention_norm.before());
            layer.attention.qkv.store(input, rows, qkv);
            let width = layer.attention.width;
            context.resize(rows * width);
            for span in &batch.spans {
                let memory = Memory {
                    keys: &qkv[width.min(qkv.len())..],
                    values: &qkv[(2 * width).min(qkv.len())..],
                    stride: 3 * width,
                    head_stride: None,
                    rows: Rows::Range {
                        start: span.start,
                        len: span.len,
                    },
                    valid: batch.mask_of(*span),
                };
                let query = Query {
                    rows: &qkv[span.start * 3 * width..],
                    stride: 3 * width,
                    first_position: 0,
                };
                let out = &mut context[span.start * width..(span.start + span.len) * width];
                layer.attention.attend(kernels, query, memory, scratch, out);
            }
            input.set(context, width, None);
            layer.attention.output.add_to(input, x);
            layer.attention_norm.after(kernels, x, spare);

            input.set(x, d, layer.feed_forward_norm.before());
            layer.feed_forward.add_to(input, x, hidden);
            layer.feed_forward_norm.after(kernels, x, spare);

            zero_masked(batch, x, d);
            if let Some(probe) = probe.as_mut() {
                probe(number, x);
            }
        }
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
        timing: &mut crate::position::Timing,
        buffers: &mut EncoderBuffers,
        out: &mut Buffer<f32>,
        probe: Probe<'_>,
    ) {
        let d = self.stack.d_model;
        let kernels = buffers.input.kernels;
        embed(kernels, batch, embedding, d, out);
        if self.absolute {
            timing.prepare(batch.spans.iter().map(|span| span.len).max().unwrap_or(0));
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
