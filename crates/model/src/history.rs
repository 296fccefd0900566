//! Which tokens the hypotheses of a search have chosen, and where their keys and values lie.
//!
//! Each live row of each step is a *node*; the caches of self-attention hold one row a node. Beams
//! that share a beginning share its nodes, so re-ordering beams copies a path of node numbers and
//! no keys or values. The nodes of a sentence that has ended are used again.

use crate::EOS;
use crate::decoder::Row;

/// The nodes of all sentences that are being decoded.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    /// The input token of every node; nothing for the first of a sentence.
    tokens: Vec<u32>,
    /// The node before every node; the first ones name themselves.
    parents: Vec<u32>,
    /// Nodes of no sentence.
    free: Vec<u32>,
}

impl Nodes {
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.parents.clear();
        self.free.clear();
    }

    /// All nodes that there have been at once, which is how many rows a cache has.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    fn add(&mut self, parent: Option<u32>, token: u32) -> u32 {
        let node = match self.free.pop() {
            Some(node) => {
                self.tokens[node as usize] = token;
                node
            }
            None => {
                let node = self.tokens.len() as u32;
                self.tokens.push(token);
                self.parents.push(node);
                node
            }
        };
        self.parents[node as usize] = parent.unwrap_or(node);
        node
    }

    /// Appends the tokens chosen on the way to a node, and `last` behind them.
    pub(crate) fn tokens(&self, node: u32, last: Option<u32>, out: &mut Vec<u32>) {
        let start = out.len();
        out.extend(last);
        let mut node = node as usize;
        while self.parents[node] as usize != node {
            out.push(self.tokens[node]);
            node = self.parents[node] as usize;
        }
        out[start..].reverse();
    }
}

/// The live hypotheses of one sentence.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Nodes from the first step to the current one, `[rows, steps]`.
    nodes: Vec<u32>,
    previous: Vec<u32>,
    steps: usize,
    /// All nodes of the sentence.
    owned: Vec<u32>,
}

impl Paths {
    /// Adds a node for every row behind its parent's path.
    pub(crate) fn advance(&mut self, rows: &[Row], all: &mut Nodes) {
        std::mem::swap(&mut self.nodes, &mut self.previous);
        self.nodes.clear();
        for row in rows {
            let start = row.parent * self.steps;
            let parents = if self.steps == 0 {
                &[]
            } else {
                &self.previous[start..start + self.steps]
            };
            let node = all.add(parents.last().copied(), row.token.unwrap_or(EOS));
            self.nodes.extend_from_slice(parents);
            self.nodes.push(node);
            self.owned.push(node);
        }
        self.steps += 1;
    }

    /// Steps done: the position of the current rows is one less.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// The nodes of a row of the current step, first step first.
    pub(crate) fn path(&self, row: usize) -> &[u32] {
        &self.nodes[row * self.steps..(row + 1) * self.steps]
    }

    /// The node of a row of the current step.
    pub(crate) fn node(&self, row: usize) -> u32 {
        self.nodes[(row + 1) * self.steps - 1]
    }

    /// Gives all nodes back.
    pub(crate) fn release(&mut self, all: &mut Nodes) {
        all.free.extend_from_slice(&self.owned);
        if self.steps % 2 == 1 {
            // The same sentence will find each of the two as large as it needs it.
            std::mem::swap(&mut self.nodes, &mut self.previous);
        }
        self.nodes.clear();
        self.owned.clear();
        self.steps = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(parent: usize, token: u32) -> Row {
        Row {
            lane: 0,
            parent,
            token: Some(token),
        }
    }

    fn start() -> Row {
        Row {
            token: None,
            ..row(0, 0)
        }
    }

    #[test]
    fn beams_share_their_beginning() {
        let (mut nodes, mut paths) = (Nodes::default(), Paths::default());
        paths.advance(&[start()], &mut nodes);
        paths.advance(&[row(0, 5), row(0, 6)], &mut nodes);
        paths.advance(&[row(1, 7), row(1, 8), row(0, 9)], &mut nodes);
        assert_eq!(paths.steps(), 3);
        let mut tokens = Vec::new();
        for (row, expected) in [(0, [6, 7]), (1, [6, 8]), (2, [5, 9])] {
            tokens.clear();
            nodes.tokens(paths.node(row), None, &mut tokens);
            assert_eq!(tokens, expected);
        }
        tokens.clear();
        nodes.tokens(paths.node(2), Some(10), &mut tokens);
        assert_eq!(tokens, [5, 9, 10]);
        assert_eq!(paths.path(0)[..2], paths.path(1)[..2]);
    }

    #[test]
    fn nodes_of_ended_sentences_are_used_again() {
        let (mut nodes, mut paths) = (Nodes::default(), Paths::default());
        for _ in 0..3 {
            paths.advance(&[start()], &mut nodes);
            paths.advance(&[row(0, 5), row(0, 6)], &mut nodes);
            paths.advance(&[row(1, 7)], &mut nodes);
            let mut tokens = Vec::new();
            nodes.tokens(paths.node(0), None, &mut tokens);
            assert_eq!(tokens, [6, 7]);
            paths.release(&mut nodes);
        }
        assert_eq!(nodes.len(), 4);
    }
}
