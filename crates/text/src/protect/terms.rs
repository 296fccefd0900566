//! Terms that the reader prescribes: glossaries, and lists of what is not to be translated.

use std::collections::HashMap;
use std::fmt;

use super::at_word_start;
use crate::chinese::narrow;

/// Longest term in bytes.
const MAX_BYTES: usize = 512;

/// Why a list of terms is unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TermsError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: TermsProblem,
}

/// What is wrong with a line of a list of terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermsProblem {
    /// Not a term and its translation.
    #[error("{found} field(s), expected a term, a TAB and its translation")]
    Fields {
        /// How many fields there are.
        found: usize,
    },
    /// Nothing but white space on one side.
    #[error("a term or its translation is empty")]
    Empty,
    /// Too long to be a term.
    #[error("longer than {MAX_BYTES} bytes, expected a term")]
    TooLong,
}

/// What certain words are in the translation. Where terms overlap the longest one counts.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// By the term, in half-width letters.
    translations: HashMap<Box<str>, Box<str>>,
    /// Lengths in bytes of the terms that begin with a character, the longest first.
    lengths: HashMap<char, Vec<usize>>,
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terms")
            .field("len", &self.translations.len())
            .finish_non_exhaustive()
    }
}

impl Terms {
    /// Reads a glossary: a term, a TAB and its translation on each line. Blank lines are passed
    /// over; of a term that occurs twice the last translation counts.
    ///
    /// # Errors
    /// When a line is not a term and its translation.
    pub fn glossary(text: &str) -> Result<Self, TermsError> {
        let mut terms = Self::default();
        for (line, fields) in lines(text) {
            let error = |problem| TermsError { line, problem };
            let found = fields.split('\t').count();
            let (term, translation) = match fields.split_once('\t') {
                Some(pair) if found == 2 => pair,
                _ => return Err(error(TermsProblem::Fields { found })),
            };
            terms.insert(term, translation).map_err(error)?;
        }
        Ok(terms)
    }

    /// Reads a list of terms that stay as they are, one on each line. Blank lines are passed over.
    ///
    /// # Errors
    /// When a line is no term.
    pub fn keep_list(text: &str) -> Result<Self, TermsError> {
        let mut terms = Self::default();
        for (line, term) in lines(text) {
            let inserted = terms.insert(term, term);
            inserted.map_err(|problem| TermsError { line, problem })?;
        }
        Ok(terms)
    }

    /// Adds one term.
    ///
    /// # Errors
    /// When the term or its translation is empty or too long.
    pub fn insert(&mut self, term: &str, translation: &str) -> Result<(), TermsProblem> {
        let (term, translation) = (narrow(term.trim()), translation.trim());
        let Some(first) = term.chars().next().filter(|_| !translation.is_empty()) else {
            return Err(TermsProblem::Empty);
        };
        if term.len().max(translation.len()) > MAX_BYTES {
            return Err(TermsProblem::TooLong);
        }
        let lengths = self.lengths.entry(first).or_default();
        if let Err(place) = lengths.binary_search_by(|len| term.len().cmp(len)) {
            lengths.insert(place, term.len());
        }
        self.translations.insert(term.into(), translation.into());
        Ok(())
    }

    /// Adds all terms of another list, which count where both have one.
    pub fn extend(&mut self, other: &Self) {
        for (term, translation) in &other.translations {
            // They have been checked when they were added to the other list.
            let _ = self.insert(term, translation);
        }
    }

    /// There are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.translations.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.translations.len()
    }

    /// All terms with their translations, in the order of the terms.
    #[must_use]
    pub fn entries(&self) -> Vec<(&str, &str)> {
        let entries = self.translations.iter();
        let mut entries: Vec<(&str, &str)> = entries.map(|(a, b)| (&**a, &**b)).collect();
        entries.sort_unstable();
        entries
    }

    /// The longest term at a byte of a text: its length and its translation. A term in Latin
    /// letters is a whole word.
    pub(super) fn find(&self, text: &str, at: usize) -> Option<(usize, &str)> {
        let first = text[at..].chars().next()?;
        let lengths = self.lengths.get(&first)?;
        if first.is_ascii_alphanumeric() && !at_word_start(text, at) {
            return None;
        }
        lengths.iter().find_map(|&len| {
            let term = text.get(at..at + len)?;
            let translation = self.translations.get(term)?;
            let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            let cut = joins(term.chars().next_back()) && joins(text[at + len..].chars().next());
            (!cut).then_some((len, &**translation))
        })
    }
}

/// The lines that are not blank, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m6_the_longest_term_is_found() {
        let terms =
            Terms::glossary("\u{feff}机器\tmachine\r\n\n机器学习\tML\r\nＡＰＩ\tinterface\n");
        let terms = terms.unwrap();
        assert_eq!(terms.len(), 3);
        assert_eq!(terms.find("机器学习好", 0), Some(("机器学习".len(), "ML")));
        assert_eq!(terms.find("机器人", 0), Some(("机器".len(), "machine")));
        assert_eq!(terms.find("用API吧", 3), Some((3, "interface")));
        for (text, at) in [("APIs", 0), ("xAPI", 1), ("学习", 0), ("", 0)] {
            assert_eq!(terms.find(text, at), None, "{text}");
        }
    }

    #[test]
    fn b12_kept_terms_are_their_own_translation() {
        let mut terms = Terms::keep_list("微信\nC++\n").unwrap();
        assert_eq!(terms.find("用微信", 3), Some((6, "微信")));
        assert_eq!(terms.find("C++好", 0), Some((3, "C++")));
        terms.extend(&Terms::glossary("微信\tWeChat").unwrap());
        assert_eq!(terms.find("微信", 0), Some((6, "WeChat")));
        assert_eq!(terms.entries(), [("C++", "C++"), ("微信", "WeChat")]);
    }

    #[test]
    fn m6_a_wrong_line_is_named() {
        for (text, line, problem) in [
            ("甲\ta\n乙", 2, TermsProblem::Fields { found: 1 }),
            ("甲\ta\tb", 1, TermsProblem::Fields { found: 3 }),
            ("\n甲\t \n", 2, TermsProblem::Empty),
        ] {
            assert_eq!(Terms::glossary(text), Err(TermsError { line, problem }));
        }
        let long = "长".repeat(MAX_BYTES);
        let error = Terms::keep_list(&long).unwrap_err();
        assert_eq!(error.problem, TermsProblem::TooLong);
    }
}
