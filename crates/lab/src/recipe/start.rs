//! Merge rules, vocabularies and first weights.

use std::collections::{BTreeMap, HashMap};

use csanmt_format::layout::{Role, variables};
use csanmt_format::{ModelConfig, SEGMENTATION_DICTIONARY, SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB};
use csanmt_text::jieba::{DictionaryError, ZH_DICTIONARY};
use csanmt_text::{Bpe, TextError};

use super::bpe::learn_bpe;
use super::words::Words;
use crate::train::Random;
use crate::weights::{Weights, WeightsError};

/// What a new model is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Sizes and languages. Vocabulary sizes are the largest allowed; few sentences have fewer
    /// tokens.
    pub config: ModelConfig,
    /// Most merge rules of each language.
    pub merges: usize,
    /// Seed of the first weights.
    pub seed: u64,
}

/// Why no model can be begun.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The languages or the learned texts cannot be used.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The bundled dictionary cannot be used.
    #[error(transparent)]
    Dictionary(#[from] DictionaryError),
    /// The sizes do not fit each other.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

const FIRST: u64 = 5;

/// A model with merge rules and vocabularies learned from sentence pairs, and random weights.
///
/// # Errors
/// When the languages are not known or the sizes do not fit each other.
pub fn start(texts: &[(String, String)], recipe: &Recipe) -> Result<Weights, RecipeError> {
    let mut config = recipe.config.clone();
    let (source, target) = (config.src_lang.clone(), config.tgt_lang.clone());
    let source = Side::learn(
        &source,
        &target,
        texts.iter().map(|pair| &pair.0[..]),
        recipe.merges,
    )?;
    let target = Side::learn(
        &config.tgt_lang,
        &config.src_lang,
        texts.iter().map(|pair| &pair.1[..]),
        recipe.merges,
    )?;
    let (source_lines, target_lines) = if config.shared_source_target_embedding {
        let mut counts = source.counts.clone();
        for (token, count) in &target.counts {
            *counts.entry(token.clone()).or_default() += count;
        }
        let lines = lines(&counts, config.src_vocab_size);
        (lines.clone(), lines)
    } else {
        (
            lines(&source.counts, config.src_vocab_size),
            lines(&target.counts, config.trg_vocab_size),
        )
    };
    // One more row, for unknown tokens.
    config.src_vocab_size = source_lines.len() + 1;
    config.trg_vocab_size = target_lines.len() + 1;
    let mut texts = BTreeMap::from([
        (SRC_VOCAB, joined(&source_lines)),
        (TRG_VOCAB, joined(&target_lines)),
        (SRC_BPE, source.codes.into_bytes()),
        (TRG_BPE, target.codes.into_bytes()),
    ]);
    if config.src_lang == "zh" {
        texts.insert(SEGMENTATION_DICTIONARY, ZH_DICTIONARY.to_vec());
    }
    let tensors = first_weights(&config, recipe.seed);
    Ok(Weights::new(config, tensors, texts)?)
}

/// What one language needs.
struct Side {
    codes: String,
    /// Tokens with their counts; single characters are there with 0 at least.
    counts: HashMap<String, usize>,
}

impl Side {
    fn learn<'t>(
        language: &str,
        other: &str,
        sentences: impl Iterator<Item = &'t str>,
        merges: usize,
    ) -> Result<Self, RecipeError> {
        let cutter = Words::new(language, other)?;
        let mut words: HashMap<String, usize> = HashMap::new();
        for sentence in sentences {
            for word in cutter.of(sentence).split_whitespace() {
                *words.entry(word.to_owned()).or_default() += 1;
            }
        }
        let mut words: Vec<(&str, usize)> = words.iter().map(|(w, &c)| (&w[..], c)).collect();
        words.sort_unstable();
        let codes = learn_bpe(words.iter().copied(), merges);
        let rules = if codes.lines().count() > 1 {
            codes
        } else {
            // A file without rules is refused; this one never applies.
            "#version: 0.2\n\u{1} \u{1}\n".to_owned()
        };
        let bpe = Bpe::parse(rules.as_bytes())?;
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (word, count) in words {
            for token in bpe.tokens(word) {
                *counts.entry(token).or_default() += count;
            }
            // Any other word of these characters can be spelt.
            let mut characters = word.chars().peekable();
            while let Some(c) = characters.next() {
                let mark = if characters.peek().is_some() {
                    "@@"
                } else {
                    ""
                };
                counts.entry(format!("{c}{mark}")).or_default();
            }
        }
        Ok(Self {
            codes: rules,
            counts,
        })
    }
}

/// At most `rows` - 1 lines: the end mark, then tokens, the most frequent first.
fn lines(counts: &HashMap<String, usize>, rows: usize) -> Vec<String> {
    let mut tokens: Vec<(&String, usize)> = counts.iter().map(|(t, &c)| (t, c)).collect();
    tokens.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let tokens = tokens.into_iter().map(|(token, _)| token.clone());
    let end = std::iter::once("</s>".to_owned());
    end.chain(tokens)
        .take(rows.saturating_sub(1).max(1))
        .collect()
}

fn joined(lines: &[String]) -> Vec<u8> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.into_bytes()
}

/// Uniform with variance `1 / mean of inputs and outputs` for matrices, normal with deviation
/// `H^-1/2` for tables, norms that change nothing.
fn first_weights(config: &ModelConfig, seed: u64) -> BTreeMap<String, Vec<f32>> {
    let deviation = 1.0 / (config.hidden_size as f64).sqrt();
    let list = variables(config).into_iter().enumerate();
    list.map(|(number, variable)| {
        let mut random = Random::new(seed, FIRST, number as u64);
        let len: usize = variable.shape.iter().product();
        let mut uniform = |limit: f64| (2.0 * random.uniform() - 1.0) * limit;
        let values: Vec<f32> = match variable.role {
            Role::Linear => {
                let mean = (variable.shape[0] + variable.shape[1]) as f64 / 2.0;
                let limit = (3.0 / mean).sqrt();
                (0..len).map(|_| uniform(limit) as f32).collect()
            }
            Role::OutputTable | Role::RowTable => (0..len)
                .map(|_| (random.normal() * deviation) as f32)
                .collect(),
            Role::Norm if variable.name.ends_with("scale") => vec![1.0; len],
            Role::Norm | Role::Bias => vec![0.0; len],
            Role::RelativeTable => (0..len).map(|_| uniform(0.05) as f32).collect(),
        };
        (variable.name, values)
    })
    .collect()
}
