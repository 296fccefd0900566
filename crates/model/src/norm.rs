//! Layer normalisation parameters.

use csanmt_format::{FormatError, ModelFile, Slab};
use csanmt_kernels::{Buffer, Kernels};

/// `LN(x) = (x - mean) / sqrt(var + 1e-6) * scale + offset` over the last axis.
#[derive(Debug)]
pub(crate) struct Norm {
    pub(crate) scale: Slab<f32>,
    pub(crate) offset: Slab<f32>,
}

impl Norm {
    /// Loads `SCOPE/layer_norm_scale` and `SCOPE/layer_norm_offset`, both `[size]`.
    pub(crate) fn load(file: &ModelFile, scope: &str, size: usize) -> Result<Self, FormatError> {
        Ok(Self {
            scale: file.f32(&format!("{scope}/layer_norm_scale"), &[size])?,
            offset: file.f32(&format!("{scope}/layer_norm_offset"), &[size])?,
        })
    }

    /// `out = LN(x)`; `x` and `out` are `[rows, size]`.
    pub(crate) fn apply(&self, kernels: Kernels, x: &[f32], out: &mut [f32]) {
        kernels.layer_norm(x, &self.scale, &self.offset, out);
    }

    /// `x = LN(x)`; `spare` is scratch.
    pub(crate) fn apply_in_place(&self, kernels: Kernels, x: &mut [f32], spare: &mut Buffer<f32>) {
        spare.copy_from(x);
        self.apply(kernels, spare, x);
    }
}

/// The norm of a sublayer, before it (pre-norm) or behind it (post-norm).
///
/// The original stores one pair of vectors a sublayer under one name; the configuration says on
/// which side it acts.
#[derive(Debug)]
pub(crate) struct SublayerNorm {
    norm: Option<Norm>,
    pre: bool,
    post: bool,
}

impl SublayerNorm {
    pub(crate) fn load(file: &ModelFile, scope: &str) -> Result<Self, FormatError> {
        let config = file.config();
        let (pre, post) = (config.pre_norm, config.post_norm);
        let norm = if pre || post {
            Some(Norm::load(file, scope, config.hidden_size)?)
        } else {
            None
        };
        Ok(Self { norm, pre, post })
    }

    /// The norm behind a whole stack, which only pre-norm models have.
    pub(crate) fn load_final(file: &ModelFile, scope: &str) -> Result<Self, FormatError> {
        let config = file.config();
        let pre = config.pre_norm;
        let norm = if pre {
            Some(Norm::load(file, scope, config.hidden_size)?)
        } else {
            None
        };
        Ok(Self {
            norm,
            pre,
            post: false,
        })
    }

    /// Normalises the output of a whole stack in place, in pre-norm models.
    pub(crate) fn final_norm(&self, kernels: Kernels, x: &mut [f32], spare: &mut Buffer<f32>) {
        if let Some(norm) = self.before() {
            norm.apply_in_place(kernels, x, spare);
        }
    }

    /// The norm that the sublayer's input goes through, if any.
    pub(crate) fn before(&self) -> Option<&Norm> {
        self.norm.as_ref().filter(|_| self.pre)
    }

    /// Whether a norm follows the sublayer.
    pub(crate) fn follows(&self) -> bool {
        self.post && self.norm.is_some()
    }

    /// Normalises the sum of the residual and the sublayer's output in place, in post-norm models.
    pub(crate) fn after(&self, kernels: Kernels, x: &mut [f32], spare: &mut Buffer<f32>) {
        if let Some(norm) = self.norm.as_ref().filter(|_| self.post) {
            norm.apply_in_place(kernels, x, spare);
        }
    }
}
