//! Multi-head attention, with and without relative positions.

use candle_core::{D, Device, Result, Tensor};
use candle_nn::ops::softmax;

use super::error::ReferenceError;
use super::linear::Linear;
use super::position::relative_rows;
use super::variables::Scope;

/// Added to the logits of what must not be seen; finite, as in the original.
const HIDDEN: f64 = -1e9;

/// Attention of a sequence to itself.
#[derive(Clone, Debug)]
pub(super) struct SelfAttention {
    heads: usize,
    /// H → 3 · heads · d: query, key, value.
    qkv: Linear,
    /// Tables `[2M + 1, d]` for keys and values.
    relative: Option<(Tensor, Tensor)>,
    output: Linear,
}

impl SelfAttention {
    pub(super) fn new(
        heads: usize,
        scope: &Scope<'_>,
        relative: bool,
    ) -> std::result::Result<Self, ReferenceError> {
        let relative = relative
            .then(|| Ok::<_, ReferenceError>((scope.tensor("rpr_k")?, scope.tensor("rpr_v")?)))
            .transpose()?;
        Ok(Self {
            heads,
            qkv: Linear::new(&scope.enter("qkv_transform"))?,
            relative,
            output: Linear::new(&scope.enter("output_transform"))?,
        })
    }

    /// `x` is `[B, L, H]`; `bias` broadcasts to `[B, heads, L, L]`.
    pub(super) fn forward(&self, x: &Tensor, bias: &Tensor) -> Result<Tensor> {
        let qkv = self.qkv.forward(x)?.chunk(3, D::Minus1)?;
        let [query, key, value] = &qkv[..] else {
            candle_core::bail!(
                "the query, key and value of width {:?} are cut off",
                x.dims()
            );
        };
        let width = x.dim(1)?;
        let relative = match &self.relative {
            Some((keys, values)) => {
                Some((relative_rows(keys, width)?, relative_rows(values, width)?))
            }
            None => None,
        };
        let context = attend(self.heads, [query, key, value], bias, relative.as_ref())?;
        self.output.forward(&context)
    }
}

/// Attention of the target to the encoded source.
#[derive(Clone, Debug)]
pub(super) struct CrossAttention {
    heads: usize,
    query: Linear,
    /// H → 2 · heads · d: key, value.
    kv: Linear,
    output: Linear,
}

impl CrossAttention {
    pub(super) fn new(
        heads: usize,
        scope: &Scope<'_>,
    ) -> std::result::Result<Self, ReferenceError> {
        Ok(Self {
            heads,
            query: Linear::new(&scope.enter("q_transform"))?,
            kv: Linear::new(&scope.enter("kv_transform"))?,
            output: Linear::new(&scope.enter("output_transform"))?,
        })
    }

    /// `x` is `[B, n, H]`, `source` `[B, S, H]`; `bias` broadcasts to `[B, heads, n, S]`.
    /// Attention to nothing (S = 0) is 0.
    pub(super) fn forward(&self, x: &Tensor, source: &Tensor, bias: &Tensor) -> Result<Tensor> {
        if source.dim(1)? == 0 {
            return self.output.forward(&self.query.forward(x)?.zeros_like()?);
        }
        let query = self.query.forward(x)?;
        let kv = self.kv.forward(source)?.chunk(2, D::Minus1)?;
        let [key, value] = &kv[..] else {
            candle_core::bail!("the key and value of width {:?} are cut off", source.dims());
        };
        let context = attend(self.heads, [&query, key, value], bias, None)?;
        self.output.forward(&context)
    }
}

/// `softmax(q k^T + q R_k + bias) v + A R_v` for each head, heads side by side: `[B, I, heads d]`.
///
/// The query is scaled by `d^-1/2` first, for the relative term as well. `relative` holds R_k and
/// R_v, `[I, J, d]`, which the heads share.
fn attend(
    heads: usize,
    [query, key, value]: [&Tensor; 3],
    bias: &Tensor,
    relative: Option<&(Tensor, Tensor)>,
) -> Result<Tensor> {
    let (batch, queries, width) = query.dims3()?;
    let query = (split(query, heads)? * ((width / heads) as f64).powf(-0.5))?;
    let (key, value) = (split(key, heads)?, split(value, heads)?);
    let mut logits = query.matmul(&key.transpose(2, 3)?)?;
    if let Some((keys, _)) = relative {
        logits = (logits + by_query(&query, &keys.transpose(1, 2)?)?)?;
    }
    let weights = softmax(&logits.broadcast_add(bias)?, D::Minus1)?;
    let mut context = weights.matmul(&value)?;
    if let Some((_, values)) = relative {
        context = (context + by_query(&weights, values)?)?;
    }
    context.transpose(1, 2)?.reshape((batch, queries, width))
}

/// `[B, L, heads d]` as `[B, heads, L, d]`; head a has columns `a d .. (a + 1) d`.
fn split(x: &Tensor, heads: usize) -> Result<Tensor> {
    let (batch, width, hidden) = x.dims3()?;
    x.reshape((batch, width, heads, hidden / heads))?
        .transpose(1, 2)?
        .contiguous()
}

/// For each query i, `x[:, :, i, :] matrices[i]`: `[B, heads, I, K]` and `[I, K, N]` give
/// `[B, heads, I, N]`.
fn by_query(x: &Tensor, matrices: &Tensor) -> Result<Tensor> {
    let (batch, heads, queries, inputs) = x.dims4()?;
    let outputs = matrices.dim(2)?;
    x.permute((2, 0, 1, 3))?
        .reshape((queries, batch * heads, inputs))?
        .matmul(matrices)?
        .reshape((queries, batch, heads, outputs))?
        .permute((1, 2, 0, 3))
}

/// Bias `[B, 1, 1, S]` of a mask `[B, S]`.
pub(super) fn padding_bias(mask: &Tensor) -> Result<Tensor> {
    mask.affine(-HIDDEN, HIDDEN)?.unsqueeze(1)?.unsqueeze(1)
}

/// Bias `[width, width]` that hides later positions.
pub(super) fn causal_bias(width: usize) -> Result<Tensor> {
    let pairs = (0..width)
        .flat_map(|query| (0..width).map(move |key| if key > query { HIDDEN as f32 } else { 0.0 }));
    Tensor::from_vec(pairs.collect(), (width, width), &Device::Cpu)
}
