//! The prefix trees of a few consecutive first characters: coding and lookup.
//!
//! Nodes are numbered breadth first, roots first, hence the children of a node are consecutive and
//! follow those of its predecessor. Per node the code holds: the number of children, the frequency
//! (0: only a prefix of words), the labels of the children.

use super::alphabet::Symbol;
use super::coder::{Buckets, Contexts, Corrupt, RangeDecoder};
use super::labels::Labels;

pub(super) const CHILDREN: Buckets = Buckets { direct_bits: 2 };
pub(super) const FREQUENCY: Buckets = Buckets { direct_bits: 5 };
/// The number of children depends on the depth of the node.
pub(super) const CHILDREN_CONTEXTS: usize = 4;
/// The frequency depends on the depth and on whether there are no, one or more children.
pub(super) const FREQUENCY_CONTEXTS: usize = 15;

pub(super) fn children_context(depth: usize) -> usize {
    depth.min(3)
}

pub(super) fn frequency_context(depth: usize, children: u32) -> usize {
    depth.min(4) * 3 + children.min(2) as usize
}

/// The tables all forests share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Models<'a> {
    pub(super) labels: Labels<'a>,
    pub(super) children: Contexts<'a>,
    pub(super) frequency: Contexts<'a>,
}

/// Trees as coded: frequencies, not weights.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Trees {
    /// Label of each node; those of the roots are left 0.
    pub(super) labels: Vec<Symbol>,
    /// First child of each node; one entry more than nodes.
    pub(super) first_child: Vec<u32>,
    pub(super) frequency: Vec<u32>,
}

impl Trees {
    /// Decodes `roots` trees of at most `limit` nodes together.
    pub(super) fn decode(
        bytes: &[u8],
        roots: usize,
        models: Models<'_>,
        limit: usize,
    ) -> Result<Self, Corrupt> {
        let mut decoder = RangeDecoder::new(bytes);
        let mut trees = Self::default();
        trees.labels.resize(roots, 0);
        trees.first_child.push(roots as u32);
        let (mut node, mut depth, mut next_level) = (0, 0, roots);
        while node < trees.labels.len() {
            if node == next_level {
                depth += 1;
                next_level = trees.labels.len();
            }
            let children = models
                .children
                .decode(children_context(depth), &mut decoder)?;
            if children as usize > limit.saturating_sub(trees.labels.len()) {
                return Err(Corrupt);
            }
            let context = frequency_context(depth, children);
            trees
                .frequency
                .push(models.frequency.decode(context, &mut decoder)?);
            models
                .labels
                .decode(children, &mut decoder, &mut trees.labels)?;
            trees.first_child.push(trees.labels.len() as u32);
            node += 1;
        }
        Ok(trees)
    }

    /// Every word below root `root` as (labels behind the first character, frequency).
    pub(super) fn words(&self, root: usize) -> Vec<(Vec<Symbol>, u32)> {
        let mut words = Vec::new();
        let mut open = vec![(root, Vec::new())];
        while let Some((node, labels)) = open.pop() {
            for child in self.first_child[node] as usize..self.first_child[node + 1] as usize {
                let mut longer: Vec<Symbol> = labels.clone();
                longer.push(self.labels[child]);
                open.push((child, longer));
            }
            if self.frequency[node] > 0 {
                words.push((labels, self.frequency[node]));
            }
        }
        words
    }
}

/// A node of a [`Forest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(u32);

/// Trees ready for lookup.
#[derive(Debug)]
pub(super) struct Forest {
    labels: Box<[Symbol]>,
    first_child: Box<[u32]>,
    /// ln(frequency / total), −∞ for a mere prefix.
    weights: Box<[f64]>,
}

impl Forest {
    pub(super) fn new(trees: Trees, weight: impl Fn(u32) -> f64) -> Self {
        let weigh = |frequency| {
            if frequency == 0 {
                f64::NEG_INFINITY
            } else {
                weight(frequency)
            }
        };
        Self {
            labels: trees.labels.into(),
            first_child: trees.first_child.into(),
            weights: trees.frequency.into_iter().map(weigh).collect(),
        }
    }

    /// How many nodes the trees have.
    #[cfg(test)]
    pub(super) fn nodes(&self) -> usize {
        self.weights.len()
    }

    /// The tree with the number `index`.
    pub(super) fn root(&self, index: usize) -> Option<Node> {
        (index < self.weights.len()).then_some(Node(index as u32))
    }

    /// The node reached from `node` by one more character.
    pub(super) fn child(&self, node: Node, symbol: Symbol) -> Option<Node> {
        let at = node.0 as usize;
        let start = *self.first_child.get(at)? as usize;
        let end = *self.first_child.get(at + 1)? as usize;
        let labels = self.labels.get(start..end)?;
        labels
            .binary_search(&symbol)
            .ok()
            .map(|offset| Node((start + offset) as u32))
    }

    /// The weight of the word that ends at `node`, if one does.
    pub(super) fn weight(&self, node: Node) -> Option<f64> {
        self.weights
            .get(node.0 as usize)
            .copied()
            .filter(|weight| *weight != f64::NEG_INFINITY)
    }
}
