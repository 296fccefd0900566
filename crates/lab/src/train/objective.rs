//! Cross entropy with smoothed labels, mixed with a teacher's distribution.

use std::sync::{Mutex, PoisonError};

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

use super::corpus::Pair;
use crate::reference::{Encoded, ReferenceError, ReferenceModel};

/// What the logits `[rows, V]` should say. The loss is the mean over the rows that count of
/// `-Σ_v p_v log softmax(logits)_v`, where
/// `p = (1 - share) · smoothed label + share · softmax(teacher)`, and a smoothed label is
/// `1 - smoothing` at the label and `smoothing / (V - 1)` elsewhere.
///
/// One pass computes loss and gradient: the vocabulary is by far the widest layer, and every
/// operation of its own would go over it again.
#[derive(Debug)]
pub struct Objective {
    /// One a row, `None` where the row does not count. Row r of the logits has label
    /// `r mod labels`.
    pub labels: Vec<Option<u32>>,
    /// Probability that the label gives away.
    pub smoothing: f64,
    /// The teacher's logits `[labels, V]` and its share.
    pub teacher: Option<(Vec<f32>, f64)>,
}

impl Objective {
    /// The mean loss of logits `[rows, V]`, a scalar with gradients.
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn loss(self, logits: &Tensor) -> Result<Tensor> {
        let op = Operation {
            objective: self,
            gradient: Mutex::new(Vec::new()),
        };
        logits.contiguous()?.apply_op1(op)
    }
}

/// The mean loss of pairs under the plain network.
///
/// # Errors
/// When an id is outside the vocabularies.
pub fn smoothed_loss(
    model: &ReferenceModel,
    pairs: &[Pair],
    smoothing: f64,
) -> std::result::Result<Tensor, ReferenceError> {
    let encoded = model.encode(&sources(pairs))?;
    let logits = forced(model, &encoded, pairs, 1)?;
    let objective = Objective {
        labels: labels(pairs),
        smoothing,
        teacher: None,
    };
    Ok(objective.loss(&logits)?)
}

pub(super) fn sources(pairs: &[Pair]) -> Vec<&[u32]> {
    pairs.iter().map(|pair| &pair.source[..]).collect()
}

/// Logits `[times · B · (n + 1), V]` of the pairs' targets, given encoded sources that are repeated
/// so many times.
pub(super) fn forced(
    model: &ReferenceModel,
    encoded: &Encoded,
    pairs: &[Pair],
    times: usize,
) -> std::result::Result<Tensor, ReferenceError> {
    let targets: Vec<&[u32]> = (0..times)
        .flat_map(|_| pairs.iter().map(|pair| &pair.target[..]))
        .collect();
    Ok(model.decode_forced(encoded, &targets)?.flatten(0, 1)?)
}

/// Labels of the positions of padded targets, `[B · (n + 1)]`.
pub(super) fn labels(pairs: &[Pair]) -> Vec<Option<u32>> {
    let width = pairs
        .iter()
        .map(|pair| pair.target.len())
        .max()
        .unwrap_or(0)
        + 1;
    let mut labels = Vec::with_capacity(pairs.len() * width);
    for (number, pair) in pairs.iter().enumerate() {
        labels.extend(pair.target.iter().map(|&id| Some(id)));
        labels.push(Some(csanmt_text::EOS));
        labels.resize((number + 1) * width, None);
    }
    labels
}

struct Operation {
    objective: Objective,
    /// Of the loss by the logits, left by the forward pass.
    gradient: Mutex<Vec<f32>>,
}

impl CustomOp1 for Operation {
    fn name(&self) -> &'static str {
        "smoothed-cross-entropy"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (rows, vocab) = layout.shape().dims2()?;
        let Objective {
            labels,
            smoothing,
            teacher,
        } = &self.objective;
        let Some((start, end)) = layout.contiguous_offsets() else {
            candle_core::bail!("the logits are not contiguous");
        };
        let logits = &storage.as_slice::<f32>()?[start..end];
        let teacher_fits = teacher
            .as_ref()
            .is_none_or(|(logits, _)| logits.len() == labels.len() * vocab);
        if labels.is_empty() || !rows.is_multiple_of(labels.len()) || !teacher_fits || vocab < 2 {
            candle_core::bail!("{rows} rows of logits do not fit {} labels", labels.len());
        }
        let counted = labels.iter().flatten().count() * (rows / labels.len());
        let weight = 1.0 / counted.max(1) as f32;
        let off = smoothing / (vocab - 1) as f64;
        let on = 1.0 - smoothing;
        let mut gradient = vec![0f32; logits.len()];
        let mut soft = vec![0f32; vocab];
        let mut loss = 0f64;
        for (row, (x, g)) in logits
            .chunks_exact(vocab)
            .zip(gradient.chunks_exact_mut(vocab))
            .enumerate()
        {
            let place = row % labels.len();
            let Some(label) = labels[place] else {
                continue;
            };
            let label = label as usize;
            if label >= vocab {
                candle_core::bail!("label {label} is outside the vocabulary of {vocab}");
            }
            let log_sum = softmax(x, g);
            let share = teacher.as_ref().map_or(0.0, |(_, share)| *share);
            let hard = 1.0 - share;
            let sum: f64 = lanes(x.iter().copied());
            let mut expected = hard * ((on - off) * f64::from(x[label]) + off * sum);
            if let Some((logits, share)) = teacher {
                softmax(&logits[place * vocab..(place + 1) * vocab], &mut soft);
                let share = *share as f32;
                let mean: f64 = lanes(soft.iter().zip(x).map(|(t, x)| t * x));
                expected += f64::from(share) * mean;
                for (g, t) in g.iter_mut().zip(&soft) {
                    *g -= share * t;
                }
            }
            loss += log_sum - expected;
            let shift = (hard * off) as f32;
            g.iter_mut().for_each(|g| *g = (*g - shift) * weight);
            g[label] -= (hard * (on - off)) as f32 * weight;
        }
        *self.gradient.lock().unwrap_or_else(PoisonError::into_inner) = gradient;
        let mean = (loss / counted.max(1) as f64) as f32;
        Ok((CpuStorage::F32(vec![mean]), Shape::from(())))
    }

    fn bwd(&self, logits: &Tensor, _: &Tensor, upstream: &Tensor) -> Result<Option<Tensor>> {
        let gradient =
            std::mem::take(&mut *self.gradient.lock().unwrap_or_else(PoisonError::into_inner));
        let gradient = Tensor::from_vec(gradient, logits.shape(), logits.device())?;
        let upstream: f32 = upstream.to_scalar()?;
        if upstream == 1.0 {
            return Ok(Some(gradient));
        }
        Ok(Some((gradient * f64::from(upstream))?))
    }
}

/// Writes `softmax(x)` and gives `log Σ exp x`.
fn softmax(x: &[f32], out: &mut [f32]) -> f64 {
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for (o, &x) in out.iter_mut().zip(x) {
        *o = exp(x - largest);
    }
    let sum = lanes(out.iter().copied());
    let factor = (1.0 / sum) as f32;
    out.iter_mut().for_each(|o| *o *= factor);
    f64::from(largest) + sum.ln()
}

/// A sum in a fixed order that the compiler can compute side by side.
fn lanes(values: impl Iterator<Item = f32>) -> f64 {
    const LANES: usize = 16;
    let mut sums = [0f32; LANES];
    let mut total = 0f64;
    let mut count = 0;
    for (place, value) in values.enumerate() {
        sums[place % LANES] += value;
        count += 1;
        // Short runs in f32 keep the rounding small.
        if count == 64 * LANES {
            total += sums.iter().map(|&s| f64::from(s)).sum::<f64>();
            sums = [0.0; LANES];
            count = 0;
        }
    }
    total + sums.iter().map(|&s| f64::from(s)).sum::<f64>()
}

/// `e^x` for x ≤ 0 to a few units in the last place: `2^k · e^f`, |f| at most ln 2 / 2. The two
/// parts of ln 2 keep f exact for large k.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let x = x.max(-87.0);
    let whole = (x * std::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    let f = (x - whole * HIGH) - whole * LOW;
    let series = 1.0
        + f * (1.0
            + f * (0.5
                + f * (1.0 / 6.0 + f * (1.0 / 24.0 + f * (1.0 / 120.0 + f * (1.0 / 720.0))))));
    series * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use candle_core::{D, Device, Tensor, Var};

    use super::{Objective, exp};

    const ROWS: usize = 6;
    const VOCAB: usize = 37;

    fn noise(seed: u64, len: usize) -> Vec<f32> {
        let mut random = crate::train::Random::new(seed, 0, 0);
        (0..len).map(|_| 2.0 * random.normal() as f32).collect()
    }

    fn objective(share: f64) -> Objective {
        let labels = vec![Some(3), None, Some(36)];
        let teacher = (share > 0.0).then(|| (noise(2, 3 * VOCAB), share));
        Objective {
            labels,
            smoothing: 0.1,
            teacher,
        }
    }

    /// The same from candle's own operations.
    fn composed(objective: &Objective, logits: &Tensor) -> Tensor {
        let labels = &objective.labels;
        let off = objective.smoothing / (VOCAB - 1) as f64;
        let mut wanted = Vec::new();
        for row in 0..ROWS {
            let place = row % labels.len();
            let Some(label) = labels[place] else {
                wanted.extend([0.0; VOCAB]);
                continue;
            };
            let share = objective.teacher.as_ref().map_or(0.0, |t| t.1);
            let soft: Vec<f64> = match &objective.teacher {
                None => vec![0.0; VOCAB],
                Some((logits, _)) => {
                    let row = &logits[place * VOCAB..(place + 1) * VOCAB];
                    let sum: f64 = row.iter().map(|&x| f64::from(x).exp()).sum();
                    row.iter().map(|&x| f64::from(x).exp() / sum).collect()
                }
            };
            wanted.extend((0..VOCAB).map(|id| {
                let hard = if id == label as usize {
                    1.0 - objective.smoothing
                } else {
                    off
                };
                ((1.0 - share) * hard + share * soft[id]) as f32
            }));
        }
        let wanted = Tensor::from_vec(wanted, (ROWS, VOCAB), &Device::Cpu).unwrap();
        let log = candle_nn::ops::log_softmax(logits, D::Minus1).unwrap();
        let counted = labels.iter().flatten().count() * (ROWS / labels.len());
        ((wanted * log).unwrap().sum_all().unwrap() * (-1.0 / counted as f64)).unwrap()
    }

    #[test]
    fn loss_and_gradient_are_those_of_separate_operations() {
        for share in [0.0, 0.7] {
            let values = Tensor::from_vec(noise(1, ROWS * VOCAB), (ROWS, VOCAB), &Device::Cpu);
            let logits = Var::from_tensor(&values.unwrap()).unwrap();
            let expected = composed(&objective(share), &logits);
            let found = objective(share).loss(&logits).unwrap();
            let scalar = |t: &Tensor| t.to_scalar::<f32>().unwrap();
            let (a, b) = (scalar(&found), scalar(&expected));
            assert!((a - b).abs() < 1e-5 * b.abs(), "{a} {b}");
            // Also behind a factor, as when losses are added up.
            let gradient = |loss: &Tensor| {
                let gradients = (loss * 3.0).unwrap().backward().unwrap();
                let gradient = gradients.get(&logits).unwrap().flatten_all().unwrap();
                gradient.to_vec1::<f32>().unwrap()
            };
            for (a, b) in gradient(&found).iter().zip(gradient(&expected)) {
                assert!((a - b).abs() < 1e-6, "{a} {b}");
            }
        }
    }

    #[test]
    fn exponentials_are_accurate() {
        for i in 0..100_000 {
            let x = -(i as f32) * 8e-4;
            let error = f64::from(exp(x)) / f64::from(x).exp() - 1.0;
            assert!(error.abs() < 4e-7, "{x}: {error}");
        }
        assert!(exp(-1e9) < 2e-38);
    }

    #[test]
    fn labels_outside_the_vocabulary_are_refused() {
        let logits = Tensor::zeros((1, 4), candle_core::DType::F32, &Device::Cpu).unwrap();
        let objective = Objective {
            labels: vec![Some(4)],
            smoothing: 0.0,
            teacher: None,
        };
        assert!(objective.loss(&logits).is_err());
    }
}
