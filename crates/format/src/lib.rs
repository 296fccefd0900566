//! The csanmt model file: configuration, tensors, vocabularies; zero-copy reader and streaming
//! writer.
//!
//! A model is one `.safetensors` file. [`ModelFile::parse`] checks its header once; tensors are
//! then handed out as [`Slab`]s that borrow nothing and copy nothing: each owns a reference to the
//! bytes of the whole file. [`layout::variables`] lists every variable of a configuration with its
//! role, [`ModelPlan`] and [`ModelWriter`] write files in bounded memory, [`int8`] quantises and
//! packs.
//!
//! # The file
//! `__metadata__` holds strings: `csanmt.version` (`1`), `csanmt.config` (JSON of
//! [`ModelConfig`]), `csanmt.quantization` (`int8`, `int8, f16 tables`,
//! `int8, f32 tables` or `f32`), `csanmt.provenance` (JSON),
//! `csanmt.license` and `csanmt.deflated` (JSON: name of each zlib-compressed text tensor → its
//! length when unpacked).
//!
//! Tensors carry the name of the TensorFlow variable without `NmtModel/`. In f32 files each has
//! its TensorFlow shape. In int8 files a matrix with N outputs and K inputs is stored packed,
//! I8 `[ceil(N/16), ceil(K/4), 16, 4]` with zero padding, beside `NAME.scale` F32 `[N]` and
//! `NAME.colsum` I32 `[N]`, where weights are kept apart (see [`int8`]) also
//! beside `NAME.peak` F32 `[P]` and `NAME.peak_place` I32 `[P, 2]`; a table that is only looked up is I8 `[V, H]` beside `NAME.scale`
//! F32 `[V]`, or F16 or F32 `[V, H]` where only the matrices are quantised.
//!
//! Texts are the vocabularies, merge rules and, where a model has one, the shortlist; the
//! segmentation dictionary is used where it lies.
//!
//! The data section starts at a multiple of 64 bytes. Packed tensors come first (each a multiple
//! of 64 bytes), then other I8, F32 and I32, F16, and texts (U8) last. Where I8 tables would leave
//! F32 misaligned, up to three bytes named `padding` stand between. Little-endian throughout.

mod bytes;
mod config;
mod error;
mod half;
pub mod int8;
pub mod layout;
mod plan;
mod reader;
mod slab;
mod tensor;
mod text;
mod widths;
mod writer;

pub use bytes::{AlignedBytes, SharedBytes};
pub use config::{ModelConfig, Position, Precision, Quantization};
pub use error::{FormatError, WriteError};
pub use half::{f16_of_f32, f32_of_f16};
pub use plan::ModelPlan;
pub use reader::{ModelFile, PackedMatrix, Peaks, QuantizedRowsTable};
pub use slab::{Blob, Slab};
pub use tensor::{ElementType, TensorInfo, TensorSpec};
pub use widths::{DecoderWidths, EncoderWidths, Widths};
pub use writer::ModelWriter;

/// The version of the format that this crate reads and writes.
pub const VERSION: &str = "1";

/// Source vocabulary, one token a line; the line number is the id.
pub const SRC_VOCAB: &str = "text/src_vocab";
/// Target vocabulary.
pub const TRG_VOCAB: &str = "text/trg_vocab";
/// Merge rules of the source language (subword-nmt codes).
pub const SRC_BPE: &str = "text/src_bpe";
/// Merge rules of the target language, in f32 files: training needs them.
pub const TRG_BPE: &str = "text/trg_bpe";
/// Word segmentation dictionary, used where it lies.
pub const SEGMENTATION_DICTIONARY: &str = "text/segmentation_dictionary";

/// Which target tokens each source token may become, in models that have a shortlist: on the first
/// line those that are always candidates, then a line of ids for each source id.
pub const SHORTLIST: &str = "text/shortlist";

const META_VERSION: &str = "csanmt.version";
const META_CONFIG: &str = "csanmt.config";
const META_QUANTIZATION: &str = "csanmt.quantization";
const META_PROVENANCE: &str = "csanmt.provenance";
const META_LICENSE: &str = "csanmt.license";
const META_DEFLATED: &str = "csanmt.deflated";
