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

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts before every character that is not ASCII, and around `\r\n`.
    struct ByCharacter;

    impl WordSegmenter for ByCharacter {
        fn cut<'t>(&self, text: &'t str) -> Vec<&'t str> {
            let mut words = Vec::new();
            let mut start = 0;
            for (at, c) in text.char_indices().skip(1) {
                let word = &text[start..at];
                let joined =
                    (word.is_ascii() && c.is_ascii_alphanumeric()) || (word, c) == ("\r", '\n');
                if !joined {
                    words.push(&text[start..at]);
                    start = at;
                }
            }
            words.push(&text[start..]);
            words
        }
    }

    fn chinese(vocabulary: &str, codes: &str) -> SourceEncoder {
        let config = SourceConfig {
            src_lang: "zh".into(),
            tgt_lang: "en".into(),
        };
        let size = vocabulary.lines().count() + 1;
        SourceEncoder::new(
            &config,
            Vocabulary::parse(vocabulary.as_bytes(), size).unwrap(),
            Bpe::parse(codes.as_bytes()).unwrap(),
            Some(Box::new(ByCharacter)),
        )
        .unwrap()
    }

    #[test]
    fn unknown_tokens_lead_back_to_their_source() {
        let encoder = chinese("</s>\n我\nab@@\nc", "#version: 0.2\na b\n");
        let sentence = "我𠮷abcabx";
        let pieces = encoder.pieces(sentence);
        assert_eq!(encoder.encode(sentence), [1, 4, 2, 4, 2, 4]);
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts, ["我", "𠮷", "ab", "c", "ab", "x"]);
        for piece in &pieces {
            assert_eq!(&sentence[piece.range.clone().unwrap()], piece.text);
        }
        assert_eq!(
            pieces
                .iter()
                .map(|piece| piece.continues)
                .collect::<Vec<_>>(),
            [false, false, true, true, true, false]
        );
    }

    #[test]
    fn white_space_words_vanish_but_a_line_break_pair_leaves_its_mark() {
        let encoder = chinese("</s>\n我\n@@", "#version: 0.2\na b\n");
        let trace = encoder.trace(" 我\u{3000}我\r\n我\r\n");
        // What subword-nmt makes of the word `\r\n`: `\r@@` and `\n`, split at white space.
        assert_eq!(trace.tokens, ["我", "我", "@@", "我"]);
        assert_eq!(trace.ids, [1, 1, 2, 1]);
        let ranges = encoder
            .pieces("我\r\n我")
            .into_iter()
            .map(|piece| piece.range.unwrap());
        assert_eq!(ranges.collect::<Vec<_>>(), [0..3, 4..4, 5..8]);
    }

    #[test]
    fn empty_text_has_no_ids() {
        let encoder = chinese("</s>", "#version: 0.2\na b\n");
        assert!(encoder.encode("").is_empty());
        assert!(encoder.encode(" \u{3000}\n").is_empty());
    }

    #[test]
    fn a_megabyte_takes_linear_time() {
        let encoder = chinese("</s>\n中", "#version: 0.2\na b\n");
        assert_eq!(encoder.pieces(&"中".repeat(333_333)).len(), 333_333);
        let config = SourceConfig {
            src_lang: "en".into(),
            tgt_lang: "fr".into(),
        };
        let vocabulary = Vocabulary::parse(b"</s>", 2).unwrap();
        let bpe = Bpe::parse(b"#version: 0.2\na b\n").unwrap();
        let english = SourceEncoder::new(&config, vocabulary, bpe, None).unwrap();
        for unit in [
            "a", "a. ", "'", "\"", ".", "DOT", ",", "-", "(", "\u{a0}1", " %",
        ] {
            let ids = english.encode(&unit.repeat(1_000_000 / unit.len()));
            assert!(ids.iter().all(|&id| id == 1), "{unit:?}");
        }
    }

    #[test]
    fn chinese_needs_a_segmenter() {
        let config = SourceConfig {
            src_lang: "zh".into(),
            tgt_lang: "en".into(),
        };
        let vocabulary = Vocabulary::parse(b"</s>", 2).unwrap();
        let bpe = Bpe::parse(b"#version: 0.2\na b\n").unwrap();
        let error = SourceEncoder::new(&config, vocabulary, bpe, None).unwrap_err();
        assert!(matches!(error, TextError::NoSegmenter { language } if language == "zh"));
    }
}
