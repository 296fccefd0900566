//! Static range coding: how the dictionary and the emission table are packed.
//!
//! A symbol with the cumulative weight `start` and the weight `width` out of 2^bits narrows the
//! interval [low, low + range) to its share; the decoder keeps code − low. 56-bit intervals leave at
//! least 16 bits of precision for the finest scale (2^32) used here. Bytes behind the end read as
//! zero, so the coder drops trailing zero bytes.

const TOP_BITS: u32 = 56;
const RENORMALIZE_BELOW: u64 = 1 << 48;
/// Scale of the tables in [`Contexts`].
pub(super) const TABLE_BITS: u32 = 16;

/// The bytes do not come from the coder (or the tables do not fit them).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Corrupt;

/// Reads symbols from a slice; past its end it reads zeros.
#[derive(Debug)]
pub(super) struct RangeDecoder<'a> {
    bytes: std::slice::Iter<'a, u8>,
    range: u64,
    code: u64,
}

impl<'a> RangeDecoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self {
            bytes: bytes.iter(),
            range: 1 << TOP_BITS,
            code: 0,
        };
        for _ in 0..TOP_BITS / 8 {
            decoder.code = decoder.code << 8 | decoder.next_byte();
        }
        decoder
    }

    fn next_byte(&mut self) -> u64 {
        self.bytes.next().map_or(0, |&byte| u64::from(byte))
    }

    /// Where the code lies, in units of 2^-bits of the interval: `start ≤ position` holds for the
    /// coded symbol and every one before it.
    pub(super) fn position(&self, bits: u32) -> u64 {
        self.code / (self.range >> bits)
    }

    /// Takes the symbol [start, start + width) of 2^bits out of the code.
    pub(super) fn consume(&mut self, start: u64, width: u64, bits: u32) -> Result<(), Corrupt> {
        let unit = self.range >> bits;
        self.code = self.code.checked_sub(start * unit).ok_or(Corrupt)?;
        self.range = width * unit;
        if self.code >= self.range {
            return Err(Corrupt);
        }
        while self.range < RENORMALIZE_BELOW {
            self.range <<= 8;
            self.code = self.code << 8 | self.next_byte();
        }
        Ok(())
    }

    /// `count` ≤ 32 bits of equal weight.
    fn uniform(&mut self, count: u32) -> Result<u32, Corrupt> {
        if count == 0 {
            return Ok(0);
        }
        // 2^count units leave a remainder of the interval, into which no symbol is coded.
        let value = self.position(count);
        if value >> count != 0 {
            return Err(Corrupt);
        }
        self.consume(value, 1, count)?;
        u32::try_from(value).map_err(|_| Corrupt)
    }
}

/// How an unsigned integer becomes a symbol and raw bits: values below 2^direct_bits are symbols of
/// their own; above, a symbol stands for half an octave and the remaining bits follow unweighted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buckets {
    pub(super) direct_bits: u32,
}

impl Buckets {
    /// Number of symbols for 32-bit values.
    pub(super) const fn symbols(self) -> usize {
        (1 << self.direct_bits) + 2 * (32 - self.direct_bits as usize)
    }

    /// (symbol, raw bits, number of raw bits)
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn split(self, value: u32) -> (usize, u32, u32) {
        if value < 1 << self.direct_bits {
            return (value as usize, 0, 0);
        }
        let raw_bits = 30 - value.leading_zeros();
        let half = (value >> raw_bits & 1) as usize;
        let octave = (raw_bits + 1 - self.direct_bits) as usize;
        (
            (1 << self.direct_bits) + 2 * octave + half,
            value & ((1 << raw_bits) - 1),
            raw_bits,
        )
    }

    /// (least value of the symbol, number of raw bits)
    fn join(self, symbol: usize) -> (u32, u32) {
        let direct = 1usize << self.direct_bits;
        if symbol < direct {
            return (symbol as u32, 0);
        }
        let octave = ((symbol - direct) / 2) as u32;
        let raw_bits = octave + self.direct_bits - 1;
        ((2 | (symbol - direct) as u32 & 1) << raw_bits, raw_bits)
    }
}

/// Weights of bucketed integers in several contexts, used in place: per context the cumulative
/// weights of the symbols 1, 2, … as u16 (symbol 0 starts at 0, the last one ends at 2^16).
#[derive(Debug, Clone, Copy)]
pub(super) struct Contexts<'a> {
    pub(super) buckets: Buckets,
    pub(super) table: &'a [u8],
}

impl Contexts<'_> {
    /// Bytes that `contexts` tables take.
    pub(super) const fn bytes(buckets: Buckets, contexts: usize) -> usize {
        contexts * (buckets.symbols() - 1) * 2
    }

    /// Reads one integer.
    pub(super) fn decode(
        &self,
        context: usize,
        decoder: &mut RangeDecoder<'_>,
    ) -> Result<u32, Corrupt> {
        let row_bytes = (self.buckets.symbols() - 1) * 2;
        let row = self
            .table
            .get(context * row_bytes..(context + 1) * row_bytes)
            .ok_or(Corrupt)?
            .as_chunks::<2>()
            .0;
        let position = decoder.position(TABLE_BITS);
        let start_of = |symbol: usize| match symbol.checked_sub(1) {
            Some(index) => row
                .get(index)
                .map_or(1 << TABLE_BITS, |&le| u64::from(u16::from_le_bytes(le))),
            None => 0,
        };
        // Small values are by far the most frequent ones.
        let near = row
            .iter()
            .take(8)
            .take_while(|&&le| u64::from(u16::from_le_bytes(le)) <= position)
            .count();
        let symbol = if near < 8 {
            near
        } else {
            row.partition_point(|&le| u64::from(u16::from_le_bytes(le)) <= position)
        };
        let start = start_of(symbol);
        let width = start_of(symbol + 1).checked_sub(start).ok_or(Corrupt)?;
        decoder.consume(start, width, TABLE_BITS)?;
        let (least, raw_bits) = self.buckets.join(symbol);
        Ok(least + decoder.uniform(raw_bits)?)
    }
}

/// The writing side: only the builders of the data files need it.
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod encode {
    use super::{Buckets, RENORMALIZE_BELOW, TABLE_BITS, TOP_BITS};

    /// Writes symbols; the mirror image of [`super::RangeDecoder`].
    #[derive(Debug)]
    pub(in super::super) struct RangeEncoder {
        bytes: Vec<u8>,
        low: u64,
        range: u64,
    }

    impl RangeEncoder {
        pub(in super::super) fn new() -> Self {
            Self {
                bytes: Vec::new(),
                low: 0,
                range: 1 << TOP_BITS,
            }
        }

        pub(in super::super) fn encode(&mut self, start: u64, width: u64, bits: u32) {
            let unit = self.range >> bits;
            self.low += start * unit;
            self.range = width * unit;
            self.carry();
            while self.range < RENORMALIZE_BELOW {
                self.bytes.push((self.low >> (TOP_BITS - 8)) as u8);
                self.low = self.low << 8 & ((1 << TOP_BITS) - 1);
                self.range <<= 8;
            }
        }

        fn carry(&mut self) {
            if self.low >> TOP_BITS != 0 {
                self.low &= (1 << TOP_BITS) - 1;
                for byte in self.bytes.iter_mut().rev() {
                    *byte = byte.wrapping_add(1);
                    if *byte != 0 {
                        break;
                    }
                }
            }
        }

        /// Ends with the number of the interval that has the most trailing zeros.
        pub(in super::super) fn finish(mut self) -> Vec<u8> {
            for zeros in (0..TOP_BITS).rev() {
                let value = (self.low + (1 << zeros) - 1) >> zeros << zeros;
                if value < self.low + self.range {
                    self.low = value;
                    break;
                }
            }
            self.carry();
            self.bytes.extend_from_slice(&self.low.to_be_bytes()[1..]);
            while self.bytes.last() == Some(&0) {
                self.bytes.pop();
            }
            self.bytes
        }
    }

    /// Counts the symbols of each context first, then codes with the resulting tables.
    #[derive(Debug)]
    pub(in super::super) struct ContextsBuilder {
        buckets: Buckets,
        counts: Vec<Vec<u64>>,
        starts: Vec<Vec<u64>>,
    }

    impl ContextsBuilder {
        pub(in super::super) fn new(buckets: Buckets, contexts: usize) -> Self {
            Self {
                buckets,
                counts: vec![vec![0; buckets.symbols()]; contexts],
                starts: Vec::new(),
            }
        }

        pub(in super::super) fn count(&mut self, context: usize, value: u32) {
            self.counts[context][self.buckets.split(value).0] += 1;
        }

        /// Fixes the weights and returns the table for [`super::Contexts`].
        pub(in super::super) fn table(&mut self) -> Vec<u8> {
            self.starts = self
                .counts
                .iter()
                .map(|counts| cumulative_weights(counts))
                .collect();
            let inner = |starts: &Vec<u64>| starts[1..starts.len() - 1].to_vec();
            // A start of 2^16 (only unused symbols follow) is stored as the largest u16: one unit
            // of the last used symbol is given up, hence `cumulative_weights` stays below.
            self.starts
                .iter()
                .flat_map(inner)
                .flat_map(|start| (start as u16).to_le_bytes())
                .collect()
        }

        pub(in super::super) fn encode(
            &self,
            context: usize,
            value: u32,
            encoder: &mut RangeEncoder,
        ) {
            let (symbol, raw, raw_bits) = self.buckets.split(value);
            let starts = &self.starts[context];
            encoder.encode(
                starts[symbol],
                starts[symbol + 1] - starts[symbol],
                TABLE_BITS,
            );
            if raw_bits > 0 {
                encoder.encode(u64::from(raw), 1, raw_bits);
            }
        }
    }

    /// Weights in proportion to the counts, at least 1 for whatever occurs; the very last symbol
    /// always keeps one unit, so that every stored start fits into 16 bits.
    fn cumulative_weights(counts: &[u64]) -> Vec<u64> {
        let scale = (1u64 << TABLE_BITS) - 1;
        let total = counts.iter().sum::<u64>().max(1);
        let mut weights: Vec<u64> = counts
            .iter()
            .map(|&count| {
                if count == 0 {
                    0
                } else {
                    (count * scale / total).max(1)
                }
            })
            .collect();
        let largest = (0..weights.len())
            .max_by_key(|&symbol| weights[symbol])
            .unwrap_or(0);
        let others: u64 = weights.iter().sum::<u64>() - weights[largest];
        weights[largest] = scale - others;
        if let Some(last) = weights.last_mut() {
            *last += 1;
        }
        let mut starts = vec![0];
        for weight in weights {
            starts.push(starts[starts.len() - 1] + weight);
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::encode::{ContextsBuilder, RangeEncoder};
    use super::{Buckets, Contexts, Corrupt, RangeDecoder};

    #[test]
    fn buckets_split_and_join() {
        for direct_bits in 1..8 {
            let buckets = Buckets { direct_bits };
            for shift in 0..32 {
                for value in [u32::MAX >> shift, 1 << shift, (5 << shift) | 1, 0] {
                    let (symbol, raw, raw_bits) = buckets.split(value);
                    assert!(symbol < buckets.symbols());
                    let (least, expected_bits) = buckets.join(symbol);
                    assert_eq!((least + raw, raw_bits), (value, expected_bits));
                }
            }
        }
    }

    /// 2^32 units do not fill an interval of 65535³ · 2^8: the last of its numbers code nothing.
    #[test]
    fn remainder_of_an_interval_is_no_value() {
        let range = 0xffff_u64.pow(3) << 8;
        for (code, expected) in [
            (range - 1, Err(Corrupt)),
            ((range >> 32 << 32) - 1, Ok(u32::MAX)),
        ] {
            let bytes = code.to_be_bytes();
            let mut decoder = RangeDecoder::new(&bytes[1..]);
            for _ in 0..3 {
                assert_eq!(decoder.consume(0, 0xffff, 16), Ok(()));
            }
            assert_eq!(decoder.uniform(32), expected);
        }
    }

    proptest! {
        #[test]
        fn roundtrip_of_integers(
            values in prop::collection::vec((0usize..3, prop_oneof![0u32..40, any::<u32>()]), 0..300)
        ) {
            let buckets = Buckets { direct_bits: 3 };
            let mut builder = ContextsBuilder::new(buckets, 3);
            values.iter().for_each(|&(context, value)| builder.count(context, value));
            let table = builder.table();
            let mut encoder = RangeEncoder::new();
            for &(context, value) in &values {
                builder.encode(context, value, &mut encoder);
            }
            let bytes = encoder.finish();
            let contexts = Contexts { buckets, table: &table };
            let mut decoder = RangeDecoder::new(&bytes);
            for (context, value) in values {
                prop_assert_eq!(contexts.decode(context, &mut decoder), Ok(value));
            }
        }

        /// The carry runs through bytes already written.
        #[test]
        fn roundtrip_of_fine_intervals(
            positions in prop::collection::vec(prop_oneof![Just(u64::from(u32::MAX)), 0..1u64 << 32], 1..50)
        ) {
            let mut encoder = RangeEncoder::new();
            positions.iter().for_each(|&position| encoder.encode(position, 1, 32));
            let bytes = encoder.finish();
            let mut decoder = RangeDecoder::new(&bytes);
            for position in positions {
                prop_assert_eq!(decoder.position(32), position);
                prop_assert_eq!(decoder.consume(position, 1, 32), Ok(()));
            }
        }
    }
}
