//! Multi-head attention layers around the attention kernel.

use csanmt_format::{FormatError, ModelFile, Slab};
use csanmt_kernels::{Attention, AttentionScratch, Kernels, Relative, Rows};

use crate::linear::Linear;

/// Relative position tables `rpr_k`, `rpr_v`, both `[2 M + 1, d_head]`, shared by the heads.
#[derive(Debug)]
pub(crate) struct RelativeTables {
    keys: Slab<f32>,
    values: Slab<f32>,
    max_distance: usize,
}

impl RelativeTables {
    fn load(file: &ModelFile, scope: &str) -> Result<Self, FormatError> {
        let config = file.config();
        let shape = [2 * config.max_relative_dis + 1, config.head_size()];
        Ok(Self {
            keys: file.f32(&format!("{scope}/rpr_k"), &shape)?,
            values: file.f32(&format!("{scope}/rpr_v"), &shape)?,
            max_distance: config.max_relative_dis,
        })
    }

    fn view(&self) -> Relative<'_> {
        Relative {
            keys: &self.keys,
            values: &self.values,
            max_distance: self.max_distance,
        }
    }
}

/// Self-attention of encoder and decoder: one projection for queries, keys and values.
#[derive(Debug)]
pub(crate) struct SelfAttention {
    pub(crate) qkv: Linear,
    pub(crate) output: Linear,
    pub(crate) shape: HeadShape,
    relative: Option<RelativeTables>,
}

impl SelfAttention {
    pub(crate) fn load(
        file: &ModelFile,
        scope: &str,
        heads: usize,
        with_relative: bool,
    ) -> Result<Self, FormatError> {
        let config = file.config();
        let size = config.hidden_size;
        let shape = HeadShape {
            heads,
            size: config.head_size(),
        };
        let width = shape.width();
        Ok(Self {
            qkv: Linear::load(file, &format!("{scope}/qkv_transform"), size, 3 * width)?,
            output: Linear::load(file, &format!("{scope}/output_transform"), width, size)?,
            shape,
            relative: if with_relative {
                Some(RelativeTables::load(file, scope)?)
            } else {
                None
            },
        })
    }

    /// Query rows over the given keys and values; `out: [rows, width]`.
    pub(crate) fn attend(
        &self,
        kernels: Kernels,
        query: Query<'_>,
        memory: Memory<'_>,
        scratch: &mut AttentionScratch,
        out: &mut [f32],
    ) {
        let relative = self.relative.as_ref().map(RelativeTables::view);
        let attention = memory.attention(self.shape, relative);
        kernels.attend_rows(
            query.rows,
            query.stride,
            self.shape.width(),
            query.first_position,
            &attention,
            scratch,
            out,
        );
    }
}

/// Attention of the decoder over the encoder's output. Never relative.
#[derive(Debug)]
pub(crate) struct CrossAttention {
    pub(crate) query: Linear,
    pub(crate) keys_values: Linear,
    pub(crate) output: Linear,
    pub(crate) shape: HeadShape,
}

/// How many heads there are, and how many numbers one has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadShape {
    pub(crate) heads: usize,
    pub(crate) size: usize,
}

impl HeadShape {
    /// Numbers of all heads together: of a query, a key or a value.
    pub(crate) fn width(self) -> usize {
        self.heads * self.size
    }
}

impl CrossAttention {
    pub(crate) fn load(file: &ModelFile, scope: &str, heads: usize) -> Result<Self, FormatError> {
        let config = file.config();
        let size = config.hidden_size;
        let shape = HeadShape {
            heads,
            size: config.head_size(),
        };
        let width = shape.width();
        Ok(Self {
            query: Linear::load(file, &format!("{scope}/q_transform"), size, width)?,
            keys_values: Linear::load(file, &format!("{scope}/kv_transform"), size, 2 * width)?,
            output: Linear::load(file, &format!("{scope}/output_transform"), width, size)?,
            shape,
        })
    }

    /// Query rows `[rows, width]` of one sentence over its keys and values.
    pub(crate) fn attend(
        &self,
        kernels: Kernels,
        query: &[f32],
        memory: Memory<'_>,
        scratch: &mut AttentionScratch,
        out: &mut [f32],
    ) {
        let width = self.shape.width();
        // Without relative positions it does not matter which ones the queries have.
        let attention = memory.attention(self.shape, None);
        kernels.attend_rows(query, width, width, 0, &attention, scratch, out);
    }
}

/// Queries `[heads * d_head]`, not yet scaled, `stride` numbers from one to the next, and the
/// position of the first; the others follow it.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) rows: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) first_position: usize,
}

/// Keys and values, how they lie (see [`Attention`]), and which rows count.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub(crate) keys: &'a [f32],
    pub(crate) values: &'a [f32],
    pub(crate) stride: usize,
    /// Numbers from one head to the next; nothing when they lie side by side.
    pub(crate) head_stride: Option<usize>,
    pub(crate) rows: Rows<'a>,
    pub(crate) valid: Option<&'a [bool]>,
}

impl<'a> Memory<'a> {
    /// Begins to load what a query is soon to attend to.
    pub(crate) fn fetch(self, kernels: Kernels, shape: HeadShape) {
        kernels.fetch_memory(&self.attention(shape, None), shape.width());
    }

    fn attention(self, shape: HeadShape, relative: Option<Relative<'a>>) -> Attention<'a> {
        let Self {
            keys,
            values,
            stride,
            head_stride,
            rows,
            valid,
        } = self;
        Attention {
            heads: shape.heads,
            keys,
            values,
            stride,
            head_stride: head_stride.unwrap_or(shape.size),
            rows,
            valid,
            relative,
        }
    }
}
