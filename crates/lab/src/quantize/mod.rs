//! What int8 costs, layer by layer, and what calibration wins back.

mod clip;
mod noise;
#[cfg(feature = "train")]
mod sensitivity;
#[cfg(feature = "train")]
mod smooth;

use std::fmt;

use csanmt_format::{ElementType, Precision, Quantization};

pub use clip::clip;
pub use noise::{LayerNoise, layer_noise, rounded};
#[cfg(feature = "train")]
pub use sensitivity::loss_increases;
#[cfg(feature = "train")]
pub use smooth::{Spread, measure, smooth};

/// Rounding errors of a stored model.
#[derive(Clone, Debug, serde::Serialize)]
pub struct QuantizationReport {
    /// How the weights are stored.
    pub quantization: Quantization,
    /// Length of the f32 file of the same model.
    pub f32_bytes: u64,
    /// Length of the file.
    pub bytes: u64,
    /// Rounded layers and tables, the noisiest first.
    pub layers: Vec<LayerNoise>,
}

impl QuantizationReport {
    /// The file's share of the f32 file.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.bytes as f64 / self.f32_bytes as f64
    }
}

impl fmt::Display for QuantizationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, share) = (self.quantization.name(), 100.0 * self.share());
        writeln!(
            f,
            "{name}: {} bytes, {share:.1} % of the f32 file's {}",
            self.bytes, self.f32_bytes
        )?;
        writeln!(f, "{:>8}  {:>10}  rounded", "SQNR dB", "loss")?;
        for layer in &self.layers {
            let loss = layer
                .loss
                .map_or(String::new(), |loss| format!("{loss:+.5}"));
            writeln!(f, "{:>8.1}  {loss:>10}  {}", layer.sqnr_db, layer.name)?;
        }
        Ok(())
    }
}

/// Whether a variable with this role is rounded.
fn is_rounded(role: csanmt_format::layout::Role, quantization: Quantization) -> bool {
    use csanmt_format::layout::Role;
    match role {
        Role::Linear | Role::OutputTable => quantization.linears() == Precision::Int8,
        Role::RowTable => quantization.tables() != ElementType::F32,
        Role::Bias | Role::Norm | Role::RelativeTable => false,
    }
}
