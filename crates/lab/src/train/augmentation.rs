//! Continuous semantic augmentation: semantic vectors drawn from between and around the vectors of
//! a sentence and its translation.

use candle_core::{Device, Tensor, Var};

use super::adam::{Adam, Update};
use super::batches::{Batches, Cursor};
use super::corpus::Pair;
use super::error::TrainError;
use super::objective::sources;
use super::random::Random;
use crate::reference::{Encoded, ReferenceError, ReferenceModel};

const DRAWS: u64 = 2;
const TABLE: u64 = 3;
/// Keeps widths defined where all distances are equal.
const TINY: f32 = 1e-12;

/// How semantic vectors are drawn.
#[derive(Clone, Debug)]
pub struct Augmentation {
    /// K, even.
    pub samples: usize,
    /// η: the share of the noise whose width follows the distance.
    pub eta: f64,
    /// Semantic embedding of the target, `[V, H]`.
    pub target_table: Tensor,
}

impl Augmentation {
    /// The encoded sources K times one behind the other, each with a vector of its own.
    ///
    /// With `rx` and `ry` the vectors of source and target, `b = ry - rx`,
    /// `w = (|b| - min|b| + e) / (max|b| - min|b| + 2e)` over the axis and
    /// `ω = η N(0, w) + (1 - η) N(0, 1)` for each number, half of the vectors are `rx + ω b`, the
    /// other half the same with `x` and `y` exchanged.
    ///
    /// # Errors
    /// When an id is outside the vocabularies.
    pub fn apply(
        &self,
        model: &ReferenceModel,
        encoded: &Encoded,
        pairs: &[Pair],
        seed: u64,
        step: u64,
    ) -> Result<Encoded, ReferenceError> {
        let targets: Vec<&[u32]> = pairs.iter().map(|pair| &pair.target[..]).collect();
        let ry = model.semantic_vectors(&targets, &self.target_table)?;
        let rx: Vec<Vec<f32>> = encoded.semantic.to_vec2()?;
        let ry: Vec<Vec<f32>> = ry.to_vec2()?;
        let mut random = Random::new(seed, DRAWS, step);
        let mut drawn = Vec::new();
        let half = self.samples / 2;
        for (from, to) in [(&rx, &ry), (&ry, &rx)] {
            for _ in 0..half {
                for (from, to) in from.iter().zip(to) {
                    draw(from, to, self.eta, &mut random, &mut drawn);
                }
            }
        }
        let times = 2 * half;
        let shape = (times * pairs.len(), model.config().hidden_size);
        Ok(Encoded {
            output: repeated(&encoded.output, times)?,
            mask: repeated(&encoded.mask, times)?,
            semantic: Tensor::from_vec(drawn, shape, &Device::Cpu)?,
        })
    }
}

fn repeated(tensor: &Tensor, times: usize) -> candle_core::Result<Tensor> {
    Tensor::cat(&vec![tensor; times], 0)
}

/// Appends one vector `from + ω (to - from)`.
fn draw(from: &[f32], to: &[f32], eta: f64, random: &mut Random, out: &mut Vec<f32>) {
    let distance = |(x, y): (&f32, &f32)| (y - x).abs();
    let distances = || from.iter().zip(to).map(distance);
    let least = distances().fold(f32::INFINITY, f32::min);
    let most = distances().fold(0.0, f32::max);
    for (x, y) in from.iter().zip(to) {
        let b = y - x;
        let width = (b.abs() - least + TINY) / (most - least + 2.0 * TINY);
        let omega = eta * random.normal() * f64::from(width) + (1.0 - eta) * random.normal();
        out.push(x + omega as f32 * b);
    }
}

/// A semantic embedding of the target for models that come without one: translation never reads
/// it, so their checkpoints may lack it.
///
/// The semantic encoder stays as it is; the table is trained until the vector of a translation is
/// near that of its source: the mean of the squared distance falls. Gives the table `[V, H]` and
/// the mean squared distance, as a share of the vectors' variance, of the last tenth of the steps.
///
/// # Errors
/// When an id is outside the vocabularies.
pub fn fit_target_table(
    model: &ReferenceModel,
    pairs: &[Pair],
    steps: u64,
    seed: u64,
    mut observe: impl FnMut(u64, f64),
) -> Result<(Tensor, f64), TrainError> {
    let (rows, hidden) = (model.config().trg_vocab_size, model.config().hidden_size);
    let mut random = Random::new(seed, TABLE, 0);
    let deviation = 1.0 / (hidden as f64).sqrt();
    let values = (0..rows * hidden).map(|_| (random.normal() * deviation) as f32);
    let table = Var::from_vec(values.collect(), (rows, hidden), &Device::Cpu)?;
    let adam = Adam::new(vec![("table".to_owned(), table.clone())], false)?;
    let mut batches = Batches::new(pairs, 1000, seed, Cursor::default());
    let mut recent = Vec::new();
    for step in 0..steps {
        let batch = batches.next(pairs);
        let wanted = model.source_vectors(&sources(&batch))?.detach();
        let targets: Vec<&[u32]> = batch.iter().map(|pair| &pair.target[..]).collect();
        let found = model.semantic_vectors(&targets, table.as_tensor())?;
        let distance = (found - &wanted)?.sqr()?.mean_all()?;
        let update = Update {
            rate: 0.003 * (1.0 - step as f64 / steps as f64),
            step: step + 1,
            clip: 0.0,
            average: 0.0,
        };
        adam.step(&distance.backward()?, &update)?;
        let centered = wanted.broadcast_sub(&wanted.mean_keepdim(0)?)?;
        let variance: f32 = centered.sqr()?.mean_all()?.to_scalar()?;
        let share = f64::from(distance.to_scalar::<f32>()?) / f64::from(variance.max(1e-12));
        if 10 * step >= 9 * steps {
            recent.push(share);
        }
        observe(step + 1, share);
    }
    let share = recent.iter().sum::<f64>() / recent.len().max(1) as f64;
    Ok((table.as_tensor().detach(), share))
}

#[cfg(test)]
mod tests {
    use super::{Random, draw};

    #[test]
    fn draws_spread_around_their_start_with_the_width_of_the_distance() {
        let (from, to) = ([1.0, -2.0, 0.5, 3.0], [1.0, 2.0, 1.5, 3.5]);
        let mut random = Random::new(1, 0, 0);
        let mut drawn = Vec::new();
        let count = 20_000;
        for _ in 0..count {
            draw(&from, &to, 0.6, &mut random, &mut drawn);
        }
        // Widths 0, 1, 1/4, 1/8 of distances 0, 4, 1, 0.5.
        let widths: [f64; 4] = [0.0, 1.0, 0.25, 0.125];
        for i in 0..4 {
            let values: Vec<f64> = drawn.iter().skip(i).step_by(4).map(|&v| v.into()).collect();
            let mean = values.iter().sum::<f64>() / count as f64;
            let b = f64::from(to[i] - from[i]);
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count as f64;
            let expected = b * b * ((0.6 * widths[i]).powi(2) + 0.4f64.powi(2));
            assert!((mean - f64::from(from[i])).abs() < 0.05, "{i}: mean {mean}");
            assert!(
                (square - expected).abs() <= 0.05 * expected + 1e-9,
                "{i}: {square} {expected}"
            );
        }
    }
}
