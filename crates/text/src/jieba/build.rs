//! From a word list to the compact dictionary.

use std::collections::{BTreeMap, BTreeSet};

use super::alphabet::{self, Symbol};
use super::coder::encode::{ContextsBuilder, RangeEncoder};
use super::dictionary::{HEADER_BYTES, MAGIC, MOST_CHARACTERS, ROOTS_PER_FOREST, VERSION};
use super::forest::{
    CHILDREN, CHILDREN_CONTEXTS, FREQUENCY, FREQUENCY_CONTEXTS, Trees, children_context,
    frequency_context,
};
use super::labels::{self, Labels};

/// Why a word list does not become a dictionary.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// A line is not `word frequency [tag]`.
    #[error("line {line} of the word list is {content:?}, expected `word frequency [tag]`")]
    Line {
        /// Line number from 1.
        line: usize,
        /// The line.
        content: String,
    },
    /// No words, or too many characters or bytes for the format.
    #[error("the word list has {found} {what}, expected 1 to {most}")]
    Extent {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many there may be.
        most: u64,
    },
}

/// Packs a word list in jieba's form: a line `word frequency [tag]` per word. As in jieba the last
/// of several lines for one word counts, while the total takes all of them.
pub fn build(word_list: &str) -> Result<Vec<u8>, BuildError> {
    let mut words = BTreeMap::new();
    let mut total = 0u64;
    for (index, line) in word_list.lines().enumerate() {
        let mut fields = line.trim().split(' ');
        let word = fields.next().filter(|word| !word.is_empty());
        let frequency = fields.next().and_then(|field| field.parse::<u32>().ok());
        let (Some(word), Some(frequency)) = (word, frequency) else {
            return Err(BuildError::Line {
                line: index + 1,
                content: line.to_owned(),
            });
        };
        total += u64::from(frequency);
        words.insert(word.to_owned(), frequency);
    }
    pack(&words, total)
}

#[derive(Default)]
struct TrieNode {
    children: BTreeMap<Symbol, Self>,
    frequency: u32,
}

/// Packs words whose frequencies are to be taken relative to `total`.
pub(super) fn pack(words: &BTreeMap<String, u32>, total: u64) -> Result<Vec<u8>, BuildError> {
    let extent = |what, found: usize, most: u64| {
        let found = found as u64;
        if found == 0 || found > most {
            Err(BuildError::Extent { what, found, most })
        } else {
            Ok(())
        }
    };
    let characters: BTreeSet<char> = words.keys().flat_map(|word| word.chars()).collect();
    let characters: Vec<char> = characters.into_iter().collect();
    extent("characters", characters.len(), MOST_CHARACTERS.into())?;
    extent("occurrences", total as usize, 1 << 53)?;
    let symbol_of: BTreeMap<char, Symbol> = characters
        .iter()
        .enumerate()
        .map(|(index, &c)| (c, index as Symbol))
        .collect();

    let mut roots: Vec<TrieNode> = characters.iter().map(|_| TrieNode::default()).collect();
    for (word, &frequency) in words {
        let mut symbols = word.chars().filter_map(|c| symbol_of.get(&c).copied());
        let Some(first) = symbols.next() else {
            continue;
        };
        let mut node = &mut roots[usize::from(first)];
        for symbol in symbols {
            node = node.children.entry(symbol).or_default();
        }
        node.frequency = frequency;
    }
    let forests: Vec<Trees> = roots.chunks(ROOTS_PER_FOREST).map(breadth_first).collect();
    let nodes: usize = forests.iter().map(|trees| trees.labels.len()).sum();
    extent("trie nodes", nodes, u32::MAX.into())?;

    let mut label_counts = vec![0u64; characters.len()];
    let mut children = ContextsBuilder::new(CHILDREN, CHILDREN_CONTEXTS);
    let mut frequency = ContextsBuilder::new(FREQUENCY, FREQUENCY_CONTEXTS);
    for trees in &forests {
        let roots = trees.first_child[0] as usize;
        trees.labels[roots..]
            .iter()
            .for_each(|&label| label_counts[usize::from(label)] += 1);
        for (node, depth) in depths(trees).into_iter().enumerate() {
            let count = trees.first_child[node + 1] - trees.first_child[node];
            children.count(children_context(depth), count);
            frequency.count(frequency_context(depth, count), trees.frequency[node]);
        }
    }
    let label_table = labels::encode::table(&label_counts);
    let tables = [label_table.clone(), children.table(), frequency.table()].concat();
    let labels = Labels::new(&label_table, characters.len());

    let mut offsets = vec![0u8; 4];
    let mut streams = Vec::new();
    for trees in &forests {
        let mut encoder = RangeEncoder::new();
        for (node, depth) in depths(trees).into_iter().enumerate() {
            let (start, end) = (trees.first_child[node], trees.first_child[node + 1]);
            children.encode(children_context(depth), end - start, &mut encoder);
            let context = frequency_context(depth, end - start);
            frequency.encode(context, trees.frequency[node], &mut encoder);
            if let Some(labels) = labels {
                let children = &trees.labels[start as usize..end as usize];
                // The table was made from these very labels: they have a weight.
                let _ = labels.encode(children, &mut encoder);
            }
        }
        streams.extend(encoder.finish());
        extent("bytes", streams.len() + 1, u32::MAX.into())?;
        offsets.extend_from_slice(&(streams.len() as u32).to_le_bytes());
    }
    let alphabet = alphabet::encode(&characters);

    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&total.to_le_bytes());
    let pages = alphabet.len() / alphabet::PAGE_BYTES;
    for number in [characters.len(), pages, nodes, streams.len()] {
        bytes.extend_from_slice(&(number as u32).to_le_bytes());
    }
    debug_assert_eq!(bytes.len(), HEADER_BYTES);
    for section in [&alphabet, &tables, &offsets, &streams] {
        bytes.extend_from_slice(section);
    }
    Ok(bytes)
}

/// Numbers the nodes of the trees breadth first.
fn breadth_first(roots: &[TrieNode]) -> Trees {
    let mut trees = Trees::default();
    let mut queue: Vec<&TrieNode> = roots.iter().collect();
    trees.labels.resize(roots.len(), 0);
    trees.first_child.push(roots.len() as u32);
    let mut node = 0;
    while let Some(&next) = queue.get(node) {
        for (&label, child) in &next.children {
            trees.labels.push(label);
            queue.push(child);
        }
        trees.first_child.push(trees.labels.len() as u32);
        trees.frequency.push(next.frequency);
        node += 1;
    }
    trees
}

/// The depth of each node, 0 for the roots.
fn depths(trees: &Trees) -> Vec<usize> {
    let mut depths = vec![0; trees.labels.len()];
    for node in 0..depths.len() {
        for child in trees.first_child[node] as usize..trees.first_child[node + 1] as usize {
            depths[child] = depths[node] + 1;
        }
    }
    depths
}
