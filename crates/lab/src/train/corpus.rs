//! Sentence pairs as ids.

use std::path::Path;
use std::sync::Arc;

use csanmt_format::{SEGMENTATION_DICTIONARY, SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB};
use csanmt_text::jieba::{Jieba, ZH_DICTIONARY};
use csanmt_text::{Bpe, SourceConfig, SourceEncoder, TextError, Vocabulary, WordSegmenter};

use crate::evaluate::{EvaluateError, read_pairs};
use crate::weights::Weights;

/// A sentence and its translation, ids without end marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Source ids.
    pub source: Vec<u32>,
    /// Target ids.
    pub target: Vec<u32>,
}

/// Why sentences cannot be used for training.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] EvaluateError),
    /// The model has no merge rules of the target.
    #[error(
        "the model file has no BPE codes of the target language; convert it again with --f32, or \
         give them with --target-codes"
    )]
    NoTargetCodes,
    /// A text of the model is damaged.
    #[error("{name} of the model")]
    Text {
        /// Which text.
        name: &'static str,
        /// Why.
        source: TextError,
    },
    /// The dictionary of the model is damaged.
    #[error("the segmentation dictionary of the model")]
    Dictionary(#[from] csanmt_text::jieba::DictionaryError),
    /// No pair is left.
    #[error("none of {pairs} sentence pairs can be used: both sides need 1 to {most} tokens")]
    NoPairs {
        /// How many there were.
        pairs: usize,
        /// Longest side.
        most: usize,
    },
}

/// Which pairs are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Most tokens of a side.
    pub most_tokens: usize,
    /// Most target tokens for each source token, and the other way round; short sentences may
    /// have five more.
    pub most_ratio: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            most_tokens: 80,
            most_ratio: 4.0,
        }
    }
}

impl Limits {
    fn allow(&self, pair: &Pair) -> bool {
        let (source, target) = (pair.source.len(), pair.target.len());
        let shorter = source.min(target) as f64;
        let longer = source.max(target);
        shorter > 0.0
            && longer <= self.most_tokens
            && longer as f64 <= self.most_ratio * shorter + 5.0
    }
}

/// Turns both sides into ids.
#[derive(Debug)]
pub struct PairEncoder {
    source: SourceEncoder,
    target: SourceEncoder,
}

impl PairEncoder {
    /// With the texts of a model.
    ///
    /// # Errors
    /// When the model has no merge rules of the target, or a text is damaged.
    pub fn new(weights: &Weights) -> Result<Self, CorpusError> {
        let config = weights.config();
        if weights.text(TRG_BPE).is_none() {
            return Err(CorpusError::NoTargetCodes);
        }
        let encoder = |language: &str, other: &str, vocabulary, size, codes| {
            let text = |name| weights.text(name).unwrap_or_default();
            let named = |name| move |source| CorpusError::Text { name, source };
            let languages = SourceConfig {
                src_lang: language.to_owned(),
                tgt_lang: other.to_owned(),
            };
            let segmenter: Option<Box<dyn WordSegmenter>> = if language == "zh" {
                let dictionary = weights
                    .text(SEGMENTATION_DICTIONARY)
                    .unwrap_or(ZH_DICTIONARY);
                Some(Box::new(Jieba::new(Arc::new(dictionary.to_vec()))?))
            } else {
                None
            };
            SourceEncoder::new(
                &languages,
                Vocabulary::parse(text(vocabulary), size).map_err(named(vocabulary))?,
                Bpe::parse(text(codes)).map_err(named(codes))?,
                segmenter,
            )
            .map_err(named(vocabulary))
        };
        let (source, target) = (&config.src_lang, &config.tgt_lang);
        Ok(Self {
            source: encoder(source, target, SRC_VOCAB, config.src_vocab_size, SRC_BPE)?,
            target: encoder(target, source, TRG_VOCAB, config.trg_vocab_size, TRG_BPE)?,
        })
    }

    /// The ids of a pair.
    #[must_use]
    pub fn encode(&self, source: &str, target: &str) -> Pair {
        Pair {
            source: self.source.encode(source),
            target: self.target.encode(target),
        }
    }
}

/// Pairs to train on.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The pairs in the order of the file.
    pub pairs: Vec<Pair>,
    /// Pairs of the file that are too long, too unequal or empty.
    pub left_out: usize,
}

impl Corpus {
    /// Reads a file of sentence pairs: source, TAB, target on each line.
    ///
    /// # Errors
    /// When the file cannot be read, the model's texts cannot be used, or no pair is left.
    pub fn read(path: &Path, weights: &Weights, limits: &Limits) -> Result<Self, CorpusError> {
        pairs_of_texts(&read_pairs(path)?, weights, limits)
    }
}

/// The pairs of texts that were read already.
///
/// # Errors
/// When the model's texts cannot be used, or no pair is left.
pub fn pairs_of_texts(
    texts: &[(String, String)],
    weights: &Weights,
    limits: &Limits,
) -> Result<Corpus, CorpusError> {
    let encoder = PairEncoder::new(weights)?;
    let all = texts
        .iter()
        .map(|(source, target)| encoder.encode(source, target));
    let pairs: Vec<Pair> = all.filter(|pair| limits.allow(pair)).collect();
    if pairs.is_empty() {
        return Err(CorpusError::NoPairs {
            pairs: texts.len(),
            most: limits.most_tokens,
        });
    }
    Ok(Corpus {
        left_out: texts.len() - pairs.len(),
        pairs,
    })
}
