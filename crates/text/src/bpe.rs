//! Byte-pair encoding with code files of subword-nmt.
//!
//! A word starts as its characters; as long as a pair of neighbours is in the code file, the pair
//! that stands first in the file is merged, everywhere in the word at once. Pieces that do not end
//! the word get `@@` behind them. Characters the file does not know stay pieces of their own.

use crate::error::TextError;
use crate::string_table::StringTable;
use crate::vocabulary::utf8;
use crate::whitespace;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// Mark behind a piece that does not end its word.
pub const SEPARATOR: &str = "@@";
const END_OF_WORD: &str = "</w>";
/// A character no merge knows.
const UNKNOWN: u32 = u32::MAX;

/// Merge rules in the order of their file.
#[derive(Debug, Clone)]
pub struct Bpe {
    symbols: StringTable,
    /// Pair of symbol ids → place in the file and the merged symbol.
    merges: HashMap<u64, Merge, BuildHasherDefault<PairHasher>>,
    /// Symbol of each ASCII character inside a word.
    ascii: [u32; 128],
    /// `</w>` is a symbol of its own (file version 0.1) rather than part of the last character.
    separate_end: bool,
}

#[derive(Debug, Clone, Copy)]
struct Merge {
    rank: u32,
    symbol: u32,
}

impl Bpe {
    /// Reads a code file: two symbols a line, first line `#version: 0.2` unless it is version 0.1.
    ///
    /// # Errors
    /// If the file is not UTF-8, has another version, or a line without exactly two symbols.
    pub fn parse(bytes: &[u8]) -> Result<Self, TextError> {
        let text = utf8(bytes, "BPE codes")?;
        // Python reads text with universal newlines.
        let normalized = text
            .contains('\r')
            .then(|| text.replace("\r\n", "\n").replace('\r', "\n"));
        let mut text = normalized.as_deref().unwrap_or(text);
        let (mut separate_end, mut first_line) = (true, 1);
        if text.starts_with("#version:") {
            let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
            separate_end = is_version_0_1(line)?;
            (text, first_line) = (rest, 2);
        }
        let text = text.trim_end_matches('\n');
        // A line takes at least four bytes, so a file of empty lines reserves nothing.
        let lines = text.split('\n').count().min(text.len() / 4 + 1);
        // Interning can add both sides and the merged symbol of every line.
        if text.len() as u64 * 2 > u64::from(u32::MAX) {
            return Err(TextError::TooLarge {
                what: "BPE codes",
                bytes: text.len(),
            });
        }
        let mut symbols = StringTable::with_capacity(lines * 2, text.len() * 2);
        let mut merges = HashMap::with_capacity_and_hasher(lines, BuildHasherDefault::default());
        let mut merged = String::new();
        for (rank, line) in text.split('\n').enumerate() {
            let mut sides = line.trim_matches(['\r', '\n', ' ']).split(' ');
            let (Some(left), Some(right), None) = (sides.next(), sides.next(), sides.next()) else {
                return Err(TextError::BpeLine {
                    line: rank + first_line,
                    found: excerpt(line),
                });
            };
            merged.clear();
            merged.extend([left, right]);
            let pair = pair_key(symbols.intern(left), symbols.intern(right));
            let symbol = symbols.intern(&merged);
            merges.entry(pair).or_insert(Merge {
                rank: rank as u32,
                symbol,
            });
        }
        let ascii = std::array::from_fn(|code| {
            let character = char::from(code as u8);
            symbols
                .find(character.encode_utf8(&mut [0; 4]))
                .unwrap_or(UNKNOWN)
        });
        Ok(Self {
            symbols,
            merges,
            ascii,
            separate_end,
        })
    }

    /// The tokens of `words`, which are separated by spaces.
    #[must_use]
    pub fn tokens(&self, words: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.for_each_token(words, &mut |token, _| tokens.push(token.to_owned()));
        tokens
    }

    /// Calls `emit` with every token of `words` and the bytes it stands for (the token is that
    /// text, with [`SEPARATOR`] behind it inside a word).
    pub(crate) fn for_each_token(&self, words: &str, emit: &mut dyn FnMut(&str, Range<usize>)) {
        // Only the space separates words here; other white space is (part of) a word until the
        // tokens are split at all white space, and then vanishes.
        let trimmed = words.trim_start_matches(['\r', '\n', ' ']);
        let mut start = words.len() - trimmed.len();
        let mut token = String::new();
        for word in trimmed.trim_end_matches(['\r', '\n', ' ']).split(' ') {
            self.for_each_piece(word, &mut |piece| {
                token.clear();
                token.push_str(&word[piece.clone()]);
                if piece.end < word.len() {
                    token.push_str(SEPARATOR);
                }
                let text = start + piece.start..start + piece.end;
                if token.contains(whitespace::is_space) {
                    split_token(&token, &text, emit);
                } else {
                    emit(&token, text);
                }
            });
            start += word.len() + 1;
        }
    }

    /// The pieces of `word` as byte ranges that tile it.
    fn for_each_piece(&self, word: &str, emit: &mut dyn FnMut(Range<usize>)) {
        let mut chars = word.chars();
        let (Some(_), Some(_)) = (chars.next(), chars.next_back()) else {
            if !word.is_empty() {
                emit(0..word.len());
            }
            return;
        };
        let mut symbols = self.characters(word);
        self.merge(&mut symbols);
        for symbol in &symbols {
            // A bare `</w>` covers no text.
            if symbol.is_live() && symbol.start < symbol.end {
                emit(symbol.start as usize..symbol.end as usize);
            }
        }
    }

    /// `word` as one symbol a character.
    fn characters(&self, word: &str) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = Vec::with_capacity(word.len() + 1);
        let mut push = |id, start: usize, end: usize| {
            symbols.push(Symbol {
                id,
                start: start as u32,
                end: end as u32,
                next: 0,
                previous: 0,
            });
        };
        let mut last = 0;
        for (start, c) in word.char_indices() {
            let end = start + c.len_utf8();
            last = start;
            let id = match self.ascii.get(c as usize) {
                Some(&id) => id,
                None => self.symbol(&word[start..end]),
            };
            push(id, start, end);
        }
        if self.separate_end {
            push(self.symbol(END_OF_WORD), word.len(), word.len());
        } else if let Some(symbol) = symbols.last_mut() {
            symbol.id = self.symbol(&[&word[last..], END_OF_WORD].concat());
        }
        let count = symbols.len() as u32;
        for (i, symbol) in (0..count).zip(&mut symbols) {
            symbol.previous = i.wrapping_sub(1);
            symbol.next = i + 1;
        }
        symbols
    }

    fn symbol(&self, string: &str) -> u32 {
        self.symbols.find(string).unwrap_or(UNKNOWN)
    }

    /// Merges until no pair of neighbours has a rule.
    ///
    /// Each round takes the pair of lowest rank and merges it from left to right; pairs that arise
    /// in a round wait for the next, also when their rank is lower.
    fn merge(&self, symbols: &mut [Symbol]) {
        let mut queue: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        for i in 0..symbols.len() as u32 {
            if let Some(merge) = self.rule(symbols, i) {
                queue.push(Reverse((merge.rank, i)));
            }
        }
        let mut arisen = Vec::new();
        while let Some(&Reverse((rank, _))) = queue.peek() {
            while let Some(&Reverse((next_rank, i))) = queue.peek() {
                if next_rank != rank {
                    break;
                }
                queue.pop();
                // An entry is stale once either of its symbols has been merged away.
                let Some(merge) = self.rule(symbols, i).filter(|merge| merge.rank == rank) else {
                    continue;
                };
                join(symbols, i, merge.symbol);
                arisen.push(i);
                let previous = symbols[i as usize].previous;
                if previous != u32::MAX {
                    arisen.push(previous);
                }
            }
            for i in arisen.drain(..) {
                if let Some(merge) = self.rule(symbols, i) {
                    queue.push(Reverse((merge.rank, i)));
                }
            }
        }
    }

    /// The rule for symbol `i` and its right neighbour.
    fn rule(&self, symbols: &[Symbol], i: u32) -> Option<Merge> {
        let left = symbols.get(i as usize).filter(|left| left.is_live())?;
        let right = symbols.get(left.next as usize)?;
        if left.id == UNKNOWN || right.id == UNKNOWN {
            return None;
        }
        self.merges.get(&pair_key(left.id, right.id)).copied()
    }
}

/// A stretch of the word; symbols form a doubly linked list by index.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    id: u32,
    start: u32,
    end: u32,
    /// Index of the right neighbour, the number of symbols for the last one.
    next: u32,
    /// Index of the left neighbour, `u32::MAX` for the first one.
    previous: u32,
}

impl Symbol {
    /// Merged-away symbols get `next` 0, which no live symbol has.
    fn is_live(&self) -> bool {
        self.next != 0
    }
}

/// A token with white space in it, for the bytes `text`, falls into several or none.
fn split_token(token: &str, text: &Range<usize>, emit: &mut dyn FnMut(&str, Range<usize>)) {
    let mut end = 0;
    for part in whitespace::split(token) {
        let start = end + token[end..].find(part).unwrap_or_default();
        end = start + part.len();
        // Of the mark behind the token no part is text.
        emit(
            part,
            (text.start + start).min(text.end)..(text.start + end).min(text.end),
        );
    }
}

/// Merges symbol `i` with its right neighbour.
fn join(symbols: &mut [Symbol], i: u32, merged: u32) {
    let gone = symbols[i as usize].next;
    let Symbol { end, next, .. } = symbols[gone as usize];
    symbols[gone as usize].next = 0;
    symbols[i as usize].id = merged;
    symbols[i as usize].end = end;
    symbols[i as usize].next = next;
    if let Some(right) = symbols.get_mut(next as usize) {
        right.previous = i;
    }
}

fn pair_key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// `Ok(true)` for `#version: 0.1`, `Ok(false)` for 0.2; trailing `.0` parts do not count.
fn is_version_0_1(line: &str) -> Result<bool, TextError> {
    let mut version = line.split_whitespace().next_back().unwrap_or_default();
    let found = version.to_owned();
    while let Some(shorter) = version.trim_end_matches('0').strip_suffix('.') {
        if version.ends_with('.') {
            break;
        }
        version = shorter;
    }
    match version {
        "0.1" => Ok(true),
        "0.2" => Ok(false),
        _ => Err(TextError::BpeVersion { found }),
    }
}

/// The start of a line, short enough for a message.
fn excerpt(line: &str) -> String {
    line.chars().take(60).collect()
}

/// Multiplies the one `u64` it is given; ids are dense, so this spreads them well.
#[derive(Debug, Clone, Copy, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
