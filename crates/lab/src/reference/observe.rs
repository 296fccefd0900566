//! What goes into linear layers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{Result, Tensor};

/// Sums over all rows that a linear layer has read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Rows, padding included.
    pub rows: u64,
    /// Largest magnitude of every input.
    pub largest: Vec<f32>,
    /// Sum of squares of every input.
    pub squares: Vec<f64>,
}

/// Collects the inputs of linear layers, by name of their matrix.
#[derive(Clone, Debug, Default)]
pub struct Observations(Arc<Mutex<BTreeMap<String, Inputs>>>);

impl Observations {
    /// What was seen so far; begins anew.
    #[must_use]
    pub fn take(&self) -> BTreeMap<String, Inputs> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn see(&self, name: &str, x: &Tensor) -> Result<()> {
        let values: Vec<f32> = x.flatten_all()?.to_vec1()?;
        let width = x.dims().last().copied().unwrap_or(0).max(1);
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let inputs = map.entry(name.to_owned()).or_default();
        inputs.largest.resize(width, 0.0);
        inputs.squares.resize(width, 0.0);
        for row in values.chunks_exact(width) {
            inputs.rows += 1;
            for ((largest, square), &value) in
                inputs.largest.iter_mut().zip(&mut inputs.squares).zip(row)
            {
                *largest = largest.max(value.abs());
                *square += f64::from(value) * f64::from(value);
            }
        }
        Ok(())
    }
}
