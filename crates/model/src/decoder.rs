//! The decoder: one step for all live hypotheses of a batch.

mod forced;

use std::ops::Range;

pub use forced::Attended;

use csanmt_format::{DecoderWidths, FormatError, ModelFile};
use csanmt_kernels::{Buffer, Kernels, Top};

use crate::attention::{CrossAttention, Query, SelfAttention};
use crate::embedding::{Embedding, OutputTable};
use crate::encoding::Encoding;
use crate::feed_forward::FeedForward;
use crate::lane::Lanes;
use crate::norm::SublayerNorm;
use crate::position::Timing;
use crate::shortlist::Candidates;
use crate::workspace::{DecoderBuffers, LayerBuffers};

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

/// One live hypothesis in a step. Those of a lane stand together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Where its sentence is decoded.
    pub(crate) lane: usize,
    /// Row of this lane in the step before that this one continues; unused in the first step.
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

    /// Number of layers.
    pub(crate) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Entries of the target vocabulary.
    pub(crate) fn vocab(&self) -> usize {
        self.output.vocab
    }

    /// Everything that depends on the source alone, for encoded sentences in the lanes that `opened`
    /// names in their order: cross-attention keys and values of all layers from the encoder's
    /// output, augmentation terms from the semantic vectors.
    pub(crate) fn prepare(&self, encoding: &mut Encoding, opened: &[usize], lanes: &mut Lanes) {
        let d = self.d_model;
        let Encoding {
            batch,
            layer: buffers,
            source,
            semantic,
            ..
        } = encoding;
        let LayerBuffers {
            input,
            qkv,
            context,
            hidden,
            ..
        } = buffers;
        for (number, layer) in self.layers.iter().enumerate() {
            input.set(semantic, d, layer.augmentation_norm.before());
            let terms = &mut *context;
            terms.resize(opened.len() * d);
            terms.fill(0.0);
            layer.augmentation.add_to(input, terms, hidden);
            for (&lane, term) in opened.iter().zip(terms.chunks_exact(d)) {
                lanes.set_augmentation(lane, number, term);
            }
        }
        input.set(source, d, None);
        for (number, layer) in self.layers.iter().enumerate() {
            let keys_values = &mut *qkv;
            let stride = 2 * layer.cross_attention.shape.width();
            let linear = &layer.cross_attention.keys_values;
            linear.store(input, source.len() / d, keys_values);
            for (&lane, span) in opened.iter().zip(&batch.spans) {
                let rows = &keys_values[span.start * stride..(span.start + span.len) * stride];
                lanes.set_source(lane, number, layer.cross_attention.shape, rows);
            }
        }
    }

    /// One step of every lane that has rows; leaves the rows in the buffers for [`Self::logits`].
    pub(crate) fn step(
        &self,
        rows: &[Row],
        embedding: &Embedding,
        timing: &Timing,
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        for rows in rows.chunk_by(same_lane) {
            buffers.lanes.advance(rows[0].lane, rows);
        }
        let DecoderBuffers {
            layer: LayerBuffers { input, .. },
            x,
            lanes,
            ..
        } = &mut *buffers;
        let placed = rows.iter().map(|row| (lanes.position(row.lane), *row));
        self.embed(input.kernels, placed, embedding, timing, x);
        for (number, layer) in self.layers.iter().enumerate() {
            self.augment(layer, number, rows, buffers);
            self.attend_to_target(layer, number, rows, buffers);
            self.attend_to_source(layer, number, rows, buffers);
            let DecoderBuffers {
                layer:
                    LayerBuffers {
                        input,
                        hidden,
                        spare,
                        ..
                    },
                x,
                ..
            } = buffers;
            input.set(x, d, layer.feed_forward_norm.before());
            layer.feed_forward.add_to(input, x, hidden);
            layer.feed_forward_norm.after(input.kernels, x, spare);
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
            layer: LayerBuffers { input, .. },
            x,
            logits,
            ..
        } = buffers;
        let count = rows.len();
        input.set(&x[rows.start * d..rows.end * d], d, self.norm.before());
        self.output.logits(input, count, logits);
        logits
    }

    /// The largest logits of all rows of the last step.
    pub(crate) fn best(&self, tops: &mut [Top], buffers: &mut DecoderBuffers) {
        let DecoderBuffers {
            layer: LayerBuffers { input, .. },
            x,
            logits,
            ..
        } = buffers;
        let block = self.output.rows_at_a_time(tops.len()).max(1);
        let rows = x.chunks(block * self.d_model);
        for (rows, tops) in rows.zip(tops.chunks_mut(block)) {
            input.set(rows, self.d_model, self.norm.before());
            self.output.best(input, tops, logits);
        }
    }

    /// Takes what the output layer needs for a sentence's candidates out of its table.
    pub(crate) fn choose(&self, candidates: &mut Candidates) {
        self.output.choose(candidates);
    }

    /// The largest logits of some rows of the last step, which are of one sentence, among its
    /// candidates.
    pub(crate) fn best_of(
        &self,
        rows: Range<usize>,
        candidates: &mut Candidates,
        tops: &mut [Top],
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let DecoderBuffers {
            layer: LayerBuffers { input, .. },
            x,
            logits,
            ..
        } = buffers;
        let rows = &x[rows.start * d..rows.end * d];
        input.set(rows, d, self.norm.before());
        self.output.best_of(input, candidates, tops, logits);
    }

    /// `x = Emb[y] sqrt(H)` (+ timing) of rows with their positions, the zero vector for the first
    /// position.
    fn embed(
        &self,
        kernels: Kernels,
        rows: impl ExactSizeIterator<Item = (usize, Row)>,
        embedding: &Embedding,
        timing: &Timing,
        x: &mut Buffer<f32>,
    ) {
        let d = self.d_model;
        let factor = (d as f32).sqrt();
        x.resize(rows.len() * d);
        for ((position, row), x) in rows.zip(x.chunks_exact_mut(d)) {
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
            layer: LayerBuffers { input, spare, .. },
            x,
            lanes,
            ..
        } = buffers;
        for (row, x) in rows.iter().zip(x.chunks_exact_mut(d)) {
            for (value, term) in x.iter_mut().zip(lanes.augmentation(row.lane, number, d)) {
                *value += term;
            }
        }
        layer.augmentation_norm.after(input.kernels, x, spare);
    }

    fn attend_to_target(
        &self,
        layer: &DecoderLayer,
        number: usize,
        rows: &[Row],
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let DecoderBuffers {
            layer:
                LayerBuffers {
                    input,
                    qkv,
                    context,
                    spare,
                    scratch,
                    ..
                },
            x,
            lanes,
            ..
        } = buffers;
        let kernels = input.kernels;
        let attention = &layer.self_attention;
        let width = attention.shape.width();
        input.set(x, d, layer.self_norm.before());
        attention.qkv.store(input, rows.len(), qkv);
        context.resize(rows.len() * width);
        let mut outs = context.chunks_exact_mut(width);
        let mut queries = qkv.chunks_exact(3 * width);
        lanes.make_room(number, 2 * width);
        let mut groups = rows.chunk_by(same_lane).peekable();
        while let Some(rows) = groups.next() {
            if let Some(next) = groups.peek() {
                let past = lanes.past(next[0].lane, number, 2 * width);
                past.fetch(kernels, attention.shape);
            }
            let lane = rows[0].lane;
            let position = lanes.position(lane);
            for (row, (qkv, out)) in (0..rows.len()).zip(queries.by_ref().zip(outs.by_ref())) {
                let (query, keys_values) = qkv.split_at(width);
                let memory = lanes.remember(lane, row, number, keys_values);
                let query = Query {
                    rows: query,
                    stride: width,
                    first_position: position,
                };
                attention.attend(kernels, query, memory, scratch, out);
            }
        }
        input.set(context, width, None);
        attention.output.add_to(input, x);
        layer.self_norm.after(kernels, x, spare);
    }

    fn attend_to_source(
        &self,
        layer: &DecoderLayer,
        number: usize,
        rows: &[Row],
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let DecoderBuffers {
            layer:
                LayerBuffers {
                    input,
                    context,
                    spare,
                    scratch,
                    ..
                },
            x,
            query,
            lanes,
            ..
        } = buffers;
        let kernels = input.kernels;
        input.set(x, d, layer.cross_norm.before());
        let attention = &layer.cross_attention;
        attention.query.store(input, rows.len(), query);
        let width = attention.shape.width();
        context.resize(rows.len() * width);
        let mut first = 0;
        let source = |rows: &[Row]| lanes.source(rows[0].lane, number, attention.shape);
        let mut groups = rows.chunk_by(same_lane).peekable();
        while let Some(rows) = groups.next() {
            if let Some(next) = groups.peek() {
                source(next).fetch(kernels, attention.shape);
            }
            let numbers = first * width..(first + rows.len()) * width;
            let (query, out) = (&query[numbers.clone()], &mut context[numbers]);
            attention.attend(kernels, query, source(rows), scratch, out);
            first += rows.len();
        }
        input.set(context, width, None);
        attention.output.add_to(input, x);
        layer.cross_norm.after(kernels, x, spare);
    }
}

/// Rows of one lane stand together.
pub(crate) fn same_lane(a: &Row, b: &Row) -> bool {
    a.lane == b.lane
}
