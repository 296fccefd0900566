//! Which tokens the hypotheses of a search have chosen, and where their keys and values lie.
//!
//! Each live row of each step is a *node*, which says what has been chosen and stays until its
//! sentence ends, and has a *slot*: a row of the caches of self-attention. Beams that share a
//! beginning share its nodes and slots, so re-ordering beams copies a path of slot numbers and no
//! keys or values. A slot is used again as soon as no live hypothesis attends to it: most beginnings
//! die within a few steps, so that a sentence has little more than one slot a step.

use crate::EOS;
use crate::decoder::Row;

/// The nodes and slots of all sentences that are being decoded.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The input token of every node; nothing for the first of a sentence.
    tokens: Vec<u32>,
    /// The node before every node; the first ones name themselves.
    parents: Vec<u32>,
    /// Nodes of no sentence.
    free_nodes: Vec<u32>,
    /// Which slots the hypotheses of one sentence go through; all false between two steps.
    live: Vec<bool>,
    /// Slots of no sentence.
    free_slots: Vec<u32>,
}

impl History {
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.parents.clear();
        self.free_nodes.clear();
        self.live.clear();
        self.free_slots.clear();
    }

    /// All slots that there have been at once, which is how many rows a cache has.
    pub(crate) fn slots(&self) -> usize {
        self.live.len()
    }

    fn add_slot(&mut self) -> u32 {
        self.free_slots.pop().unwrap_or_else(|| {
            self.live.push(false);
            self.live.len() as u32 - 1
        })
    }

    fn add_node(&mut self, parent: Option<u32>, token: u32) -> u32 {
        let node = match self.free_nodes.pop() {
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
    /// Of the current step.
    now: Ways,
    /// Of the step before, while the current one is made from it.
    before: Ways,
    steps: usize,
    /// All nodes of the sentence.
    owned_nodes: Vec<u32>,
    /// All slots of the sentence, those of the current rows last.
    owned_slots: Vec<u32>,
}

/// The rows of one step.
#[derive(Debug, Default)]
struct Ways {
    /// The node of each row.
    nodes: Vec<u32>,
    /// The slots of each row from the first step on, `[rows, steps]`.
    slots: Vec<u32>,
}

impl Ways {
    fn clear(&mut self) {
        self.nodes.clear();
        self.slots.clear();
    }

    /// The slots of a row after so many steps.
    fn slots(&self, row: usize, steps: usize) -> &[u32] {
        // Before the first step there are no rows either.
        if steps == 0 {
            return &[];
        }
        &self.slots[row * steps..(row + 1) * steps]
    }
}

impl Paths {
    /// Continues a path of the step before with every row.
    pub(crate) fn advance(&mut self, rows: &[Row], all: &mut History) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.forget(rows, all);
        self.now.clear();
        for row in rows {
            let parent = self.before.nodes.get(row.parent).copied();
            let node = all.add_node(parent, row.token.unwrap_or(EOS));
            let slot = all.add_slot();
            let way = self.before.slots(row.parent, self.steps);
            self.now.slots.extend_from_slice(way);
            self.now.slots.push(slot);
            self.now.nodes.push(node);
            self.owned_nodes.push(node);
            self.owned_slots.push(slot);
        }
        self.steps += 1;
    }

    /// Gives the slots back that none of the rows goes through.
    fn forget(&mut self, rows: &[Row], all: &mut History) {
        for row in rows {
            for &slot in self.before.slots(row.parent, self.steps) {
                all.live[slot as usize] = true;
            }
        }
        self.owned_slots.retain(|&slot| {
            let live = std::mem::take(&mut all.live[slot as usize]);
            if !live {
                all.free_slots.push(slot);
            }
            live
        });
    }

    /// Steps done: the position of the current rows is one less.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// The slots of a row of the current step, first step first.
    pub(crate) fn path(&self, row: usize) -> &[u32] {
        self.now.slots(row, self.steps)
    }

    /// The slots that rows of the current step go through before it, each once, in no order.
    pub(crate) fn past(&self) -> &[u32] {
        let own = self.now.nodes.len();
        &self.owned_slots[..self.owned_slots.len() - own]
    }

    /// The slot of a row of the current step.
    pub(crate) fn slot(&self, row: usize) -> u32 {
        self.path(row)[self.steps - 1]
    }

    /// The node of a row of the current step.
    pub(crate) fn node(&self, row: usize) -> u32 {
        self.now.nodes[row]
    }

    /// Gives all nodes and slots back.
    pub(crate) fn release(&mut self, all: &mut History) {
        all.free_nodes.extend_from_slice(&self.owned_nodes);
        all.free_slots.extend_from_slice(&self.owned_slots);
        if self.steps % 2 == 1 {
            // The same sentence will find each of the two as large as it needs it.
            std::mem::swap(&mut self.now, &mut self.before);
        }
        self.now.clear();
        self.before.clear();
        self.owned_nodes.clear();
        self.owned_slots.clear();
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
        let (mut history, mut paths) = (History::default(), Paths::default());
        paths.advance(&[start()], &mut history);
        paths.advance(&[row(0, 5), row(0, 6)], &mut history);
        paths.advance(&[row(1, 7), row(1, 8), row(0, 9)], &mut history);
        assert_eq!(paths.steps(), 3);
        let mut tokens = Vec::new();
        for (row, expected) in [(0, [6, 7]), (1, [6, 8]), (2, [5, 9])] {
            tokens.clear();
            history.tokens(paths.node(row), None, &mut tokens);
            assert_eq!(tokens, expected);
        }
        tokens.clear();
        history.tokens(paths.node(2), Some(10), &mut tokens);
        assert_eq!(tokens, [5, 9, 10]);
        assert_eq!(paths.path(0)[..2], paths.path(1)[..2]);
    }

    #[test]
    fn the_past_of_all_rows_has_what_they_share_once() {
        let (mut history, mut paths) = (History::default(), Paths::default());
        paths.advance(&[start()], &mut history);
        assert!(paths.past().is_empty());
        paths.advance(&[row(0, 5), row(0, 6)], &mut history);
        assert_eq!(paths.past(), [paths.path(0)[0]]);
        paths.advance(&[row(1, 7), row(0, 8), row(0, 9)], &mut history);
        let (first, second) = (paths.path(0), paths.path(1));
        assert_eq!(paths.past(), [first[0], second[1], first[1]]);
    }

    #[test]
    fn the_slots_of_dead_hypotheses_are_used_again() {
        let (mut history, mut paths) = (History::default(), Paths::default());
        paths.advance(&[start()], &mut history);
        paths.advance(&[row(0, 5), row(0, 6), row(0, 7)], &mut history);
        assert_eq!(history.slots(), 4);
        // Two of three die; their successors take their slots, and the survivor keeps its own.
        let survivor = paths.path(1).to_vec();
        paths.advance(&[row(1, 8), row(1, 9)], &mut history);
        assert_eq!(history.slots(), 4);
        assert_eq!(paths.path(0)[..2], survivor);
        assert_eq!(paths.path(1)[..2], survivor);
        assert_ne!(paths.slot(0), paths.slot(1));
        assert!(!survivor.contains(&paths.slot(0)) && !survivor.contains(&paths.slot(1)));
        // What the dead have chosen can still be told.
        let mut tokens = Vec::new();
        history.tokens(1, None, &mut tokens);
        assert_eq!(tokens, [5]);
    }

    #[test]
    fn many_steps_of_one_surviving_beginning_need_a_slot_each_and_no_more() {
        let (mut history, mut paths) = (History::default(), Paths::default());
        paths.advance(&[start()], &mut history);
        for step in 0..100 {
            let rows = [row(0, step), row(0, step), row(0, step), row(0, step)];
            paths.advance(&rows, &mut history);
        }
        assert_eq!(history.slots(), 100 + 4);
        let mut slots = paths.path(3).to_vec();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), 101);
    }

    #[test]
    fn what_ended_sentences_had_is_used_again() {
        let (mut history, mut paths) = (History::default(), Paths::default());
        for _ in 0..3 {
            paths.advance(&[start()], &mut history);
            paths.advance(&[row(0, 5), row(0, 6)], &mut history);
            paths.advance(&[row(1, 7)], &mut history);
            let mut tokens = Vec::new();
            history.tokens(paths.node(0), None, &mut tokens);
            assert_eq!(tokens, [6, 7]);
            paths.release(&mut history);
        }
        assert_eq!(history.tokens.len(), 4);
        assert_eq!(history.slots(), 3);
    }
}
