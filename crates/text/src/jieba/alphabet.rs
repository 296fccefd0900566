//! The characters of the dictionary, numbered in the order of their code points.
//!
//! Stored as one record per 256-character page in use: page number (u32), number of characters on
//! earlier pages (u32), a 256-bit map (four u64), all little-endian.

use super::dictionary::DictionaryError;

/// Bytes of a page record.
pub(super) const PAGE_BYTES: usize = 40;
const PAGES: usize = 0x1100;
const UNUSED: u16 = u16::MAX;

/// Index of a character in the alphabet.
pub(super) type Symbol = u16;

#[derive(Debug)]
struct Page {
    rank: u32,
    map: [u64; 4],
}

/// Finds the number of a character with two loads and a few bit counts.
#[derive(Debug)]
pub(super) struct Alphabet {
    slots: Box<[u16]>,
    pages: Vec<Page>,
}

impl Alphabet {
    /// Reads and checks the page records; `characters` is the size the header claims.
    pub(super) fn new(bytes: &[u8], characters: u32) -> Result<Self, DictionaryError> {
        let records = bytes.as_chunks::<PAGE_BYTES>().0;
        let mut slots = vec![UNUSED; PAGES].into_boxed_slice();
        let mut pages = Vec::with_capacity(records.len());
        let mut rank = 0;
        for (index, record) in records.iter().enumerate() {
            let words: [u64; 5] = std::array::from_fn(|i| {
                u64::from_le_bytes(std::array::from_fn(|byte| record[8 * i + byte]))
            });
            let number = (words[0] & 0xffff_ffff) as usize;
            let map = [words[1], words[2], words[3], words[4]];
            let slot = slots.get_mut(number).filter(|slot| **slot == UNUSED);
            let (Some(slot), true) = (slot, words[0] >> 32 == u64::from(rank)) else {
                return Err(DictionaryError::Alphabet { page: index });
            };
            *slot = index as u16;
            pages.push(Page { rank, map });
            rank += map.iter().map(|word| word.count_ones()).sum::<u32>();
        }
        if rank != characters {
            return Err(DictionaryError::AlphabetSize {
                expected: characters,
                found: rank,
            });
        }
        Ok(Self { slots, pages })
    }

    /// The number of `character`, if the dictionary uses it.
    pub(super) fn symbol(&self, character: char) -> Option<Symbol> {
        let code = character as usize;
        let page = self.pages.get(usize::from(*self.slots.get(code >> 8)?))?;
        let word = code >> 6 & 3;
        let bit = 1u64 << (code & 63);
        if page.map[word] & bit == 0 {
            return None;
        }
        let earlier: u32 = page.map[..word].iter().map(|word| word.count_ones()).sum();
        let rank = page.rank + earlier + (page.map[word] & (bit - 1)).count_ones();
        Symbol::try_from(rank).ok()
    }

    /// All characters in the order of their numbers.
    pub(super) fn characters(&self) -> Vec<char> {
        let mut numbers: Vec<usize> = (0..PAGES).filter(|&n| self.slots[n] != UNUSED).collect();
        numbers.sort_by_key(|&number| self.slots[number]);
        let mut characters = Vec::new();
        for (page, number) in self.pages.iter().zip(numbers) {
            let on_page = (0..256).filter(|code| page.map[code >> 6] >> (code & 63) & 1 == 1);
            characters
                .extend(on_page.filter_map(|code| char::from_u32((number << 8 | code) as u32)));
        }
        characters
    }
}

/// Packs sorted, distinct characters into page records.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn encode(characters: &[char]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rank = 0u32;
    for page in characters.chunk_by(|a, b| *a as u32 >> 8 == *b as u32 >> 8) {
        let mut map = [0u64; 4];
        for &character in page {
            let code = character as usize & 255;
            map[code >> 6] |= 1 << (code & 63);
        }
        bytes.extend_from_slice(&(page[0] as u32 >> 8).to_le_bytes());
        bytes.extend_from_slice(&rank.to_le_bytes());
        map.iter()
            .for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        rank += page.len() as u32;
    }
    bytes
}
