//! What the encoder needs of a word segmenter.

/// Finds the words of text that is written without spaces.
pub trait WordSegmenter: Send + Sync {
    /// The words of `text` in order; joined, they are `text` again.
    fn cut<'t>(&self, text: &'t str) -> Vec<&'t str>;
}

impl WordSegmenter for crate::jieba::Jieba {
    fn cut<'t>(&self, text: &'t str) -> Vec<&'t str> {
        Self::cut(self, text)
    }
}
