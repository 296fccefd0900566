//! What a search finds.

/// A candidate translation of one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// Target ids without the end-of-sentence token.
    pub ids: Vec<u32>,
    /// Log-probability divided by the length penalty `((5 + length) / 6)^alpha`; the length counts
    /// the end-of-sentence token.
    pub score: f32,
    /// The end-of-sentence token was chosen; otherwise the search ran into its length limit.
    pub finished: bool,
}

/// The hypotheses of one sentence, best first; never empty for a model with finite weights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchResult {
    /// Best first, at most the beam width.
    pub hypotheses: Vec<Hypothesis>,
}
