//! The sentences that are being decoded, each in a lane of its own.
//!
//! A sentence takes a lane when it is encoded and leaves it when its search ends; the next one that
//! waits takes its place. Lanes are at positions of their own.

use csanmt_kernels::{Buffer, Rows};

use crate::attention::{HeadShape, Memory};
use crate::batch::Span;
use crate::decoder::Row;
use crate::history::{History, Paths};

/// What the decoder keeps of the sentences in it.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
    free: Vec<usize>,
    history: History,
    /// Self-attention keys and values, per layer, one row `[k | v]` a slot.
    cache: Vec<Buffer<f32>>,
    /// Cross-attention keys and values, per layer, of every lane `[2, heads, positions, size]`: a
    /// head's keys are read one behind the other.
    cross: Vec<Buffer<f32>>,
    places: Places,
    /// Augmentation terms, per layer, `[lanes, d_model]`.
    augmentation: Vec<Buffer<f32>>,
}

#[derive(Debug, Default)]
struct Lane {
    /// Its source positions in the cross-attention memory.
    span: Span,
    /// Which of them exist; empty when all do.
    mask: Vec<bool>,
    paths: Paths,
}

impl Lanes {
    /// Forgets all sentences, keeps the memory.
    pub(crate) fn clear(&mut self, layers: usize) {
        for buffers in [&mut self.cache, &mut self.cross, &mut self.augmentation] {
            buffers.resize_with(layers, Buffer::default);
        }
        for lane in &mut self.lanes {
            lane.paths.release(&mut self.history);
        }
        self.history.clear();
        self.places.clear();
        self.free.clear();
        self.free.extend((0..self.lanes.len()).rev());
    }

    /// Takes a lane for a sentence of `positions` source positions.
    pub(crate) fn open(&mut self, positions: usize, mask: Option<&[bool]>) -> usize {
        let number = self.free.pop().unwrap_or_else(|| {
            self.lanes.push(Lane::default());
            self.lanes.len() - 1
        });
        let lane = &mut self.lanes[number];
        lane.span = self.places.take(positions);
        lane.mask.clear();
        lane.mask.extend_from_slice(mask.unwrap_or_default());
        number
    }

    /// Ends the sentence of a lane.
    pub(crate) fn close(&mut self, number: usize) {
        let lane = &mut self.lanes[number];
        lane.paths.release(&mut self.history);
        self.places.give_back(lane.span);
        self.free.push(number);
    }

    /// Keeps the cross-attention keys and values of a layer, `rows: [positions, 2, heads, size]`.
    pub(crate) fn set_source(
        &mut self,
        number: usize,
        layer: usize,
        shape: HeadShape,
        rows: &[f32],
    ) {
        let Span { start, len } = self.lanes[number].span;
        let HeadShape { heads, size } = shape;
        let stride = 2 * heads * size;
        let cross = &mut self.cross[layer];
        if cross.len() < (start + len) * stride {
            cross.resize((start + len) * stride);
        }
        let cross = &mut cross[start * stride..(start + len) * stride];
        for (position, row) in rows.chunks_exact(stride).enumerate() {
            for (head, part) in row.chunks_exact(size).enumerate() {
                cross[(head * len + position) * size..][..size].copy_from_slice(part);
            }
        }
    }

    /// The cross-attention keys and values of a layer.
    pub(crate) fn source(&self, number: usize, layer: usize, shape: HeadShape) -> Memory<'_> {
        let lane = &self.lanes[number];
        let Span { start, len } = lane.span;
        let HeadShape { heads, size } = shape;
        let half = len * heads * size;
        let (keys, values) =
            self.cross[layer][2 * start * heads * size..][..2 * half].split_at(half);
        Memory {
            keys,
            values,
            stride: size,
            head_stride: Some(len * size),
            rows: Rows::Range { start: 0, len },
            valid: (!lane.mask.is_empty()).then_some(&lane.mask),
        }
    }

    /// Keeps the augmentation term of a layer, `[d_model]`.
    pub(crate) fn set_augmentation(&mut self, number: usize, layer: usize, term: &[f32]) {
        let terms = &mut self.augmentation[layer];
        let range = number * term.len()..(number + 1) * term.len();
        if terms.len() < range.end {
            terms.resize(range.end);
        }
        terms[range].copy_from_slice(term);
    }

    /// The augmentation term of a layer.
    pub(crate) fn augmentation(&self, number: usize, layer: usize, d_model: usize) -> &[f32] {
        &self.augmentation[layer][number * d_model..(number + 1) * d_model]
    }

    /// Begins a step with the rows of one lane.
    pub(crate) fn advance(&mut self, number: usize, rows: &[Row]) {
        self.lanes[number].paths.advance(rows, &mut self.history);
    }

    /// The position of the rows of a lane in this step.
    pub(crate) fn position(&self, number: usize) -> usize {
        self.lanes[number].paths.steps() - 1
    }

    /// Gives every slot `stride` numbers in the cache of a layer, once the lanes have advanced.
    pub(crate) fn make_room(&mut self, layer: usize, stride: usize) {
        let cache = &mut self.cache[layer];
        if cache.len() < self.history.slots() * stride {
            cache.resize(self.history.slots() * stride);
        }
    }

    /// Keeps self-attention keys and values `[k | v]` of a layer, where there is room, and gives
    /// those of the row and all before it. `row` counts within the lane.
    pub(crate) fn remember(
        &mut self,
        number: usize,
        row: usize,
        layer: usize,
        keys_values: &[f32],
    ) -> Memory<'_> {
        let stride = keys_values.len();
        let paths = &self.lanes[number].paths;
        let start = paths.slot(row) as usize * stride;
        self.cache[layer][start..start + stride].copy_from_slice(keys_values);
        self.target(layer, stride, paths.path(row))
    }

    /// What the rows of a lane will attend to, without what is still to be remembered.
    pub(crate) fn past(&self, number: usize, layer: usize, stride: usize) -> Memory<'_> {
        self.target(layer, stride, self.lanes[number].paths.past())
    }

    /// Some slots of a layer's cache, `stride` numbers each.
    fn target<'a>(&'a self, layer: usize, stride: usize, slots: &'a [u32]) -> Memory<'a> {
        let cache = &self.cache[layer];
        Memory {
            keys: cache,
            values: &cache[stride / 2..],
            stride,
            head_stride: None,
            rows: Rows::List(slots),
            valid: None,
        }
    }

    pub(crate) fn paths(&self, number: usize) -> &Paths {
        &self.lanes[number].paths
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }
}

/// Rows of a buffer that are handed out in runs.
#[derive(Debug, Default)]
struct Places {
    /// The runs that are taken, first row first.
    taken: Vec<Span>,
}

impl Places {
    fn clear(&mut self) {
        self.taken.clear();
    }

    /// The first gap of that many rows.
    fn take(&mut self, len: usize) -> Span {
        let (mut start, mut at) = (0, 0);
        for span in &self.taken {
            if span.start - start >= len {
                break;
            }
            start = span.start + span.len;
            at += 1;
        }
        let span = Span { start, len };
        self.taken.insert(at, span);
        span
    }

    fn give_back(&mut self, span: Span) {
        if let Some(at) = self.taken.iter().position(|taken| *taken == span) {
            self.taken.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_again() {
        let mut places = Places::default();
        let starts: Vec<usize> = [4, 6, 2].map(|len| places.take(len).start).to_vec();
        assert_eq!(starts, [0, 4, 10]);
        places.give_back(Span { start: 4, len: 6 });
        assert_eq!(places.take(7).start, 12);
        assert_eq!(places.take(3).start, 4);
        assert_eq!(places.take(3).start, 7);
        // A sentence without positions takes no place and gives none back twice.
        let empty = places.take(0);
        places.give_back(empty);
        assert_eq!(places.take(1).start, 19);
    }
}
