//! The sentences of one call, packed without padding.

use std::ops::Range;

use crate::EOS;

/// The rows of one sentence in packed tensors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// First row.
    pub start: usize,
    /// Number of source positions: the words and the end-of-sentence position.
    pub len: usize,
}

impl Span {
    /// The rows.
    #[must_use]
    pub fn rows(self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// Source ids with the end-of-sentence position appended, and the mask of valid positions.
#[derive(Debug, Default)]
pub struct Batch {
    /// Ids of all positions, `[positions]`.
    pub ids: Vec<u32>,
    /// Which positions exist for attention, `[positions]`.
    pub mask: Vec<bool>,
    /// One span a sentence.
    pub spans: Vec<Span>,
    /// Some position is masked. Rare: only a literal end-of-sentence token inside a sentence does it.
    pub masked: bool,
}

impl Batch {
    /// Packs the sentences of one call.
    ///
    /// The mask of the original is `m_0 = 1`, `m_j = (s_{j-1} != 0)` over the ids `s` with the
    /// end-of-sentence 0 appended. Its quirk is kept: when *every* sentence of the call is empty,
    /// nothing is appended and the sources have no position at all.
    pub fn fill<S: AsRef<[u32]>>(&mut self, sentences: &[S]) {
        let all_empty = sentences.iter().all(|s| s.as_ref().is_empty());
        self.fill_some(sentences.iter().map(AsRef::as_ref), all_empty);
    }

    /// Packs some of the sentences of a call, of which all may be empty.
    pub(crate) fn fill_some<'a>(
        &mut self,
        sentences: impl Iterator<Item = &'a [u32]>,
        all_empty: bool,
    ) {
        self.ids.clear();
        self.mask.clear();
        self.spans.clear();
        for words in sentences {
            let start = self.ids.len();
            if !all_empty {
                self.ids.extend_from_slice(words);
                self.ids.push(EOS);
                self.mask.push(true);
                self.mask.extend(words.iter().map(|&id| id != EOS));
            }
            self.spans.push(Span {
                start,
                len: self.ids.len() - start,
            });
        }
        self.masked = self.mask.iter().any(|valid| !valid);
    }

    /// The mean of `rows: [positions, width]` over the valid positions of each of some sentences,
    /// `means: [sentences, width]`; `rows` begins with the first sentence, and a sentence without
    /// positions has the mean 0.
    pub(crate) fn means(&self, spans: &[Span], rows: &[f32], width: usize, means: &mut [f32]) {
        let first = spans.first().map_or(0, |span| span.start);
        for (span, mean) in spans.iter().zip(means.chunks_exact_mut(width)) {
            mean.fill(0.0);
            let mut count = 0;
            for row in span.rows().filter(|&row| self.mask[row]) {
                let row = &rows[(row - first) * width..][..width];
                for (sum, value) in mean.iter_mut().zip(row) {
                    *sum += value;
                }
                count += 1;
            }
            // A source without positions still has mask sum 1 in the original.
            for sum in mean {
                *sum /= count.max(1) as f32;
            }
        }
    }

    /// The mask of one sentence, when it has masked positions.
    pub(crate) fn mask_of(&self, span: Span) -> Option<&[bool]> {
        let mask = &self.mask[span.rows()];
        (self.masked && mask.iter().any(|valid| !valid)).then_some(mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(sentences: &[&[u32]]) -> Batch {
        let mut batch = Batch::default();
        batch.fill(sentences);
        batch
    }

    #[test]
    fn every_sentence_gets_its_end_position() {
        let b = batch(&[&[5, 6], &[], &[7]]);
        assert_eq!(b.ids, [5, 6, 0, 0, 7, 0]);
        assert!(!b.masked);
        assert_eq!(b.spans[1], Span { start: 3, len: 1 });
    }

    #[test]
    fn empty_sentences_alone_have_no_position() {
        let b = batch(&[&[], &[]]);
        assert!(b.ids.is_empty());
        assert_eq!(
            b.spans,
            [Span { start: 0, len: 0 }, Span { start: 0, len: 0 }]
        );
    }

    #[test]
    fn a_literal_end_token_masks_only_the_next_position() {
        let b = batch(&[&[5, 0, 6]]);
        assert_eq!(b.mask, [true, true, false, true]);
        assert!(b.masked);
    }
}
