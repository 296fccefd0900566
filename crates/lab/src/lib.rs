//! Conversion, compression and evaluation of CSANMT models.
//!
//! [`checkpoint`] reads and writes TensorFlow checkpoints, [`convert()`] makes model files from
//! ModelScope directories, [`inspect()`] says what a model file holds, [`npz`] reads NumPy
//! archives, [`layout`] writes ModelScope directories, [`Output`] is a file that appears whole or
//! not at all. With feature `train`, `reference` is the network in candle.

pub mod bench;
pub mod checkpoint;
mod convert;
pub mod evaluate;
pub mod generated;
mod inspect;
pub mod layout;
pub mod metrics;
pub mod npz;
pub mod prune;
pub mod quantize;
#[cfg(feature = "train")]
pub mod recipe;
#[cfg(feature = "train")]
pub mod reference;
mod regular_file;
#[cfg(feature = "train")]
pub mod shortlist;
mod stopwatch;
#[cfg(feature = "train")]
pub mod train;
pub mod weights;

pub use csanmt_format::{ModelConfig, Position, Quantization};

pub use convert::{ConvertError, ConvertOptions, ConvertReport, Output, convert};
pub use stopwatch::Stopwatch;

pub use inspect::{InspectError, Inspection, TensorLine, Total, inspect, open_model};
