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

/// The hypotheses of ended searches, token behind token: keeping one allocates nothing once there
/// have been as many.
#[derive(Debug, Default)]
pub(crate) struct Found {
    tokens: Vec<u32>,
    /// Best first within a sentence.
    hypotheses: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    sentence: usize,
    /// Where its tokens end.
    end: usize,
    score: f32,
    finished: bool,
}

impl Found {
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.hypotheses.clear();
    }

    /// Adds a hypothesis, whose tokens `write` appends.
    pub(crate) fn add(
        &mut self,
        sentence: usize,
        score: f32,
        finished: bool,
        write: impl FnOnce(&mut Vec<u32>),
    ) {
        write(&mut self.tokens);
        self.hypotheses.push(Entry {
            sentence,
            end: self.tokens.len(),
            score,
            finished,
        });
    }

    /// The hypotheses of each of so many sentences.
    pub(crate) fn results(&self, sentences: usize) -> Vec<SearchResult> {
        let mut results = vec![SearchResult::default(); sentences];
        let mut start = 0;
        for entry in &self.hypotheses {
            results[entry.sentence].hypotheses.push(Hypothesis {
                ids: self.tokens[start..entry.end].to_vec(),
                score: entry.score,
                finished: entry.finished,
            });
            start = entry.end;
        }
        results
    }
}
