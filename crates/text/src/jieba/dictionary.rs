//! The dictionary: words with frequencies, used in place from a model file.
//!
//! Layout, little-endian, no alignment needed:
//!
//! | bytes | content |
//! | --- | --- |
//! | 4 | `CSZD` |
//! | 4 | version, 1 |
//! | 8 | total of the frequencies |
//! | 4 | characters in the alphabet |
//! | 4 | pages of the alphabet |
//! | 4 | trie nodes in all forests |
//! | 4 | bytes of all forests |
//! | pages · 40 | the alphabet |
//! | | label table, children table, frequency table |
//! | (forests + 1) · 4 | where each forest begins, relative to the first |
//! | | the forests, each a range-coded stream |
//!
//! A forest holds the tries of two consecutive characters and is decoded when one of them is first
//! looked up. A damaged forest counts as empty; [`Jieba::verify`](super::Jieba::verify) reports it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::alphabet::{self, Alphabet, Symbol};
use super::coder::{Contexts, Corrupt};
use super::forest::{
    CHILDREN, CHILDREN_CONTEXTS, FREQUENCY, FREQUENCY_CONTEXTS, Forest, Models, Node, Trees,
};
use super::labels::Labels;
use super::ln::ln;

#[cfg(not(target_arch = "wasm32"))]
pub use super::build::{BuildError, build};

pub(super) const MAGIC: [u8; 4] = *b"CSZD";
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER_BYTES: usize = 32;
pub(super) const ROOTS_PER_FOREST: usize = 2;
const SMALL_FREQUENCIES: usize = 64;
/// Symbols are u16.
pub(super) const MOST_CHARACTERS: u32 = 1 << 16;
/// A node takes 14 bytes once decoded: this bounds the memory a file can ask for (jieba's
/// dictionary has 498 113).
const MOST_NODES: u32 = 1 << 22;

/// Why bytes are not a usable segmentation dictionary.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DictionaryError {
    /// The bytes end early or go on behind the dictionary.
    #[error(
        "segmentation dictionary has {found} bytes, its header asks for {expected}: \
         the file is cut off or damaged, convert the model again"
    )]
    Size {
        /// Bytes the header asks for.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The bytes do not begin like a dictionary.
    #[error(
        "segmentation dictionary begins with {found:02x?}, expected \"CSZD\": \
         pass the output of the dictionary builder, not a word list"
    )]
    Magic {
        /// First four bytes.
        found: [u8; 4],
    },
    /// Made by another version of the builder.
    #[error(
        "segmentation dictionary has version {found}, expected {VERSION}: convert the model again"
    )]
    Version {
        /// Version in the header.
        found: u32,
    },
    /// A number of the header is out of its range.
    #[error("segmentation dictionary claims {value} {field}, expected 1 to {most}")]
    Range {
        /// Which number.
        field: &'static str,
        /// Its value.
        value: u64,
        /// Greatest allowed value.
        most: u64,
    },
    /// A page of the alphabet contradicts the others.
    #[error("page {page} of the segmentation dictionary's alphabet is damaged")]
    Alphabet {
        /// Index of the page record.
        page: usize,
    },
    /// The pages hold another number of characters than the header says.
    #[error(
        "the segmentation dictionary's alphabet has {found} characters, its header says {expected}"
    )]
    AlphabetSize {
        /// From the header.
        expected: u32,
        /// Counted.
        found: u32,
    },
    /// Words of some characters cannot be decoded.
    #[error("forest {forest} of the segmentation dictionary is damaged: convert the model again")]
    Forest {
        /// Index of the forest.
        forest: usize,
    },
}

/// Byte ranges of the sections.
#[derive(Debug)]
struct Layout {
    labels: usize,
    children: usize,
    frequency: usize,
    offsets: usize,
    forests: usize,
    end: usize,
}

/// Words, prefixes and their weights.
pub(super) struct Dictionary {
    data: Arc<dyn AsRef<[u8]> + Send + Sync>,
    layout: Layout,
    alphabet: Alphabet,
    characters: usize,
    ln_total: f64,
    /// ln of the small frequencies, which most words have.
    small_logarithms: [f64; SMALL_FREQUENCIES],
    /// Nodes that may still be decoded: a hostile file could name one stream many times.
    budget: AtomicU32,
    forests: Box<[OnceLock<Option<Box<Forest>>>]>,
}

impl std::fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let decoded = self
            .forests
            .iter()
            .filter(|forest| forest.get().is_some())
            .count();
        f.debug_struct("Dictionary")
            .field("characters", &self.characters)
            .field("decoded_forests", &decoded)
            .finish_non_exhaustive()
    }
}

impl Dictionary {
    /// Checks the header and the alphabet; decodes no words.
    pub(super) fn new(data: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, DictionaryError> {
        let bytes = (*data).as_ref();
        let found = bytes.len() as u64;
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(DictionaryError::Size {
                expected: HEADER_BYTES as u64,
                found,
            });
        };
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let magic = number(0).to_le_bytes();
        if magic != MAGIC {
            return Err(DictionaryError::Magic { found: magic });
        }
        if number(4) != VERSION {
            return Err(DictionaryError::Version { found: number(4) });
        }
        let total = u64::from(number(8)) | u64::from(number(12)) << 32;
        let [characters, pages, nodes, forest_bytes] = [16, 20, 24, 28].map(number);
        for (field, value, most) in [
            ("occurrences", total, 1 << 53),
            ("characters", characters.into(), MOST_CHARACTERS.into()),
            ("alphabet pages", pages.into(), 0x1100),
            ("trie nodes", nodes.into(), MOST_NODES.into()),
        ] {
            if value == 0 || value > most {
                return Err(DictionaryError::Range { field, value, most });
            }
        }
        let characters = characters as usize;
        let forests = characters.div_ceil(ROOTS_PER_FOREST);
        let labels = HEADER_BYTES + pages as usize * alphabet::PAGE_BYTES;
        let children = labels + Labels::bytes(characters);
        let frequency = children + Contexts::bytes(CHILDREN, CHILDREN_CONTEXTS);
        let offsets = frequency + Contexts::bytes(FREQUENCY, FREQUENCY_CONTEXTS);
        let first_forest = offsets + (forests + 1) * 4;
        let expected = first_forest as u64 + u64::from(forest_bytes);
        if expected != found {
            return Err(DictionaryError::Size { expected, found });
        }
        let layout = Layout {
            labels,
            children,
            frequency,
            offsets,
            forests: first_forest,
            end: bytes.len(),
        };
        let alphabet = Alphabet::new(&bytes[HEADER_BYTES..labels], characters as u32)?;
        Ok(Self {
            layout,
            alphabet,
            characters,
            ln_total: ln(total as f64),
            small_logarithms: std::array::from_fn(|frequency| ln((frequency as f64).max(1.0))),
            budget: AtomicU32::new(nodes),
            forests: (0..forests).map(|_| OnceLock::new()).collect(),
            data,
        })
    }

    /// ln of the total frequency.
    pub(super) fn ln_total(&self) -> f64 {
        self.ln_total
    }

    /// The number of a character, if any word has it.
    pub(super) fn symbol(&self, character: char) -> Option<Symbol> {
        self.alphabet.symbol(character)
    }

    /// The trie of the words that begin with `first`.
    pub(super) fn trie(&self, first: Symbol) -> Option<(&Forest, Node)> {
        let first = usize::from(first);
        let index = first / ROOTS_PER_FOREST;
        let forest = self.forests.get(index)?.get_or_init(|| {
            let trees = self.trees(index).ok()?;
            let weight = |frequency| self.ln(frequency) - self.ln_total;
            Some(Box::new(Forest::new(trees, weight)))
        });
        let forest = forest.as_deref()?;
        forest
            .root(first % ROOTS_PER_FOREST)
            .map(|root| (forest, root))
    }

    /// The weight of a word given as symbols (`None`: a character outside the alphabet).
    pub(super) fn weight(&self, mut word: impl Iterator<Item = Option<Symbol>>) -> Option<f64> {
        let (forest, mut node) = self.trie(word.next()??)?;
        for symbol in word {
            node = forest.child(node, symbol?)?;
        }
        forest.weight(node)
    }

    fn ln(&self, frequency: u32) -> f64 {
        let small = self.small_logarithms.get(frequency as usize);
        small.copied().unwrap_or_else(|| ln(f64::from(frequency)))
    }

    /// Decodes a forest, within the budget of nodes.
    fn trees(&self, index: usize) -> Result<Trees, Corrupt> {
        let limit = self.budget.load(Ordering::Relaxed) as usize;
        let trees = self.decode(index, limit)?;
        let nodes = trees.labels.len() as u32;
        self.budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(nodes)
            })
            .map_err(|_| Corrupt)?;
        Ok(trees)
    }

    fn decode(&self, index: usize, limit: usize) -> Result<Trees, Corrupt> {
        // `AsRef` may answer differently at each call: nothing is indexed unchecked.
        let bytes = (*self.data).as_ref();
        let Layout {
            labels,
            children,
            frequency,
            offsets,
            forests,
            end,
        } = self.layout;
        let table = |start: usize, end: usize| bytes.get(start..end).ok_or(Corrupt);
        let models = Models {
            labels: Labels::new(table(labels, children)?, self.characters).ok_or(Corrupt)?,
            children: Contexts {
                buckets: CHILDREN,
                table: table(children, frequency)?,
            },
            frequency: Contexts {
                buckets: FREQUENCY,
                table: table(frequency, offsets)?,
            },
        };
        let (starts, _) = table(offsets, forests)?.as_chunks();
        let start_of = |forest: usize| {
            starts
                .get(forest)
                .map(|&le| u32::from_le_bytes(le) as usize)
                .ok_or(Corrupt)
        };
        let stream = table(forests, end)?.get(start_of(index)?..start_of(index + 1)?);
        let roots = ROOTS_PER_FOREST.min(self.characters - index * ROOTS_PER_FOREST);
        Trees::decode(stream.ok_or(Corrupt)?, roots, models, limit)
    }

    /// All words with their frequencies, in the order of their characters. Fails on the first
    /// damaged forest.
    pub(super) fn entries(&self) -> Result<Vec<(String, u32)>, DictionaryError> {
        let characters = self.alphabet.characters();
        let mut entries = Vec::new();
        for forest in 0..self.forests.len() {
            let damaged = DictionaryError::Forest { forest };
            let Ok(trees) = self.decode(forest, MOST_NODES as usize) else {
                return Err(damaged);
            };
            let roots = characters
                .chunks(ROOTS_PER_FOREST)
                .nth(forest)
                .unwrap_or_default();
            for (root, first) in roots.iter().enumerate() {
                for (labels, frequency) in trees.words(root) {
                    let rest = labels
                        .iter()
                        .filter_map(|&label| characters.get(usize::from(label)));
                    entries.push((std::iter::once(first).chain(rest).collect(), frequency));
                }
            }
        }
        entries.sort();
        Ok(entries)
    }
}

#[cfg(test)]
#[path = "dictionary_tests.rs"]
pub(super) mod tests;
