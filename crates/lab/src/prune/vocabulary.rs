//! Taking tokens out of the vocabularies that a corpus never uses.

use std::collections::BTreeMap;

use csanmt_format::{SRC_BPE, SRC_VOCAB, TRG_BPE, TRG_VOCAB};
use csanmt_text::{TextError, Vocabulary};

use super::merges::Merges;
use crate::weights::{Weights, WeightsError};

/// Why vocabularies cannot be trimmed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// A vocabulary cannot be read.
    #[error("vocabulary of the model")]
    Text(#[from] TextError),
    /// The result is no model.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// Rows of the tables before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct VocabularyReport {
    /// Source table.
    pub source: (usize, usize),
    /// Target table.
    pub target: (usize, usize),
}

/// Keeps the tokens that occur at least `least` times in the given sentences of ids, the tokens
/// that their merge rules make on the way, and all single characters. Merge rules that only made
/// other tokens go, so that every text can still be spelt. The end mark and the row of unknown
/// tokens stay in any case. A shared vocabulary keeps what either side needs.
///
/// # Errors
/// When a vocabulary of the model cannot be read.
pub fn trim_vocabularies<'c>(
    weights: &Weights,
    pairs: impl Iterator<Item = (&'c [u32], &'c [u32])>,
    least: usize,
) -> Result<(Weights, VocabularyReport), VocabularyError> {
    let config = weights.config();
    let (source_rows, target_rows) = (config.src_vocab_size, config.trg_vocab_size);
    let mut counts = [vec![0usize; source_rows], vec![0usize; target_rows]];
    for (source, target) in pairs {
        for (counts, ids) in counts.iter_mut().zip([source, target]) {
            for &id in ids {
                if let Some(count) = counts.get_mut(id as usize) {
                    *count += 1;
                }
            }
        }
    }
    let vocabulary = |name, size| Vocabulary::parse(weights.text(name).unwrap_or_default(), size);
    let vocabularies = [
        vocabulary(SRC_VOCAB, source_rows)?,
        vocabulary(TRG_VOCAB, target_rows)?,
    ];
    let mut kept: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for side in 0..2 {
        let rows = counts[side].len();
        kept[side] = (0..rows)
            .filter(|&id| {
                let single =
                    u32::try_from(id).is_ok_and(|id| vocabularies[side].is_single_character(id));
                id == 0 || id + 1 == rows || single || counts[side][id] >= least
            })
            .collect();
    }
    let codes = [SRC_BPE, TRG_BPE].map(|name| {
        let text = weights.text(name)?;
        Some((name, String::from_utf8_lossy(text)))
    });
    let mut merges: Vec<(usize, &str, Merges<'_>)> = Vec::new();
    for (side, codes) in codes.iter().enumerate() {
        if let Some((name, text)) = codes {
            merges.push((side, name, Merges::parse(text)));
        }
    }
    for (side, _, merges) in &mut merges {
        complete(
            &mut kept[*side],
            &vocabularies[*side],
            counts[*side].len(),
            merges,
        );
    }
    if config.shared_source_target_embedding {
        let mut both = [&kept[0][..], &kept[1][..]].concat();
        both.sort_unstable();
        both.dedup();
        kept = [both.clone(), both];
    }
    let mut config = config.clone();
    (config.src_vocab_size, config.trg_vocab_size) = (kept[0].len(), kept[1].len());
    let hidden = config.hidden_size;
    let mut tensors: BTreeMap<String, Vec<f32>> = weights.tensors().clone();
    for (name, values) in &mut tensors {
        let side = match name.as_str() {
            "Shared_Embedding/Weights"
            | "Shared_Semantic_Embedding/Weights"
            | "Source_Embedding/Weights"
            | "Source_Semantic_Embedding/Weights" => 0,
            "Target_Embedding/Weights" | "Softmax" => 1,
            _ => continue,
        };
        *values = kept[side]
            .iter()
            .flat_map(|&row| values[row * hidden..(row + 1) * hidden].to_vec())
            .collect();
    }
    let report = VocabularyReport {
        source: (source_rows, kept[0].len()),
        target: (target_rows, kept[1].len()),
    };
    // A shortlist names tokens by numbers that they no longer have.
    let mut trimmed = weights.with_tensors(config, tensors)?.without_shortlist();
    for (side, name) in [SRC_VOCAB, TRG_VOCAB].into_iter().enumerate() {
        // The row of unknown tokens has no line.
        let lines = kept[side].iter().take(kept[side].len() - 1);
        let token = |&id: &usize| {
            u32::try_from(id)
                .ok()
                .and_then(|id| vocabularies[side].token(id))
        };
        let text: String = lines
            .map(|id| format!("{}\n", token(id).unwrap_or_default()))
            .collect();
        trimmed.set_text(name, text.into_bytes());
    }
    for (_, name, merges) in &merges {
        let name = if *name == SRC_BPE { SRC_BPE } else { TRG_BPE };
        trimmed.set_text(name, merges.text().into_bytes());
    }
    Ok((trimmed, report))
}

/// Adds the tokens that the merge rules of kept tokens make on the way, and tokens that could not be
/// spelt without them.
fn complete(kept: &mut Vec<usize>, vocabulary: &Vocabulary, rows: usize, merges: &mut Merges<'_>) {
    let token = |id: usize| u32::try_from(id).ok().and_then(|id| vocabulary.token(id));
    let place = |token: &str| vocabulary.id(token).map(|id| id as usize);
    let mut stays = vec![false; rows];
    let mut added: Vec<usize> = std::mem::take(kept);
    while !added.is_empty() {
        while let Some(id) = added.pop() {
            if std::mem::replace(&mut stays[id], true) {
                continue;
            }
            let made = token(id).map_or(Vec::new(), |token| merges.keep(token));
            added.extend(made.iter().filter_map(|token| place(token)));
        }
        // Rules that were added may spell others differently, hence once more until none is left.
        added = (0..rows)
            .filter(|&id| !stays[id])
            .filter(|&id| {
                let pieces = token(id).map_or(Vec::new(), |token| merges.pieces(token));
                let known = |piece: &String| place(piece).is_some_and(|id| stays[id]);
                !pieces.iter().all(known)
            })
            .collect();
    }
    kept.extend((0..rows).filter(|&id| stays[id]));
}
