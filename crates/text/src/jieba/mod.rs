//! Chinese word segmentation, word for word what Python jieba 0.42.1 gives with `jieba.cut(text)`
//! (exact mode, with the hidden Markov model), on which the translation models were trained.
//!
//! Text is split into runs of Chinese and ASCII word characters (`dag` finds the most probable
//! way through each run, `hmm` guesses words in what the dictionary does not know) and everything
//! else, of which each character is a word of its own.

mod alphabet;
#[cfg(not(target_arch = "wasm32"))]
mod build;
mod coder;
mod dag;
pub mod dictionary;
mod emissions;
mod forest;
mod hmm;
mod labels;
mod ln;

use std::sync::Arc;

use dictionary::Dictionary;
pub use dictionary::DictionaryError;
#[cfg(not(target_arch = "wasm32"))]
pub use emissions::pack as pack_emissions;

/// jieba's dictionary in the compact form, for programs that have no model file to take it from.
#[cfg(feature = "embedded-dictionary")]
pub const ZH_DICTIONARY: &[u8] = include_bytes!("../../data/zh.dictionary");

/// A segmenter over a dictionary. Cheap to make; words are decoded when first needed and kept.
#[derive(Debug)]
pub struct Jieba {
    dictionary: Dictionary,
}

impl Jieba {
    /// Wraps a dictionary made by [`dictionary::build`], e.g. a part of a memory-mapped file. Only
    /// its header is read.
    pub fn new(dictionary: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, DictionaryError> {
        Dictionary::new(dictionary).map(|dictionary| Self { dictionary })
    }

    /// Decodes the whole dictionary once, to report damage that [`Self::cut`] would pass over as
    /// missing words.
    pub fn verify(&self) -> Result<(), DictionaryError> {
        self.dictionary.entries().map(drop)
    }

    /// The words of `text`, in order and without gaps: they concatenate to `text`.
    pub fn cut<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut words = Vec::with_capacity(text.len() / 4);
        let mut graph = dag::Graph::new(&self.dictionary);
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c| !is_word_character(c)).unwrap_or(rest.len());
            let (known, other) = rest.split_at(end);
            graph.cut(known, &mut words);
            let end = other.find(is_word_character).unwrap_or(other.len());
            let (other, next) = other.split_at(end);
            cut_other(other, &mut words);
            rest = next;
        }
        words
    }
}

/// `[\u4E00-\u9FD5a-zA-Z0-9+#&._%-]`
fn is_word_character(c: char) -> bool {
    is_chinese(c)
        || c.is_ascii_alphanumeric()
        || matches!(c, '+' | '#' | '&' | '.' | '_' | '%' | '-')
}

/// `[\u4E00-\u9FD5]`: what Unicode 8 knew of the first CJK block; neither extensions nor 〇.
fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FD5}')
}

/// Each character is a word, except that `\r\n` stays together.
fn cut_other<'t>(mut text: &'t str, words: &mut Vec<&'t str>) {
    while let Some(c) = text.chars().next() {
        let length = if text.starts_with("\r\n") {
            2
        } else {
            c.len_utf8()
        };
        let (word, rest) = text.split_at(length);
        words.push(word);
        text = rest;
    }
}
