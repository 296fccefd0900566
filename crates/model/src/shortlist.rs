//! Which target tokens may be in a translation, given its source: a translation of ten words needs a
//! few hundred of the thousands of tokens that the output layer would otherwise compute at every step.
//!
//! A sentence's candidates depend on the sentence alone, so that it is translated as it would be by
//! itself whatever else is in the batch.

use csanmt_kernels::{PackedWeights, Selection};

use crate::EOS;

/// The candidates of every source token, and those of every sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shortlist {
    /// Candidates of every sentence.
    common: Vec<u32>,
    /// Candidates of source tokens, one token behind the other.
    tokens: Vec<u32>,
    /// End of each source token's in `tokens`.
    ends: Vec<usize>,
    /// Size of the target vocabulary.
    target: usize,
}

/// Why a text is no shortlist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShortlistError {
    /// Not a line for each source token and one before them.
    #[error("{found} lines, expected {expected}: one for all sentences, one for each source token")]
    Lines {
        /// Lines there are.
        found: usize,
        /// Lines there should be.
        expected: usize,
    },
    /// Something that is no id of the target vocabulary.
    #[error(
        "line {line}: {found:?}, expected target ids below {vocabulary} with single spaces between"
    )]
    Token {
        /// Number of the line, from 1.
        line: usize,
        /// What is there.
        found: String,
        /// Size of the target vocabulary.
        vocabulary: usize,
    },
}

/// Most characters of the input in a message.
const QUOTED: usize = 20;

impl Shortlist {
    /// Reads a line of ids for all sentences and one for each of `source` source tokens; ids are below
    /// `target`.
    ///
    /// # Errors
    /// When there are other lines, or other words in them.
    pub fn parse(text: &[u8], source: usize, target: usize) -> Result<Self, ShortlistError> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let mut list = Self {
            target,
            ..Self::default()
        };
        let mut lines = 0;
        for (line, words) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            lines = line;
            let words = words.split(|&byte| byte == b' ').filter(|w| !w.is_empty());
            for word in words {
                let id = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
                let Some(id) = id.filter(|&id: &u32| (id as usize) < target) else {
                    let found = String::from_utf8_lossy(&word[..word.len().min(QUOTED)]);
                    return Err(ShortlistError::Token {
                        line,
                        found: found.into_owned(),
                        vocabulary: target,
                    });
                };
                if line == 1 {
                    list.common.push(id);
                } else {
                    list.tokens.push(id);
                }
            }
            if line > 1 {
                list.ends.push(list.tokens.len());
            }
        }
        if list.ends.len() == source {
            Ok(list)
        } else {
            Err(ShortlistError::Lines {
                found: lines,
                expected: source + 1,
            })
        }
    }

    /// Whether it is for vocabularies of these sizes.
    pub(crate) fn fits(&self, source: usize, target: usize) -> bool {
        (self.ends.len(), self.target) == (source, target)
    }

    /// The candidates of one source token besides the common ones.
    fn of(&self, token: u32) -> &[u32] {
        let token = token as usize;
        let start = token.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.tokens[start..self.ends[token]]
    }
}

/// The output layer of one sentence: only its candidates.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// Ascending, so that equal logits stand in the order of the whole vocabulary.
    tokens: Vec<u32>,
    weights: Selection,
    /// Logits of a row, where the table is not packed.
    row: Vec<f32>,
}

impl Candidates {
    /// Lists the candidates of a sentence; `given` are such whatever the source.
    pub(crate) fn list<'g>(
        &mut self,
        shortlist: &Shortlist,
        source: &[u32],
        given: impl Iterator<Item = &'g u32>,
    ) {
        self.tokens.clear();
        self.tokens.push(EOS);
        self.tokens.extend_from_slice(&shortlist.common);
        self.tokens.extend(given);
        for &token in source {
            self.tokens.extend_from_slice(shortlist.of(token));
        }
        self.tokens.sort_unstable();
        self.tokens.dedup();
    }

    /// The candidates.
    pub(crate) fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Takes their weights out of the packed table.
    pub(crate) fn choose(&mut self, table: PackedWeights<'_>) {
        self.weights.choose(table, &self.tokens);
    }

    /// Their weights, `[candidates, d_model]`.
    pub(crate) fn weights(&self) -> PackedWeights<'_> {
        self.weights.weights()
    }

    /// Their logits, out of those of the whole vocabulary.
    pub(crate) fn logits(&mut self, all: &[f32]) -> &[f32] {
        self.row.clear();
        let logits = self.tokens.iter().map(|&token| all[token as usize]);
        self.row.extend(logits);
        &self.row
    }

    /// Where a token stands among the candidates.
    pub(crate) fn place(&self, token: u32) -> Option<u32> {
        let place = self.tokens.binary_search(&token).ok()?;
        u32::try_from(place).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_those_of_the_words_and_the_common_ones() {
        let list = Shortlist::parse(b"7 3\n\n9 2\n3 11\n", 3, 12).unwrap();
        let mut candidates = Candidates::default();
        candidates.list(&list, &[2, 1, 2], [5].iter());
        assert_eq!(candidates.tokens(), [0, 2, 3, 5, 7, 9, 11]);
        assert_eq!(candidates.place(9), Some(5));
        assert_eq!(candidates.place(4), None);
        candidates.list(&list, &[], [].iter());
        assert_eq!(candidates.tokens(), [0, 3, 7]);
    }

    #[test]
    fn other_lines_and_words_are_refused() {
        let lines = |found| ShortlistError::Lines { found, expected: 3 };
        assert_eq!(Shortlist::parse(b"1\n2\n", 2, 9), Err(lines(2)));
        assert_eq!(Shortlist::parse(b"1\n2\n3\n4", 2, 9), Err(lines(4)));
        for word in ["9", "-1", "x", "1,2", "99999999999999999999999"] {
            let text = format!("1\n2\n3 {word}");
            let Err(ShortlistError::Token { line: 3, .. }) =
                Shortlist::parse(text.as_bytes(), 2, 9)
            else {
                panic!("{word} was taken for an id");
            };
        }
        assert!(Shortlist::parse(b"1\n\xff\n3", 2, 9).is_err());
    }
}
