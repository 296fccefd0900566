//! Layer norms and where they act.

use candle_core::{D, Result, Tensor};
use csanmt_format::ModelConfig;

use super::error::ReferenceError;
use super::variables::Scope;

const EPSILON: f64 = 1e-6;

/// `(x - mean) / sqrt(variance + 1e-6) * scale + offset` over the last axis.
///
/// candle's own layer norm takes a path without gradients.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    scale: Tensor,
    offset: Tensor,
}

impl Norm {
    pub(super) fn new(scope: &Scope<'_>) -> std::result::Result<Self, ReferenceError> {
        Ok(Self {
            scale: scope.tensor("layer_norm_scale")?,
            offset: scope.tensor("layer_norm_offset")?,
        })
    }

    /// The norm behind a whole stack, which only pre-norm models have.
    pub(super) fn last(
        config: &ModelConfig,
        stack: &Scope<'_>,
    ) -> std::result::Result<Option<Self>, ReferenceError> {
        config
            .pre_norm
            .then(|| Self::new(&stack.enter("layer_norm")))
            .transpose()
    }

    pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let centered = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        let variance = centered.sqr()?.mean_keepdim(D::Minus1)?;
        let deviation = (variance + EPSILON)?.sqrt()?;
        centered
            .broadcast_div(&deviation)?
            .broadcast_mul(&self.scale)?
            .broadcast_add(&self.offset)
    }
}

/// The norm of a sublayer: on its input (pre-norm), or on the sum of residual and output
/// (post-norm).
#[derive(Clone, Debug)]
pub(super) struct SublayerNorm {
    before: Option<Norm>,
    after: Option<Norm>,
}

impl SublayerNorm {
    /// `name` is `layer_norm`, `layer_norm_1`, … in the order of the sublayers.
    pub(super) fn new(
        config: &ModelConfig,
        layer: &Scope<'_>,
        name: &str,
    ) -> std::result::Result<Self, ReferenceError> {
        let norm = |wanted: bool| wanted.then(|| Norm::new(&layer.enter(name))).transpose();
        Ok(Self {
            before: norm(config.pre_norm)?,
            after: norm(config.post_norm)?,
        })
    }

    /// What the sublayer computes on, given its input.
    pub(super) fn before(&self, x: &Tensor) -> Result<Tensor> {
        forward_if(self.before.as_ref(), x)
    }

    /// What the next sublayer gets, given residual + output.
    pub(super) fn after(&self, sum: &Tensor) -> Result<Tensor> {
        forward_if(self.after.as_ref(), sum)
    }

    /// `x + sublayer(x)` with the norm on its side.
    pub(super) fn residual(
        &self,
        x: &Tensor,
        sublayer: impl FnOnce(&Tensor) -> Result<Tensor>,
    ) -> Result<Tensor> {
        let y = sublayer(&self.before(x)?)?;
        self.after(&(x + y)?)
    }
}

/// The norm of `x` when there is one, `x` otherwise.
pub(super) fn forward_if(norm: Option<&Norm>, x: &Tensor) -> Result<Tensor> {
    norm.map_or_else(|| Ok(x.clone()), |norm| norm.forward(x))
}
