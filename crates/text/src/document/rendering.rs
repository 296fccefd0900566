//! A document with its sentences replaced one after the other, so that what is done is never put
//! together again.

use std::ops::Range;

use super::{Document, SegmentKind, is_line_break};

/// The translation of the beginning of a document. All calls must get the same document.
#[derive(Debug, Clone, Default)]
pub struct Rendering {
    text: String,
    /// The next segment of the document.
    next: usize,
    /// A sentence has left text on the present line.
    needs_joiner: bool,
    /// The last sentence is as it was.
    copied: bool,
    /// The white space behind it.
    space: Range<usize>,
}

impl Rendering {
    /// The beginning: everything before the first sentence.
    #[must_use]
    pub fn new(document: &Document) -> Self {
        let mut rendering = Self::default();
        rendering.push_gaps(document);
        rendering
    }

    /// The text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }

    /// Adds the next sentence and what is copied behind it, and says where the sentence stands.
    /// `joiner` is what stands between two sentences of a line; between two that are not changed it is
    /// what the source has there. After the last sentence nothing is added.
    pub fn push(&mut self, document: &Document, translation: &str, joiner: &str) -> Range<usize> {
        let Some(segment) = document.segments.get(self.next) else {
            return self.text.len()..self.text.len();
        };
        let copied = translation == &document.text[segment.range.clone()];
        if self.needs_joiner && !translation.is_empty() {
            let space = std::mem::take(&mut self.space);
            self.text.push_str(if self.copied && copied {
                &document.text[space]
            } else {
                joiner
            });
        }
        (self.copied, self.space) = (copied, 0..0);
        let start = self.text.len();
        push_on_one_line(&mut self.text, translation);
        let range = start..self.text.len();
        self.needs_joiner |= !translation.is_empty();
        self.next += 1;
        self.push_gaps(document);
        range
    }

    /// Goes on to the next sentence.
    fn push_gaps(&mut self, document: &Document) {
        for segment in &document.segments[self.next..] {
            match segment.kind {
                SegmentKind::Sentence => break,
                SegmentKind::Space => self.space = segment.range.clone(),
                SegmentKind::Gap => {
                    self.text.push_str(&document.text[segment.range.clone()]);
                    self.needs_joiner = false;
                }
            }
            self.next += 1;
        }
    }
}

/// A translation is one line whatever the model wrote.
fn push_on_one_line(out: &mut String, translation: &str) {
    if translation.contains(is_line_break) {
        out.extend(
            translation
                .chars()
                .map(|c| if is_line_break(c) { ' ' } else { c }),
        );
    } else {
        out.push_str(translation);
    }
}
