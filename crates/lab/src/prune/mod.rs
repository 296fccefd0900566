//! Structured pruning: attention heads, neurons of feed-forward layers, layers and vocabulary are
//! taken out whole, so that what is left is an ordinary, smaller, dense model.

#[cfg(feature = "train")]
mod hidden;
mod importance;
mod layers;
mod merges;
mod selection;
mod slot;
mod surgery;
#[cfg(feature = "train")]
mod taylor;
mod vocabulary;

use std::fmt;

use csanmt_format::{ModelConfig, Widths};

#[cfg(feature = "train")]
pub(crate) use hidden::keep_channels;
pub use importance::Importance;
pub use layers::keep_layers;
#[cfg(feature = "train")]
pub(crate) use layers::select_layers;
pub use selection::{Budget, Goal};
pub use slot::{Part, Slot, slots};
#[cfg(feature = "train")]
pub use taylor::taylor;
pub use vocabulary::{VocabularyError, VocabularyReport, trim_vocabularies};

use crate::weights::{Parameters, Weights, WeightsError};

/// What a pruning did.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PruneReport {
    /// Weights before.
    pub before: Parameters,
    /// Weights after.
    pub after: Parameters,
    /// Widths that are left.
    pub widths: Widths,
}

/// Takes the least important heads and neurons out.
///
/// # Errors
/// When the importance does not belong to these weights or the budget cannot be met.
pub fn prune(
    weights: &Weights,
    importance: &Importance,
    budget: &Budget,
) -> Result<(Weights, PruneReport), PruneError> {
    let slots = slots(weights.config());
    let kept = selection::select(weights.config(), &slots, importance, budget)?;
    let pruned = surgery::keep_units(weights, &slots, &kept)?;
    let report = PruneReport {
        before: weights.parameters(),
        after: pruned.parameters(),
        widths: pruned.config().all_widths(),
    };
    Ok((pruned, report))
}

/// Why a model cannot be pruned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PruneError {
    /// The result is no model.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The importance was measured on another model.
    #[error("{slot} has {units} units, {found} are rated; rate this model itself")]
    Importance {
        /// Where.
        slot: String,
        /// Units of the model there.
        units: usize,
        /// Ratings.
        found: usize,
    },
    /// Even the narrowest layers have more weights.
    #[error(
        "at most {possible:.1} % of the weights outside the tables can be taken out this way, \
         {asked:.1} % were asked for"
    )]
    TooMuch {
        /// In per cent.
        asked: f64,
        /// In per cent.
        possible: f64,
    },
    /// There are fewer layers or units than should be kept.
    #[error("{what}: {asked} cannot be kept of {found}")]
    Keep {
        /// Of what.
        what: &'static str,
        /// How many should stay.
        asked: usize,
        /// How many there are.
        found: usize,
    },
    /// The residual stream cannot have this width.
    #[error("hidden size {asked}: expected a multiple of the head size {head}, at most {found}")]
    Hidden {
        /// What was asked for.
        asked: usize,
        /// The width that is there.
        found: usize,
        /// Channels of a head.
        head: usize,
    },
    /// The gradients cannot be computed.
    #[cfg(feature = "train")]
    #[error(transparent)]
    Gradient(#[from] crate::reference::ReferenceError),
}

impl fmt::Display for PruneReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.before, self.after);
        let less = |before: u64, after: u64| 100.0 * (1.0 - after as f64 / before as f64);
        writeln!(
            f,
            "parameters: {} before, {} after (-{:.1} %)",
            before.all,
            after.all,
            less(before.all, after.all)
        )?;
        writeln!(
            f,
            "outside the tables: {} before, {} after (-{:.1} %)",
            before.without_tables,
            after.without_tables,
            less(before.without_tables, after.without_tables)
        )?;
        let stages = [
            ("encoder", &self.widths.encoder),
            ("semantic encoder", &self.widths.semantic_encoder),
        ];
        for (stage, widths) in stages {
            for (layer, widths) in widths.iter().enumerate() {
                let (heads, filter) = (widths.heads, widths.filter);
                writeln!(f, "{stage} {layer}: {heads} heads, filter {filter}")?;
            }
        }
        for (layer, widths) in self.widths.decoder.iter().enumerate() {
            writeln!(
                f,
                "decoder {layer}: {} heads, {} heads to the source, augmentation {}, filter {}",
                widths.heads, widths.cross_heads, widths.augmentation, widths.filter
            )?;
        }
        Ok(())
    }
}

/// Notes widths in a configuration, or nothing where all layers are as wide as it says.
pub(crate) fn with_widths(config: &ModelConfig, widths: Widths) -> ModelConfig {
    let mut config = config.clone();
    config.widths = None;
    if config.all_widths() != widths {
        config.widths = Some(widths);
    }
    config
}
