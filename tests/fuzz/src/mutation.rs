//! Damage to an input.

use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::Index;

/// A seed and what happens to it. Smaller damage is tried first when one has to be explained.
#[derive(Clone)]
pub(crate) struct Damage {
    seed: usize,
    pub(crate) changes: Vec<Change>,
}

/// One change. Places are parts of the input, whatever its length.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// A byte becomes another.
    Set(Index, u8),
    /// A bit is turned over.
    Flip(Index, u8),
    /// Some bytes go.
    Remove(Index, usize),
    /// Some bytes come again, several times.
    Repeat(Index, usize, usize),
    /// Some bytes come again elsewhere.
    Copy(Index, usize, Index),
    /// A word of the format comes in.
    Word(Index, Index),
    /// A part of another seed comes in.
    Splice(Index, Index, Index, usize),
    /// Everything behind goes.
    Cut(Index),
}

/// Damage to one of `seeds` seeds.
pub(crate) fn damage(seeds: usize) -> impl Strategy<Value = Damage> {
    let change = prop_oneof![
        3 => (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        2 => (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        2 => (any::<Index>(), 1..64_usize).prop_map(|(at, len)| Change::Remove(at, len)),
        1 => (any::<Index>(), 1..64_usize, 1..40_usize)
            .prop_map(|(at, len, times)| Change::Repeat(at, len, times)),
        2 => (any::<Index>(), 1..64_usize, any::<Index>())
            .prop_map(|(from, len, to)| Change::Copy(from, len, to)),
        4 => (any::<Index>(), any::<Index>()).prop_map(|(at, word)| Change::Word(at, word)),
        1 => (any::<Index>(), any::<Index>(), any::<Index>(), 1..200_usize)
            .prop_map(|(at, seed, from, len)| Change::Splice(at, seed, from, len)),
        1 => any::<Index>().prop_map(Change::Cut),
    ];
    (0..seeds, proptest::collection::vec(change, 0..10))
        .prop_map(|(seed, changes)| Damage { seed, changes })
}

impl Damage {
    pub(crate) fn apply(&self, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut bytes = seeds[self.seed].clone();
        for change in &self.changes {
            change.apply(&mut bytes, seeds, words);
        }
        bytes
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
        // A place before, between or behind the bytes; and one of them.
        let place = |index: &Index, bytes: &[u8]| index.index(bytes.len() + 1);
        let part = |index: &Index, len: usize, bytes: &[u8]| {
            let start = place(index, bytes);
            bytes[start..(start + len).min(bytes.len())].to_vec()
        };
        match self {
            Self::Set(at, byte) => {
                if !bytes.is_empty() {
                    let at = at.index(bytes.len());
                    bytes[at] = *byte;
                }
            }
            Self::Flip(at, bit) => {
                if !bytes.is_empty() {
                    let at = at.index(bytes.len());
                    bytes[at] ^= 1 << bit;
                }
            }
            Self::Remove(at, len) => {
                let start = place(at, bytes);
                let end = (start + len).min(bytes.len());
                bytes.drain(start..end);
            }
            Self::Repeat(at, len, times) => {
                let start = place(at, bytes);
                let part = part(at, *len, bytes).repeat(*times);
                bytes.splice(start..start, part);
            }
            Self::Copy(from, len, to) => {
                let part = part(from, *len, bytes);
                let to = place(to, bytes);
                bytes.splice(to..to, part);
            }
            Self::Word(at, word) => {
                if !words.is_empty() {
                    let at = place(at, bytes);
                    bytes.splice(at..at, word.get(words).bytes());
                }
            }
            Self::Splice(at, seed, from, len) => {
                let part = part(from, *len, seed.get::<Vec<u8>>(seeds));
                let at = place(at, bytes);
                bytes.splice(at..at, part);
            }
            Self::Cut(at) => {
                let at = place(at, bytes);
                bytes.truncate(at);
            }
        }
    }
}
