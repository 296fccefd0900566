//! One pass over whole translations: all positions at once, for what cross-attention looks at.

use csanmt_kernels::Rows;

use super::{Decoder, Row};
use crate::attention::{Memory, Query};
use crate::embedding::Embedding;
use crate::position::Timing;
use crate::workspace::{DecoderBuffers, LayerBuffers};

/// What one position of a translation looks at in one layer.
#[derive(Debug, Clone, Copy)]
pub struct Attended<'a> {
    /// Decoder layer.
    pub layer: usize,
    /// Sentence of the call.
    pub sentence: usize,
    /// Position in the translation: 0 has seen nothing, position t the first t tokens.
    pub position: usize,
    /// Softmax weights `[heads, source positions]`; the last source position is the end of sentence.
    pub weights: &'a [f32],
}

impl Decoder {
    /// Runs layers up to `last_layer` over `targets`, target i in lane i, after
    /// [`Self::prepare`]. The numbers are those of a search that chose these tokens.
    pub(crate) fn force_all<T: AsRef<[u32]>>(
        &self,
        targets: &[T],
        last_layer: usize,
        embedding: &Embedding,
        timing: &Timing,
        buffers: &mut DecoderBuffers,
        observe: &mut dyn FnMut(Attended<'_>),
    ) {
        let d = self.d_model;
        let mut rows: Vec<(usize, Row)> = Vec::new();
        for (lane, target) in targets.iter().enumerate() {
            let tokens = std::iter::once(None).chain(target.as_ref().iter().map(|&id| Some(id)));
            let row = |token| Row {
                lane,
                parent: 0,
                token,
            };
            rows.extend(tokens.map(row).enumerate());
        }
        let DecoderBuffers {
            layer: LayerBuffers { input, .. },
            x,
            ..
        } = &mut *buffers;
        self.embed(input.kernels, rows.iter().copied(), embedding, timing, x);
        let plain: Vec<Row> = rows.iter().map(|(_, row)| *row).collect();
        for (number, layer) in self.layers.iter().enumerate().take(last_layer + 1) {
            self.augment(layer, number, &plain, buffers);
            self.attend_to_earlier(number, &rows, buffers);
            self.attend_to_source(layer, number, &plain, buffers);
            self.report(number, &rows, buffers, observe);
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
            if number < last_layer {
                input.set(x, d, layer.feed_forward_norm.before());
                layer.feed_forward.add_to(input, x, hidden);
                layer.feed_forward_norm.after(input.kernels, x, spare);
            }
        }
    }

    /// Self-attention of every position to itself and those before it.
    fn attend_to_earlier(
        &self,
        number: usize,
        rows: &[(usize, Row)],
        buffers: &mut DecoderBuffers,
    ) {
        let d = self.d_model;
        let layer = &self.layers[number];
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
            ..
        } = buffers;
        let kernels = input.kernels;
        input.set(x, d, layer.self_norm.before());
        layer.self_attention.qkv.store(input, rows.len(), qkv);
        let width = layer.self_attention.shape.width();
        context.resize(rows.len() * width);
        let outs = context.chunks_exact_mut(width);
        for (i, ((position, _), out)) in rows.iter().zip(outs).enumerate() {
            let memory = Memory {
                keys: &qkv[width..],
                values: &qkv[2 * width..],
                stride: 3 * width,
                head_stride: None,
                rows: Rows::Range {
                    start: i - position,
                    len: position + 1,
                },
                valid: None,
            };
            let query = Query {
                rows: &qkv[i * 3 * width..i * 3 * width + width],
                stride: width,
                first_position: *position,
            };
            layer
                .self_attention
                .attend(kernels, query, memory, scratch, out);
        }
        input.set(context, width, None);
        layer.self_attention.output.add_to(input, x);
        layer.self_norm.after(kernels, x, spare);
    }

    /// Hands out the weights of every row; its query is still there.
    fn report(
        &self,
        number: usize,
        rows: &[(usize, Row)],
        buffers: &mut DecoderBuffers,
        observe: &mut dyn FnMut(Attended<'_>),
    ) {
        let cross = &self.layers[number].cross_attention;
        let width = cross.shape.width();
        let DecoderBuffers {
            layer:
                LayerBuffers {
                    input,
                    context,
                    scratch,
                    ..
                },
            query,
            lanes,
            ..
        } = buffers;
        for (i, (position, row)) in rows.iter().enumerate() {
            let memory = lanes.source(row.lane, number, cross.shape);
            // The kernel leaves the weights of the last row it was given.
            cross.attend(
                input.kernels,
                &query[i * width..(i + 1) * width],
                memory,
                scratch,
                &mut context[i * width..(i + 1) * width],
            );
            observe(Attended {
                layer: number,
                sentence: row.lane,
                position: *position,
                weights: scratch.weights(),
            });
        }
    }
}
