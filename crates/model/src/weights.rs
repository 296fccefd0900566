//! Which table plays which part; the configuration decides.

use csanmt_format::ModelConfig;

/// Names of the embedding and output tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableNames {
    /// Input of the encoder.
    pub(crate) source: &'static str,
    /// Input of the decoder.
    pub(crate) target: &'static str,
    /// Input of the semantic encoder.
    pub(crate) semantic: &'static str,
    /// Output layer.
    pub(crate) output: &'static str,
}

impl TableNames {
    pub(crate) fn of(config: &ModelConfig) -> Self {
        let (source, target, semantic) = if config.shared_source_target_embedding {
            let shared = "Shared_Embedding/Weights";
            (shared, shared, "Shared_Semantic_Embedding/Weights")
        } else {
            (
                "Source_Embedding/Weights",
                "Target_Embedding/Weights",
                "Source_Semantic_Embedding/Weights",
            )
        };
        let tied = config.shared_embedding_and_softmax_weights;
        Self {
            source,
            target,
            semantic,
            output: if tied { target } else { "Softmax" },
        }
    }
}
