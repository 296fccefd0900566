//! How probable each character is in each state of the hidden Markov model.
//!
//! jieba's table holds ln(n / N) of integers, n occurrences of the character in the state out of N;
//! stored are the integers. `data/emissions.bin`, little-endian: N for B, E, M, S (u32); a table of
//! weights for the counts; where each page of 64 characters begins (u16, one more than pages); the
//! pages, range-coded, decoded when first used.

use std::sync::OnceLock;

use super::coder::{Buckets, Contexts, Corrupt, RangeDecoder};
use super::hmm::LN_ZERO;
use super::ln::ln;

static DATA: &[u8] = include_bytes!("../../data/emissions.bin");

const FIRST: u32 = 0x4E00;
const PAGE: usize = 64;
/// Up to U+9FD5.
const PAGES: usize = 328;
const COUNTS: Buckets = Buckets { direct_bits: 2 };
/// The state and the magnitude of the count before.
const CONTEXTS: usize = 4 * MAGNITUDES;
const MAGNITUDES: usize = 5;
const TABLE_START: usize = 16;
const OFFSETS_START: usize = TABLE_START + Contexts::bytes(COUNTS, CONTEXTS);
const PAGES_START: usize = OFFSETS_START + 2 * (PAGES + 1);

type Page = [[f64; 4]; PAGE];

static PAGE_CACHE: [OnceLock<Box<Page>>; PAGES] = [const { OnceLock::new() }; PAGES];

/// ln P(character | state) for B, E, M, S.
pub(super) fn of(character: char) -> [f64; 4] {
    let Some(index) = (character as u32).checked_sub(FIRST) else {
        return [LN_ZERO; 4];
    };
    let index = index as usize;
    match PAGE_CACHE.get(index / PAGE) {
        Some(page) => page.get_or_init(|| logarithms(index / PAGE))[index % PAGE],
        None => [LN_ZERO; 4],
    }
}

fn logarithms(page: usize) -> Box<Page> {
    let mut logarithms = Box::new([[LN_ZERO; 4]; PAGE]);
    // The table is part of the program and decoded completely by a test.
    let counts = counts(DATA, page).unwrap_or([[0; 4]; PAGE]);
    for (row, counts) in logarithms.iter_mut().zip(counts) {
        for (state, (value, count)) in row.iter_mut().zip(counts).enumerate() {
            if count > 0 {
                *value = ln(f64::from(count) / f64::from(total(state)));
            }
        }
    }
    logarithms
}

fn total(state: usize) -> u32 {
    let bytes = DATA.as_chunks().0;
    bytes.get(state).map_or(1, |&le| u32::from_le_bytes(le))
}

fn context(state: usize, before: u32) -> usize {
    let magnitude = (32 - before.leading_zeros() as usize)
        .div_ceil(4)
        .min(MAGNITUDES - 1);
    state * MAGNITUDES + magnitude
}

fn counts(data: &[u8], page: usize) -> Result<[[u32; 4]; PAGE], Corrupt> {
    let offsets = data
        .get(OFFSETS_START..PAGES_START)
        .ok_or(Corrupt)?
        .as_chunks()
        .0;
    let offset = |index: usize| -> Result<usize, Corrupt> {
        offsets
            .get(index)
            .map(|&le| PAGES_START + usize::from(u16::from_le_bytes(le)))
            .ok_or(Corrupt)
    };
    let table = data.get(TABLE_START..OFFSETS_START).ok_or(Corrupt)?;
    let contexts = Contexts {
        buckets: COUNTS,
        table,
    };
    let mut decoder = RangeDecoder::new(data.get(offset(page)?..offset(page + 1)?).ok_or(Corrupt)?);
    let mut counts = [[0; 4]; PAGE];
    for row in &mut counts {
        let mut before = 0;
        for (state, count) in row.iter_mut().enumerate() {
            *count = contexts.decode(context(state, before), &mut decoder)?;
            before = *count;
        }
    }
    Ok(counts)
}

/// Makes `data/emissions.bin` from the totals N and `count(character, state)` = n, with the states
/// in the order B, E, M, S (`examples/build_segmentation_data.rs` finds them).
#[cfg(not(target_arch = "wasm32"))]
pub fn pack(totals: [u32; 4], count: impl Fn(u32, usize) -> u32) -> Vec<u8> {
    use super::coder::encode::{ContextsBuilder, RangeEncoder};

    let mut contexts = ContextsBuilder::new(COUNTS, CONTEXTS);
    let each = |page: usize, visit: &mut dyn FnMut(usize, u32)| {
        for character in page * PAGE..(page + 1) * PAGE {
            let mut before = 0;
            for state in 0..4 {
                let count = count(FIRST + character as u32, state);
                visit(context(state, before), count);
                before = count;
            }
        }
    };
    (0..PAGES).for_each(|page| each(page, &mut |context, count| contexts.count(context, count)));
    let table = contexts.table();
    let mut offsets = vec![0u8; 2];
    let mut pages = Vec::new();
    for page in 0..PAGES {
        let mut encoder = RangeEncoder::new();
        each(page, &mut |context, count| {
            contexts.encode(context, count, &mut encoder)
        });
        pages.extend(encoder.finish());
        offsets.extend_from_slice(&(pages.len() as u16).to_le_bytes());
    }
    let totals: Vec<u8> = totals
        .iter()
        .flat_map(|total| total.to_le_bytes())
        .collect();
    [totals, table, offsets, pages].concat()
}

#[cfg(test)]
mod tests {
    use super::super::dictionary::tests::fnv1a;
    use super::{FIRST, of};

    /// The hash is that of the same bytes of `jieba.finalseg.emit_P`, −3.14e100 where it has none.
    #[test]
    fn golden_every_value_has_the_bits_of_the_reference() {
        let characters = (FIRST..=0x9FD5).filter_map(char::from_u32);
        let bytes = characters.flat_map(|c| of(c).into_iter().flat_map(f64::to_le_bytes));
        assert_eq!(fnv1a(bytes), 0x074b_9d1c_670f_b898);
    }

    #[test]
    fn other_characters_have_no_emissions() {
        for c in ['\0', 'a', '\u{4DFF}', '\u{F900}', '\u{20000}', char::MAX] {
            assert_eq!(of(c), [super::LN_ZERO; 4], "{c:?}");
        }
    }
}
