//! The sinusoidal position signal of absolute models, and the distances of relative ones.

use candle_core::{Device, Result, Tensor};

/// `[width, size]`: row p is `[sin(p w_0) … sin(p w_{n-1}), cos(p w_0) … cos(p w_{n-1})]`,
/// `n = size / 2`, `w_k = exp(-k ln(10000) / (n - 1))`, and a zero behind when `size` is odd.
pub(super) fn timing(width: usize, size: usize) -> Result<Tensor> {
    let half = size / 2;
    let step = 10_000f64.ln() / (half.max(2) - 1) as f64;
    let mut signal = Vec::with_capacity(width * size);
    for position in 0..width {
        let angle = |k: usize| position as f64 * (-(k as f64) * step).exp();
        signal.extend((0..half).map(|k| angle(k).sin() as f32));
        signal.extend((0..half).map(|k| angle(k).cos() as f32));
        signal.resize((position + 1) * size, 0.0);
    }
    Tensor::from_vec(signal, (width, size), &Device::Cpu)
}

/// Rows of a table `[2M + 1, d]` for queries i and keys j, `[width, width, d]`: row
/// `clip(i - j, -M, M) + M`, so that what lies in the past has the larger index.
pub(super) fn relative_rows(table: &Tensor, width: usize) -> Result<Tensor> {
    let (rows, size) = table.dims2()?;
    let furthest = rows / 2;
    let index = |query: usize, key: usize| {
        let ahead = key.saturating_sub(query).min(furthest);
        let behind = query.saturating_sub(key).min(furthest);
        (furthest + behind - ahead) as u32
    };
    let pairs = (0..width).flat_map(|query| (0..width).map(move |key| index(query, key)));
    let indices = Tensor::from_vec(pairs.collect(), width * width, table.device())?;
    table
        .index_select(&indices, 0)?
        .reshape((width, width, size))
}

#[cfg(test)]
mod tests {
    use super::{relative_rows, timing};
    use candle_core::{Device, Tensor};

    #[test]
    fn timing_is_not_interleaved_and_odd_sizes_end_with_a_zero() {
        let signal = timing(2, 5).unwrap().to_vec2::<f32>().unwrap();
        assert_eq!(signal[0], [0.0, 0.0, 1.0, 1.0, 0.0]);
        let (fast, slow) = (1f64, 1e-4f64);
        let expected = [fast.sin(), slow.sin(), fast.cos(), slow.cos(), 0.0];
        for (found, expected) in signal[1].iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-7);
        }
    }

    #[test]
    fn distances_are_query_minus_key_and_clipped() {
        let table = Tensor::new(&[[0f32], [1.], [2.], [3.], [4.]], &Device::Cpu).unwrap();
        let rows = relative_rows(&table, 4).unwrap().squeeze(2).unwrap();
        let expected = [
            [2.0, 1.0, 0.0, 0.0],
            [3.0, 2.0, 1.0, 0.0],
            [4.0, 3.0, 2.0, 1.0],
            [4.0, 4.0, 3.0, 2.0],
        ];
        assert_eq!(rows.to_vec2::<f32>().unwrap(), expected);
    }
}
