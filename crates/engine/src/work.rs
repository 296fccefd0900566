//! What it took to translate a sentence.

use std::ops::AddAssign;

use crate::Guard;

/// What it took to translate a sentence: the tokens of the source that were searched for, once and
/// again, and what was found wrong on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// Source tokens of the first search.
    pub tokens: usize,
    /// Source tokens of all further searches.
    pub repeated_tokens: usize,
    /// Searches after the first.
    pub repeated_searches: usize,
    /// What was wrong with the most probable hypotheses.
    pub faults: Vec<Fault>,
}

/// Something wrong with a hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fault {
    /// What noticed it.
    pub guard: Guard,
    /// What was done.
    pub mended: Mended,
}

/// How a fault was mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Mended {
    /// Another hypothesis of the same search is sound.
    Sibling,
    /// A few words were put right.
    Correction,
    /// A search with signs in place of what was lost.
    Search,
    /// The text was translated in parts.
    Parts,
    /// Not at all.
    Not,
}

impl AddAssign<&Self> for Work {
    fn add_assign(&mut self, other: &Self) {
        self.tokens += other.tokens;
        self.repeated_tokens += other.repeated_tokens;
        self.repeated_searches += other.repeated_searches;
        self.faults.extend_from_slice(&other.faults);
    }
}
