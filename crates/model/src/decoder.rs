//! The decoder: one step for all live hypotheses of a batch.

mod forced;

use std::ops::Range;

pub use forced::Attended;

use csanmt_format::{DecoderWidths, FormatError, ModelFile};
use csanmt_kernels::{Kernels, Rows};

use crate::attention::{CrossAttention, Memory, Query, SelfAttention};
use crate::batch::Batch;
use crate::embedding::{Embedding, OutputTable};
use crate::feed_forward::FeedForward;
use crate::norm::SublayerNorm;
use crate::position::Timing;
use crate::workspace::DecoderBuffers;

#[derive(Debug)]
struct DecoderLayer {
    augmentation_norm: SublayerNorm,
    augmentation: FeedForward,
    self_norm: SublayerNorm,
    self_attention: SelfAttention,
    cross_norm: SublayerNorm,
    cross_attention: CrossAttention,
    feed_forward_norm: SublayerNorm,
    feed_forward: FeedForward,
}

/// One live hypothesis in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Sentence of the batch.
    pub(crate) sentence: usize,
    /// Row of the step before that this one continues; unused in the first step.
    pub(crate) parent: usize,
    /// The token just chosen; `None` in the first step, whose input is the zero vector.
    pub(crate) token: Option<u32>,
}

/// Decoder layers, final norm and output table.
///
/// Per layer: `x += W2 relu(W1 LN(r) + b1) + b2` (embedding augmentation with the semantic vector
/// `r`), then causal self-attention, cross-attention and feed-forward, each on a residual.
#[derive(Debug)]
pub(crate) struct Decoder {
    layers: Vec<DecoderLayer>,
    norm: SublayerNorm,
    output: OutputTable,
    absolute: bool,
    d_model: usize,
}

impl Decoder {
    /// `output` is the name of the table that gives the logits.
    pub(crate) fn load(file: &ModelFile, output: &str) -> Result<Self, FormatError> {
        let config = file.config();
        let size = config.hidden_size;
        let relative = config.position == csanmt_format::Position::Relative;
        let layer = |(i, widths): (usize, DecoderWidths)| {
            let scope = format!("decoder/layer_{i}");
            let norm =
                |suffix: &str| SublayerNorm::load(file, &format!("{scope}/layer_norm{suffix}"));
            let augmentation = format!("{scope}/embedding_augmentation_layer");
            let self_attention = format!("{scope}/decoder_self_attention");
            Ok(DecoderLayer {
                augmentation_norm: norm("")?,
                augmentation: FeedForward::load(file, &augmentation, size, widths.augmentation)?,
                self_norm: norm("_1")?,
                self_attention: SelfAttention::load(file, &self_attention, widths.heads, relative)?,
                cross_norm: norm("_2")?,
                cross_attention: CrossAttention::load(
                    file,
                    &format!("{scope}/encdec_attention"),
                    widths.cross_heads,
                )?,
                feed_forward_norm: norm("_3")?,
                feed_forward: FeedForward::load(
                    file,
                    &format!("{scope}/ffn_layer"),
                    size,
                    widths.filter,
                )?,
            })
        };
        let layers = config.all_widths().decoder.into_iter().enumerate();
        Ok(Self {
            layers: layers.map(layer).collect::<Result<_, FormatError>>()?,
            norm: SublayerNorm::load_final(file, "decoder/layer_norm")?,
            output: OutputTable::load(file, output, config.trg_vocab_size, size)?,
            absolute: !relative,
            d_model: size,
        })
    }

    /// Entries of the target vocabulary.
    pub(crate) fn vocab(&self) -> usize {
        self.output.vocab
    }

    /// Everything that depends on the source alone: cross-attention keys and values of all layers
    /// from `source: [positions, d_model]`, augmentation terms from `semantic: [sentences, d_model]`.
    pub(crate) fn prepare(&self, source: &[f32], semantic: &[f32], buffers: &mut DecoderBuffers) {
        let d = self.d_model;
        let sentences = semantic.len() / d;
        buffers.start(self.layers.len());
        let DecoderBuffers {
            input,
            cross,
            augmentation,
            hidden,
            ..
        } = buffers;
        for (layer, term) in self.layers.iter().zip(augmentation) {
            input.set(semantic, d, layer.augmentation_norm.before());
            term.clear();
            term.resize(sentences * d, 0.0);
            layer.augmentation.add_to(input, term, hidden);
        }
        input.set(source, d, None);
        for (layer, cross) in self.layers.iter().zip(cross) {
            layer
                .cross_attention
                .keys_values
                .store(input, source.len() / d, cross);
        }
    }

    /// One step at `position`; leaves the rows in the buffers for [`Self::logits`].
    pub(crate) fn step(
        &self,
        rows: &[Row],
        position: usize,
        batch: &Batch,
        embedding: &Embedding,
        timing: &mut Timing,
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let kernels = buffers.input.kernels;
        buffers.history.advance(rows);
        self.embed(kernels, rows, position, embedding, timing, &mut buffers.x);
        for (number, layer) in self.layers.iter().enumerate() {
            self.augment(layer, number, rows, buffers);
            self.attend_to_target(layer, number, position, buffers);
            self.attend_to_source(layer, number, rows, batch, buffers);
            let DecoderBuffers {
                input,
                x,
                hidden,
                spare,
                ..
            } = buffers;
            input.set(x, d, layer.feed_forward_norm.before());
            layer.feed_forward.add_to(input, x, hidden);
            layer.feed_forward_norm.after(kernels, x, spare);
        }
    }

    /// Logits `[rows, vocab]` of some rows of the last step.
    pub(crate) fn logits<'b>(
        &self,
        rows: Range<usize>,
        buffers: &'b mut DecoderBuffers,
    ) -> &'b [f32] {
        let d = self.d_model;
        let DecoderBuffers {
            input, x, logits, ..
        } = buffers;
        let count = rows.len();
        input.set(&x[rows.start * d..rows.end * d], d, self.norm.before());
        self.output.logits(input, count, logits);
        logits
    }

    /// `x = Emb[y] sqrt(H)` (+ timing), the zero vector for the first position.
    fn embed(
        &self,
        kernels: Kernels,
        rows: &[Row],
        position: usize,
        embedding: &Embedding,
        timing: &mut Timing,
        x: &mut Vec<f32>,
    ) {
        let d = self.d_model;
        let factor = (d as f32).sqrt();
        x.resize(rows.len() * d, 0.0);
        if self.absolute {
            timing.prepare(position + 1);
        }
        for (row, x) in rows.iter().zip(x.chunks_exact_mut(d)) {
            match row.token {
                Some(token) => embedding.row(kernels, token, factor, x),
                None => x.fill(0.0),
            }
            if self.absolute {
                timing.add(position, x);
            }
        }
    }

    fn augment(
        &self,
        layer: &DecoderLayer,
        number: usize,
        rows: &[Row],
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let DecoderBuffers {
            input,
            x,
            augmentation,
            spare,
            ..
        } = buffers;
        for (row, x) in rows.iter().zip(x.chunks_exact_mut(d)) {
            let term = &augmentation[number][row.sentence * d..(row.sentence + 1) * d];
            for (value, term) in x.iter_mut().zip(term) {
                *value += term;
            }
        }
        layer.augmentation_norm.after(input.kernels, x, spare);
    }

    fn attend_to_target(
        &self,
        layer: &DecoderLayer,
        number: usize,
        position: usize,
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let DecoderBuffers {
            input,
            x,
            qkv,
            context,
            spare,
            scratch,
            cache,
            history,
            ..
        } = buffers;
        let kernels = input.kernels;
        let rows = x.len() / d;
        let width = layer.self_attention.width;
        input.set(x, d, layer.self_norm.before());
        layer.self_attention.qkv.store(input, rows, qkv);
        let cache = &mut cache[number];
        for row in qkv.chunks_exact(3 * width) {
            cache.extend_from_slice(&row[width..]);
        }
        context.resize(rows * width, 0.0);
        for (row, out) in context.chunks_exact_mut(width).enumerate() {
            let memory = Memory {
                keys: cache,
                values: &cache[width..],
                stride: 2 * width,
                rows: Rows::List(history.path(row)),
                valid: None,
            };
            let query = Query {
                rows: &qkv[row * 3 * width..row * 3 * width + width],
                stride: width,
                first_position: position,
            };
            layer
                .self_attention
                .attend(kernels, query, memory, scratch, out);
        }
        input.set(context, width, None);
        layer.self_attention.output.add_to(input, x);
        layer.self_norm.after(kernels, x, spare);
    }

    fn attend_to_source(
        &self,
        layer: &DecoderLayer,
        number: usize,
        rows: &[Row],
        batch: &Batch,
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let DecoderBuffers {
            input,
            x,
            query,
            context,
            spare,
            scratch,
            cross,
            ..
        } = buffers;
        let kernels = input.kernels;
        input.set(x, d, layer.cross_norm.before());
        layer.cross_attention.query.store(input, rows.len(), query);
        let cross = &cross[number];
        let width = layer.cross_attention.width;
        context.resize(rows.len() * width, 0.0);
        let mut first = 0;
        for rows in rows.chunk_by(|a, b| a.sentence == b.sentence) {
            let memory = source_memory(cross, width, batch, rows[0].sentence);
            let numbers = first * width..(first + rows.len()) * width;
            let (query, out) = (&query[numbers.clone()], &mut context[numbers]);
            layer
                .cross_attention
                .attend(kernels, query, memory, scratch, out);
            first += rows.len();
        }
        input.set(context, width, None);
        layer.cross_attention.output.add_to(input, x);
        layer.cross_norm.after(kernels, x, spare);
    }
}

/// Keys and values of one sentence in `cross: [positions, 2 width]`.
fn source_memory<'a>(
    cross: &'a [f32],
    width: usize,
    batch: &'a Batch,
    sentence: usize,
) -> Memory<'a> {
    let span = batch.spans[sentence];
    Memory {
        keys: cross,
        values: &cross[width.min(cross.len())..],
        stride: 2 * width,
        rows: Rows::Range {
            start: span.start,
            len: span.len,
        },
        valid: batch.mask_of(span),
    }
}
