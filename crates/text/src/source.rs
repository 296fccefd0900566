//! Source side: a sentence to token ids.

use crate::bpe::Bpe;
use crate::error::TextError;
use crate::moses::{Normalizer, Tokenizer};
use crate::segmenter::WordSegmenter;
use crate::vocabulary::Vocabulary;
use std::fmt;
use std::ops::Range;

/// The languages of a model, as two-letter codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceConfig {
    /// Language read.
    pub src_lang: String,
    /// Language written: it decides whether hyphens are split.
    pub tgt_lang: String,
}

/// Everything that happens to a sentence on its way to ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The words with spaces between them.
    pub words: String,
    /// BPE tokens.
    pub tokens: Vec<String>,
    /// One id a token.
    pub ids: Vec<u32>,
}

/// One token and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Id given to the model.
    pub id: u32,
    /// The token without its `@@`.
    pub text: String,
    /// The next piece belongs to the same word.
    pub continues: bool,
    /// Bytes of the sentence, where words are taken from it unchanged (Chinese).
    pub range: Option<Range<usize>>,
}

enum Words {
    Segmented(Box<dyn WordSegmenter>),
    Moses(Normalizer, Tokenizer),
}

/// Turns sentences into the ids the model was trained on.
pub struct SourceEncoder {
    words: Words,
    bpe: Bpe,
    vocabulary: Vocabulary,
}

impl fmt::Debug for SourceEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self.words {
            Words::Segmented(_) => "segmented",
            Words::Moses(..) => "moses",
        };
        f.debug_struct("SourceEncoder")
            .field("words", &words)
            .field("vocabulary", &self.vocabulary)
            .finish_non_exhaustive()
    }
}

impl SourceEncoder {
    /// An encoder for one language pair. `segmenter` is used for Chinese only.
    ///
    /// # Errors
    /// If the source language is Chinese and there is no segmenter.
    pub fn new(
        config: &SourceConfig,
        vocabulary: Vocabulary,
        bpe: Bpe,
        segmenter: Option<Box<dyn WordSegmenter>>,
    ) -> Result<Self, TextError> {
        let SourceConfig { src_lang, tgt_lang } = config;
        let words = match segmenter {
            Some(segmenter) if src_lang == "zh" => Words::Segmented(segmenter),
            None if src_lang == "zh" => {
                return Err(TextError::NoSegmenter {
                    language: src_lang.clone(),
                });
            }
            _ => Words::Moses(
                Normalizer::new(src_lang),
                Tokenizer::new(src_lang, splits_dashes(src_lang, tgt_lang)),
            ),
        };
        Ok(Self {
            words,
            bpe,
            vocabulary,
        })
    }

    /// The ids of one sentence, without an end mark.
    #[must_use]
    pub fn encode(&self, sentence: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.visit(sentence, |token| ids.push(token.id));
        ids
    }

    /// The ids of one sentence with the steps that led to them.
    #[must_use]
    pub fn trace(&self, sentence: &str) -> Trace {
        let (mut tokens, mut ids) = (Vec::new(), Vec::new());
        let words = self.visit(sentence, |token| {
            tokens.push(token.token.to_owned());
            ids.push(token.id);
        });
        Trace { words, tokens, ids }
    }

    /// The ids of one sentence with the text each stands for, so that a token the vocabulary does
    /// not know can be found again.
    #[must_use]
    pub fn pieces(&self, sentence: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.visit(sentence, |token| {
            pieces.push(Piece {
                id: token.id,
                text: token.text.to_owned(),
                continues: token.token.len() > token.text.len(),
                range: token.range,
            });
        });
        pieces
    }

    /// The vocabulary ids are taken from.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Calls `emit` with every token and returns the words as one string.
    fn visit(&self, sentence: &str, emit: impl FnMut(Token<'_>)) -> String {
        match &self.words {
            Words::Moses(normalizer, tokenizer) => {
                let words = tokenizer.tokenize(&normalizer.normalize(sentence));
                self.visit_words(&words, |_| None, emit);
                words
            }
            Words::Segmented(segmenter) => {
                let cut = segmenter.cut(sentence);
                let words = cut.join(" ");
                // Behind word i stands one added space, so its text is i bytes further right.
                let mut ends = cut.iter().scan(0, |end, word| {
                    *end += word.len();
                    Some(*end)
                });
                let mut added = 0;
                let mut end = ends.next().unwrap_or_default();
                let origin = |start: usize| {
                    while start.saturating_sub(added) >= end {
                        let Some(next) = ends.next() else { break };
                        end = next;
                        added += 1;
                    }
                    Some(start.saturating_sub(added))
                };
                self.visit_words(&words, origin, emit);
                words
            }
        }
    }

    /// Splits `words` into BPE tokens. `origin` maps a byte of `words` to one of the sentence and
    /// is called with growing arguments.
    fn visit_words(
        &self,
        words: &str,
        mut origin: impl FnMut(usize) -> Option<usize>,
        mut emit: impl FnMut(Token<'_>),
    ) {
        self.bpe.for_each_token(words, &mut |token, range| {
            let start = origin(range.start);
            emit(Token {
                token,
                text: &words[range.clone()],
                id: self.vocabulary.id(token).unwrap_or(self.vocabulary.unk()),
                range: start.map(|start| start..start + range.len()),
            });
        });
    }
}

struct Token<'a> {
    token: &'a str,
    text: &'a str,
    id: u32,
    range: Option<Range<usize>>,
}

/// Whether `a-b` becomes `a @-@ b`: not between English and French or Spanish.
fn splits_dashes(src_lang: &str, tgt_lang: &str) -> bool {
    !matches!(
        (src_lang, tgt_lang),
        ("es" | "fr", "en") | ("en", "es" | "fr")
    )
}
