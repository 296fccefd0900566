//! Target side: token ids to text.

use crate::bpe::SEPARATOR;
use crate::moses::Detokenizer;
use crate::vocabulary::{EOS, Vocabulary};

/// What stands in the text for an id without a token.
pub const UNKNOWN_TOKEN: &str = "<unk>";

/// Turns the ids of a translation into text.
#[derive(Debug, Clone)]
pub struct TargetDecoder {
    vocabulary: Vocabulary,
    detokenizer: Detokenizer,
}

impl TargetDecoder {
    /// A decoder for the two-letter code of the language written.
    #[must_use]
    pub fn new(tgt_lang: &str, vocabulary: Vocabulary) -> Self {
        Self {
            vocabulary,
            detokenizer: Detokenizer::new(tgt_lang),
        }
    }

    /// The text of `ids` up to the first end mark.
    #[must_use]
    pub fn decode(&self, ids: &[u32]) -> String {
        let tokens = ids
            .iter()
            .take_while(|&&id| id != EOS)
            .map(|&id| self.vocabulary.token(id).unwrap_or(UNKNOWN_TOKEN));
        self.detokenize(tokens)
    }

    /// The text of tokens that may come from elsewhere than the vocabulary, as when an unknown
    /// token is replaced by its source.
    #[must_use]
    pub fn detokenize<'t>(&self, tokens: impl IntoIterator<Item = &'t str>) -> String {
        let mut text = String::new();
        for token in tokens {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(token);
        }
        let text = text.replace("@@ ", "").replace(SEPARATOR, "");
        self.detokenizer.detokenize(&text)
    }

    /// The vocabulary tokens are taken from.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}
