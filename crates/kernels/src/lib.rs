//! Kernels of the translation engine: slices in, slices out, no allocation besides reusable
//! buffers, no threads, no model knowledge.
//!
//! [`Kernels`] is chosen once ([`Kernels::detect`]) and is the proof that its instruction set is
//! usable. **Every instruction set returns the same bits**: integer products are exact, and the
//! f32 parts are plain IEEE multiplications and additions in one fixed order (sixteen lanes, then
//! lanes i and i + 8, i + 4, i + 2, i + 1), without fused multiply-add. Only the payload of a NaN may
//! differ. [`self_test::DIGEST`] pins the results of all machines to each other.
//!
//! Packed weights should start at a multiple of 64 bytes, as they do in a model file: nothing breaks
//! otherwise, but vector loads then straddle cache lines.
//!
//! ```
//! use csanmt_kernels::{Epilogue, Kernels, PackedWeights, QuantizedRows};
//!
//! // One output, y = 2·x0 - x1, weights packed as [ceil(n/16)][ceil(k/4)][16][4].
//! let mut data = [0i8; 64];
//! (data[0], data[1]) = (2, -1);
//! let weights = PackedWeights::new(&data, 1, 2, &[1.0], &[1])?;
//! let kernels = Kernels::detect();
//! let mut a = QuantizedRows::default();
//! kernels.quantize_rows(&[12.7, 2.7], 2, &mut a);
//! let mut y = [0.0];
//! kernels.linear_i8(&a, weights, Epilogue::Store { bias: None }, &mut y);
//! assert!((y[0] - 22.7).abs() < 1e-3);
//! # Ok::<(), csanmt_kernels::PackedWeightsError>(())
//! ```
//!
//! Public functions panic only on a programmer's error: slices whose lengths contradict each other.

mod attention;
mod buffer;
mod dense;
mod embedding;
mod exp;
mod gemm;
mod isa;
mod norm;
mod quantize;
pub mod self_test;
mod simd;
mod softmax;
mod top;

pub use attention::{Attention, AttentionScratch, Relative, Rows};
pub use buffer::Buffer;
pub use dense::DenseWeights;
pub use gemm::{Epilogue, MAX_K, PackedWeights, PackedWeightsError, Selection};
pub use isa::{Isa, Kernels, UnknownIsa};
pub use quantize::QuantizedRows;
pub use top::Top;
