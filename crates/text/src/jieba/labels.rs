//! The weights of the characters as labels of trie edges, and the coding of a node's sorted labels.
//!
//! The children of a node are a set, so the order of their labels is free; coding them in ascending
//! order saves log₂ k! bits for k children if each label is coded as what it is: the least of the
//! r labels that remain. With S(c) = the share of the weights from c on among those still possible,
//! P(least < c) = 1 − S(c)^r. Everything is in integers, so that all platforms agree.

use super::alphabet::Symbol;
use super::coder::{Corrupt, RangeDecoder};

const BLOCK: usize = 16;
const ONE: u64 = 1 << 32;
/// What the distribution shares out; the rest gives every label a unit of its own.
const SHARED: u64 = ONE - (1 << 17);
/// The weights of all characters together stay below 2^20.
const TOTAL_LIMIT: u64 = 1 << 20;

/// A weight as a byte: four bits of mantissa, four of exponent.
const fn weight(byte: u8) -> u32 {
    if byte < 16 {
        byte as u32
    } else {
        (16 | (byte & 15) as u32) << ((byte >> 4) - 1)
    }
}

/// Used in place: cumulative weights in front of each block of 16 characters (u32; one more for the
/// total), and a byte per character.
#[derive(Debug, Clone, Copy)]
pub(super) struct Labels<'a> {
    starts: &'a [[u8; 4]],
    weights: &'a [u8],
}

/// The distribution of the least of `remaining` labels, all of them at least `from`.
struct Least<'a> {
    labels: Labels<'a>,
    from: usize,
    remaining: u32,
    total: u64,
    /// Weight of the labels from `from` on, and 2^52 / `left`.
    left: u64,
    reciprocal: u64,
}

impl<'a> Labels<'a> {
    /// Bytes of the table for an alphabet.
    pub(super) const fn bytes(characters: usize) -> usize {
        (characters.div_ceil(BLOCK) + 1) * 4 + characters
    }

    pub(super) fn new(bytes: &'a [u8], characters: usize) -> Option<Self> {
        let (starts, weights) = bytes.split_at_checked(bytes.len().checked_sub(characters)?)?;
        let starts = starts.as_chunks().0;
        (starts.len() == characters.div_ceil(BLOCK) + 1).then_some(Self { starts, weights })
    }

    fn start_of_block(&self, block: usize) -> u64 {
        self.starts
            .get(block)
            .map_or(0, |&le| u64::from(u32::from_le_bytes(le)))
    }

    fn start(&self, symbol: usize) -> u64 {
        let block = symbol / BLOCK;
        let inner = self.weights.get(block * BLOCK..symbol).unwrap_or_default();
        self.start_of_block(block)
            + inner
                .iter()
                .map(|&byte| u64::from(weight(byte)))
                .sum::<u64>()
    }

    fn weight(&self, symbol: usize) -> u64 {
        self.weights
            .get(symbol)
            .map_or(0, |&byte| u64::from(weight(byte)))
    }

    fn least(self, from: usize, remaining: u32) -> Result<Least<'a>, Corrupt> {
        let total = self.start_of_block(self.starts.len() - 1);
        let left = total
            .checked_sub(self.start(from))
            .filter(|&left| left > 0 && left < TOTAL_LIMIT && from < self.weights.len())
            .ok_or(Corrupt)?;
        Ok(Least {
            labels: self,
            from,
            remaining,
            total,
            left,
            reciprocal: (1 << 52) / left,
        })
    }

    /// Reads `count` ascending labels.
    pub(super) fn decode(
        self,
        count: u32,
        decoder: &mut RangeDecoder<'_>,
        labels: &mut Vec<Symbol>,
    ) -> Result<(), Corrupt> {
        let mut from = 0;
        for remaining in (1..=count).rev() {
            let least = self.least(from, remaining)?;
            let (symbol, start, end) = least.find(decoder.position(32));
            decoder.consume(start, end.checked_sub(start).ok_or(Corrupt)?, 32)?;
            labels.push(Symbol::try_from(symbol).map_err(|_| Corrupt)?);
            from = symbol + 1;
        }
        Ok(())
    }
}

impl Least<'_> {
    /// P(least < symbol) in units of 2^-32, where the weights from `symbol` on begin at `start`.
    fn below(&self, symbol: usize, start: u64) -> u64 {
        if symbol <= self.from {
            return 0;
        }
        if symbol >= self.labels.weights.len() {
            return ONE;
        }
        // At most `left`, unless the starts of the blocks do not ascend.
        let left = self.total.saturating_sub(start).min(self.left);
        let share = ((left * self.reciprocal) >> 20).min(ONE - 1);
        (((ONE - power(share, self.remaining)) * SHARED) >> 32) + (symbol - self.from) as u64
    }

    /// The label at `position`, and the bounds of its interval.
    fn find(&self, position: u64) -> (usize, u64, u64) {
        let target = self.estimate(position);
        let blocks_behind = self
            .labels
            .starts
            .partition_point(|&le| u32::from_le_bytes(le) <= target);
        let mut symbol = self
            .from
            .max(blocks_behind.saturating_sub(1) * BLOCK)
            .min(self.last());
        let mut cumulative = self.labels.start(symbol);
        while symbol < self.last() && cumulative + self.labels.weight(symbol) <= target.into() {
            cumulative += self.labels.weight(symbol);
            symbol += 1;
        }
        let near = self.scan(symbol, cumulative, position, 4);
        near.unwrap_or_else(|| self.search(position))
    }

    fn last(&self) -> usize {
        self.labels.weights.len() - 1
    }

    /// About the cumulative weight of the label at `position`. Floating point is good enough here:
    /// the result is only where the exact search begins.
    fn estimate(&self, position: u64) -> u32 {
        let behind = 1.0 - (position as f64 / SHARED as f64).min(1.0);
        let share = match self.remaining {
            1 => behind,
            2 => behind.sqrt(),
            remaining => behind.powf(1.0 / f64::from(remaining)),
        };
        (self.total as f64 - self.left as f64 * share) as u32
    }

    /// Goes from `symbol` on, behind `cumulative` weights, to the label at `position`; `None` if it
    /// lies before `symbol` or more than `most` steps away.
    fn scan(
        &self,
        mut symbol: usize,
        mut cumulative: u64,
        position: u64,
        most: usize,
    ) -> Option<(usize, u64, u64)> {
        let mut start = self.below(symbol, cumulative);
        if start > position {
            return None;
        }
        for _ in 0..most {
            cumulative += self.labels.weight(symbol);
            let end = self.below(symbol + 1, cumulative);
            if end > position || symbol >= self.last() {
                return Some((symbol, start, end));
            }
            symbol += 1;
            start = end;
        }
        None
    }

    /// The same by bisection.
    #[cold]
    fn search(&self, position: u64) -> (usize, u64, u64) {
        // The last block whose first symbol does not lie behind the position.
        let (mut low, mut high) = (self.from / BLOCK, self.last() / BLOCK);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if self.below(middle * BLOCK, self.labels.start_of_block(middle)) <= position {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        let symbol = self.from.max(low * BLOCK);
        let found = self.scan(symbol, self.labels.start(symbol), position, BLOCK);
        // Only tables that are no distribution get here; the empty interval is then refused.
        found.unwrap_or((symbol, 0, 0))
    }
}

/// base^exponent in units of 2^-32, rounded down at each step (which keeps the order of the bases).
fn power(base: u64, mut exponent: u32) -> u64 {
    if exponent == 1 {
        return base;
    }
    let mut square = base;
    while exponent & 1 == 0 {
        square = (square * square) >> 32;
        exponent >>= 1;
    }
    let mut result = square;
    exponent >>= 1;
    while exponent > 0 {
        square = (square * square) >> 32;
        if exponent & 1 == 1 {
            result = (result * square) >> 32;
        }
        exponent >>= 1;
    }
    result
}

/// The writing side.
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod encode {
    use super::super::coder::{Corrupt, encode::RangeEncoder};
    use super::{BLOCK, Labels, Symbol, TOTAL_LIMIT, weight};

    /// The table for the given numbers of occurrences of each character as a label.
    pub(in super::super) fn table(counts: &[u64]) -> Vec<u8> {
        let total: u64 = counts.iter().sum();
        let shift =
            (0..).find(|shift| (total >> shift) + 2 * (counts.len() as u64) < TOTAL_LIMIT / 2);
        let shift = shift.unwrap_or(0);
        let bytes: Vec<u8> = counts
            .iter()
            .map(|&count| nearest((count >> shift).max(1)))
            .collect();
        let mut table = Vec::new();
        let mut start = 0u32;
        for block in bytes.chunks(BLOCK) {
            table.extend_from_slice(&start.to_le_bytes());
            start += block.iter().map(|&byte| weight(byte)).sum::<u32>();
        }
        table.extend_from_slice(&start.to_le_bytes());
        table.extend_from_slice(&bytes);
        table
    }

    fn nearest(count: u64) -> u8 {
        (1..=u8::MAX)
            .min_by_key(|&byte| u64::from(weight(byte)).abs_diff(count))
            .unwrap_or(1)
    }

    impl Labels<'_> {
        /// Writes ascending labels.
        pub(in super::super) fn encode(
            self,
            symbols: &[Symbol],
            encoder: &mut RangeEncoder,
        ) -> Result<(), Corrupt> {
            let mut from = 0;
            for (index, &symbol) in symbols.iter().enumerate() {
                let symbol = usize::from(symbol);
                let least = self.least(from, (symbols.len() - index) as u32)?;
                let start = least.below(symbol, self.start(symbol));
                let end = least.below(symbol + 1, self.start(symbol + 1));
                encoder.encode(start, end - start, 32);
                from = symbol + 1;
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::coder::{RangeDecoder, encode::RangeEncoder};
    use super::{BLOCK, Labels, encode};

    proptest! {
        #[test]
        fn roundtrip_of_label_sets(
            counts in prop::collection::vec(prop_oneof![0u64..3, 0u64..100_000], 1..200),
            picks in prop::collection::vec(any::<bool>(), 200),
        ) {
            let table = encode::table(&counts);
            prop_assert_eq!(table.len(), Labels::bytes(counts.len()));
            let labels = Labels::new(&table, counts.len()).unwrap();
            let set: Vec<u16> = (0..counts.len() as u16).filter(|&i| picks[usize::from(i)]).collect();
            let mut encoder = RangeEncoder::new();
            labels.encode(&set, &mut encoder).unwrap();
            let bytes = encoder.finish();
            let mut found = Vec::new();
            labels.decode(set.len() as u32, &mut RangeDecoder::new(&bytes), &mut found).unwrap();
            prop_assert_eq!(found, set);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8192))]

        /// Whatever the table says, what comes out are ascending labels of the alphabet, or nothing.
        #[test]
        fn hostile_tables_never_panic(
            starts in prop::collection::vec(0u32..1 << 21, 8),
            weights in prop::collection::vec(any::<u8>(), 7 * BLOCK - 15..=7 * BLOCK),
            code in prop::collection::vec(any::<u8>(), 0..60),
            count in 1u32..9,
        ) {
            let starts = starts.iter().flat_map(|start| start.to_le_bytes());
            let table: Vec<u8> = starts.chain(weights.iter().copied()).collect();
            let labels = Labels::new(&table, weights.len()).unwrap();
            let mut found = Vec::new();
            let _ = labels.decode(count, &mut RangeDecoder::new(&code), &mut found);
            prop_assert!(found.is_sorted());
            prop_assert!(found.iter().all(|&label| usize::from(label) < weights.len()));
        }
    }
}
