//! Shortlists: which target tokens the output layer computes for a source.
//!
//! They are learnt from sentence pairs, references or the model's own translations. A translation can
//! only have listed tokens, so a list that is too short changes translations; whether it pays is a
//! question of measuring both, for which [`Coverage`] is the first look.

mod lexicon;

use std::collections::BTreeSet;

use csanmt_format::{SHORTLIST, SRC_VOCAB, TRG_VOCAB};
use csanmt_text::Vocabulary;

use crate::train::{CorpusError, Pair};
use crate::weights::Weights;
use lexicon::Lexicon;

/// Sizes of a shortlist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortlistOptions {
    /// How many of the most frequent target tokens are candidates of every sentence. Single characters
    /// are too, so that every word can be spelt.
    pub common: usize,
    /// How many candidates each source token has besides.
    pub per_token: usize,
    /// Rounds of expectation maximisation.
    pub rounds: usize,
}

impl Default for ShortlistOptions {
    fn default() -> Self {
        Self {
            common: 600,
            per_token: 40,
            rounds: 5,
        }
    }
}

/// What a shortlist leaves of the sentence pairs that it was learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coverage {
    /// Candidates of every sentence.
    pub common: usize,
    /// Candidates of a sentence on average.
    pub candidates: f64,
    /// Share of target tokens that are candidates in their sentence.
    pub tokens: f64,
    /// Share of target sentences all of whose tokens are.
    pub sentences: f64,
}

/// Learns a shortlist from `pairs` and puts it into the texts of the model.
///
/// # Errors
/// When a vocabulary of the model is damaged.
pub fn add_shortlist(
    weights: &mut Weights,
    pairs: &[Pair],
    options: &ShortlistOptions,
) -> Result<Coverage, CorpusError> {
    let config = weights.config();
    let (sources, targets) = (config.src_vocab_size, config.trg_vocab_size);
    let vocabulary = |name, size| {
        let text = weights.text(name).unwrap_or_default();
        Vocabulary::parse(text, size).map_err(|source| CorpusError::Text { name, source })
    };
    let (source_words, target_words) = (
        vocabulary(SRC_VOCAB, sources)?,
        vocabulary(TRG_VOCAB, targets)?,
    );
    let common = common(pairs, &target_words, targets, options.common);
    let lexicon = Lexicon::learn(pairs, sources, options.rounds);
    let of_token: Vec<BTreeSet<u32>> = (0..sources as u32)
        .map(|source| {
            // What is left as it is: numbers, names, signs.
            let same = source_words.token(source).and_then(|w| target_words.id(w));
            let best = lexicon.best(source, options.per_token).into_iter();
            best.chain(same).filter(|id| !common.contains(id)).collect()
        })
        .collect();
    let coverage = coverage(pairs, &common, &of_token);
    let mut text = String::new();
    for ids in std::iter::once(&common).chain(&of_token) {
        let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
        text.push_str(&ids.join(" "));
        text.push('\n');
    }
    weights.set_text(SHORTLIST, text.into_bytes());
    Ok(coverage)
}

/// The most frequent tokens, and those of one character.
fn common(pairs: &[Pair], words: &Vocabulary, size: usize, most: usize) -> BTreeSet<u32> {
    let mut counts = vec![0usize; size];
    for &token in pairs.iter().flat_map(|pair| &pair.target) {
        counts[token as usize] += 1;
    }
    let mut frequent: Vec<u32> = (0..size as u32).collect();
    frequent.sort_by_key(|&token| (std::cmp::Reverse(counts[token as usize]), token));
    frequent.truncate(most);
    let single = (0..size as u32).filter(|&token| words.is_single_character(token));
    frequent.into_iter().chain(single).collect()
}

fn coverage(pairs: &[Pair], common: &BTreeSet<u32>, of_token: &[BTreeSet<u32>]) -> Coverage {
    let (mut candidates, mut tokens, mut listed, mut whole) = (0, 0, 0, 0);
    for pair in pairs {
        let own = pair.source.iter().map(|&source| &of_token[source as usize]);
        let own: BTreeSet<u32> = own.flatten().copied().collect();
        let is_listed = |token: &&u32| common.contains(token) || own.contains(token);
        let count = pair.target.iter().filter(is_listed).count();
        candidates += common.len() + own.len();
        tokens += pair.target.len();
        listed += count;
        whole += usize::from(count == pair.target.len());
    }
    let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    Coverage {
        common: common.len(),
        candidates: share(candidates, pairs.len()),
        tokens: share(listed, tokens),
        sentences: share(whole, pairs.len()),
    }
}
