//! Which units stay.

use std::cmp::Ordering;

use csanmt_format::ModelConfig;
use csanmt_format::layout::Stage;

use super::PruneError;
use super::importance::Importance;
use super::slot::{Part, Slot};
use crate::weights::Parameters;

/// What a unit costs while it stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Its weights.
    #[default]
    Size,
    /// Its time in the translation of a typical sentence by itself: decoder layers run once a
    /// token, encoder layers once.
    Speed,
}

/// How much is taken out.
#[derive(Clone, Debug, PartialEq)]
pub enum Budget {
    /// This share of the weights outside the tables, 0 to 1, wherever the least importance is lost
    /// for what is gained.
    Share {
        /// Of the weights outside the tables.
        share: f64,
        /// What is gained.
        goal: Goal,
        /// Also in the semantic encoder.
        semantic: bool,
    },
    /// The same width in every layer; a narrower layer stays as it is.
    Uniform {
        /// Heads that stay, of either kind of attention.
        heads: Option<usize>,
        /// Neurons that stay in feed-forward layers.
        filter: Option<usize>,
        /// Also in the semantic encoder.
        semantic: bool,
    },
}

/// Neurons are taken out in blocks of this many, so that widths suit the kernels; singly where
/// layers are narrow.
const BLOCK: usize = 16;

/// Numbers of the units that stay, ascending, for each slot in the order of `slots`.
pub(crate) fn select(
    config: &ModelConfig,
    slots: &[Slot],
    importance: &Importance,
    budget: &Budget,
) -> Result<Vec<Vec<usize>>, PruneError> {
    let ranked: Vec<Vec<usize>> = slots
        .iter()
        .map(|slot| Ok(ascending(importance.of(slot)?)))
        .collect::<Result<_, PruneError>>()?;
    let removed = match budget {
        Budget::Uniform {
            heads,
            filter,
            semantic,
        } => uniform(slots, *heads, *filter, *semantic)?,
        Budget::Share {
            share,
            goal,
            semantic,
        } => by_share(
            config,
            slots,
            importance,
            &ranked,
            (*share, *goal, *semantic),
        )?,
    };
    let pairs = ranked.into_iter().zip(removed);
    Ok(pairs
        .map(|(mut units, removed)| {
            let mut kept = units.split_off(removed);
            kept.sort_unstable();
            kept
        })
        .collect())
}

/// Places of the numbers, the smallest first.
fn ascending(ratings: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..ratings.len()).collect();
    places.sort_by(|&a, &b| ratings[a].total_cmp(&ratings[b]));
    places
}

/// How many units each slot loses.
fn uniform(
    slots: &[Slot],
    heads: Option<usize>,
    filter: Option<usize>,
    semantic: bool,
) -> Result<Vec<usize>, PruneError> {
    let wanted = |slot: &Slot| match slot.part {
        Part::Heads | Part::CrossHeads => heads,
        Part::Filter => filter,
        Part::Augmentation => None,
    };
    for (what, asked) in [("heads", heads), ("neurons", filter)] {
        if asked == Some(0) {
            let found = slots.iter().map(|slot| slot.units).max().unwrap_or(0);
            return Err(PruneError::Keep {
                what,
                asked: 0,
                found,
            });
        }
    }
    let removed = |slot: &Slot| {
        let touched = semantic || slot.stage != Stage::SemanticEncoder;
        let kept = wanted(slot).filter(|_| touched).unwrap_or(slot.units);
        slot.units.saturating_sub(kept)
    };
    Ok(slots.iter().map(removed).collect())
}

/// A block of the least important units of a slot.
struct Block {
    slot: usize,
    /// Units of the slot that are gone with this block.
    removed: usize,
    weights: usize,
    /// Importance lost for what is gained.
    price: f64,
}

fn by_share(
    config: &ModelConfig,
    slots: &[Slot],
    importance: &Importance,
    ranked: &[Vec<usize>],
    (share, goal, semantic): (f64, Goal, bool),
) -> Result<Vec<usize>, PruneError> {
    let mut blocks = Vec::new();
    for (number, slot) in slots.iter().enumerate() {
        if slot.stage == Stage::SemanticEncoder && !semantic {
            continue;
        }
        let ratings = importance.of(slot)?;
        let size = match slot.part {
            Part::Heads | Part::CrossHeads => 1,
            Part::Filter | Part::Augmentation if slot.units >= 4 * BLOCK => BLOCK,
            Part::Filter | Part::Augmentation => 1,
        };
        let gain = match goal {
            Goal::Size => slot.weights_of_unit() as f64,
            Goal::Speed => slot.work_of_unit(),
        };
        // At least one block stays.
        let most = (slot.units - 1) / size;
        let mut dearest = f64::NEG_INFINITY;
        for (block, units) in ranked[number].chunks_exact(size).take(most).enumerate() {
            let lost: f64 = units.iter().map(|&unit| ratings[unit]).sum();
            // Blocks go in their order, so none may look cheaper than the one before it.
            dearest = dearest.max(lost / (gain * size as f64));
            blocks.push(Block {
                slot: number,
                removed: (block + 1) * size,
                weights: size * slot.weights_of_unit(),
                price: dearest,
            });
        }
    }
    blocks.sort_by(|a, b| match a.price.total_cmp(&b.price) {
        Ordering::Equal => (a.slot, a.removed).cmp(&(b.slot, b.removed)),
        order => order,
    });
    let all = Parameters::of(config).without_tables as f64;
    let mut removed = vec![0; slots.len()];
    let mut weights = 0usize;
    for block in &blocks {
        if weights as f64 >= share * all {
            break;
        }
        removed[block.slot] = block.removed;
        weights += block.weights;
    }
    if (weights as f64) < share * all {
        return Err(PruneError::TooMuch {
            asked: 100.0 * share,
            possible: 100.0 * weights as f64 / all,
        });
    }
    Ok(removed)
}
