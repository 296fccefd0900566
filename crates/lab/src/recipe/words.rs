//! Words of sentences as the model's text pipeline cuts them.

use std::sync::Arc;

use csanmt_text::jieba::{Jieba, ZH_DICTIONARY};
use csanmt_text::{Bpe, SourceConfig, SourceEncoder, Vocabulary, WordSegmenter};

use super::start::RecipeError;

/// Cuts sentences of one language.
pub(super) struct Words(SourceEncoder);

impl Words {
    pub(super) fn new(language: &str, other: &str) -> Result<Self, RecipeError> {
        let languages = SourceConfig {
            src_lang: language.to_owned(),
            tgt_lang: other.to_owned(),
        };
        let segmenter: Option<Box<dyn WordSegmenter>> = if language == "zh" {
            Some(Box::new(Jieba::new(Arc::new(ZH_DICTIONARY.to_vec()))?))
        } else {
            None
        };
        // Only the words are asked for, which do not depend on these.
        let bpe = Bpe::parse(b"#version: 0.2\na b\n")?;
        let vocabulary = Vocabulary::parse(b"</s>\n", 2)?;
        Ok(Self(SourceEncoder::new(
            &languages, vocabulary, bpe, segmenter,
        )?))
    }

    pub(super) fn of(&self, sentence: &str) -> String {
        self.0.trace(sentence).words
    }
}
