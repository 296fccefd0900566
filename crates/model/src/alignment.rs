//! Which source position each token of a translation comes from.

use crate::decoder::Attended;
use crate::error::ModelError;
use crate::model::Model;
use crate::workspace::Workspace;

impl Model {
    /// Cross-attention of the decoder over given translations, one a sentence: `observe` sees what
    /// every position looks at, in every layer.
    ///
    /// # Errors
    /// When an id is outside its vocabulary.
    pub fn cross_attention<S: AsRef<[u32]>, T: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        targets: &[T],
        workspace: &mut Workspace,
        observe: &mut dyn FnMut(Attended<'_>),
    ) -> Result<(), ModelError> {
        let last = self.config().num_decoder_layers.saturating_sub(1);
        self.attend_forced(sentences, targets, last, workspace, observe)
    }

    /// What the tokens of given translations look at in the source, one map a sentence.
    ///
    /// # Errors
    /// When an id is outside its vocabulary.
    pub fn align<S: AsRef<[u32]>, T: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        targets: &[T],
        workspace: &mut Workspace,
    ) -> Result<Vec<AttentionMap>, ModelError> {
        let widths = self.config().all_widths().decoder;
        let layer = widths.len().saturating_sub(1);
        let heads = widths.last().map_or(1, |last| last.cross_heads);
        let mut maps: Vec<AttentionMap> = targets.iter().map(|_| AttentionMap::default()).collect();
        self.attend_forced(sentences, targets, layer, workspace, &mut |attended| {
            let target = targets[attended.sentence].as_ref();
            if attended.layer != layer || attended.position >= target.len() {
                return;
            }
            let positions = attended.weights.len() / heads;
            let map = &mut maps[attended.sentence];
            map.positions = positions;
            let start = map.weights.len();
            map.weights.resize(start + positions, 0.0);
            for head in attended.weights.chunks_exact(positions.max(1)) {
                for (sum, weight) in map.weights[start..].iter_mut().zip(head) {
                    *sum += weight / heads as f32;
                }
            }
        })?;
        Ok(maps)
    }
}

/// How much each token of a translation looks at each position of its source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttentionMap {
    /// Source positions: the source's tokens and the end of the sentence.
    positions: usize,
    /// `[target tokens, positions]`, every row sums to 1.
    weights: Vec<f32>,
}

impl AttentionMap {
    /// The weights of a target token over the source positions, the end of the sentence last.
    /// Empty when there is no such token or no position.
    #[must_use]
    pub fn row(&self, token: usize) -> &[f32] {
        let start = token.saturating_mul(self.positions);
        let end = start.saturating_add(self.positions);
        self.weights.get(start..end).unwrap_or_default()
    }
}
