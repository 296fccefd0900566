//! What translations are compared with: a small JSON file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::STATISTICS;
use super::window::Sums;

/// A rate that was never seen may be seen now and then: the least deviation.
const LEAST_DEVIATION: f64 = 0.05;

/// Means and deviations by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Sentences it was made of.
    sentences: u64,
    statistics: BTreeMap<String, Known>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    pub(crate) mean: f64,
    deviation: f64,
}

/// A baseline that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The system's reason.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("{file} is no quality baseline: {source}; delete it to have a new one written")]
    Content {
        /// The file.
        file: PathBuf,
        /// What the parser met.
        source: serde_json::Error,
    },
}

impl Baseline {
    pub(super) fn of(total: &Sums) -> Self {
        let known = |index| Known {
            mean: total.mean(index),
            deviation: total.deviation(index),
        };
        Self {
            sentences: total.count,
            statistics: STATISTICS
                .iter()
                .enumerate()
                .map(|(index, name)| ((*name).to_owned(), known(index)))
                .collect(),
        }
    }

    /// Reads a file that a server has written.
    ///
    /// # Errors
    /// When there is none, or it is something else.
    pub fn read(file: &Path) -> Result<Self, BaselineError> {
        let text = std::fs::read_to_string(file).map_err(|source| BaselineError::Io {
            file: file.to_owned(),
            source,
        })?;
        serde_json::from_str(&text).map_err(|source| BaselineError::Content {
            file: file.to_owned(),
            source,
        })
    }

    pub(super) fn write(&self, file: &Path) -> Result<(), BaselineError> {
        let error = |source| BaselineError::Io {
            file: file.to_owned(),
            source,
        };
        // Numbers always have a JSON form.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        // Beside it and renamed, so that nobody reads half a file.
        let beside = file.with_extension("tmp");
        std::fs::write(&beside, text + "\n").map_err(error)?;
        std::fs::rename(&beside, file).map_err(error)
    }

    pub(super) fn get(&self, name: &str) -> Option<Known> {
        self.statistics.get(name).copied()
    }
}

impl Known {
    /// In standard deviations.
    pub(super) fn distance(self, mean: f64) -> f64 {
        (mean - self.mean) / self.deviation.max(LEAST_DEVIATION)
    }
}
