//! TensorFlow checkpoints (V2 "tensor bundles"): `PREFIX.index` and `PREFIX.data-00000-of-00001`.
//!
//! The index is a sorted table (`table`) whose values are protocol buffers (`bundle`): a header
//! under the empty key, and for each variable its type, shape, shard, place and check sum. The
//! shards are the raw numbers, little-endian.

mod bundle;
mod error;
mod protobuf;
mod reader;
mod state;
mod table;
mod write;

pub use bundle::{DataType, Entry};
pub use error::CheckpointError;
pub use reader::Checkpoint;
pub use write::{CheckpointWriter, Compression, WriteOptions};

/// Check sums are stored rotated by 15 bits plus a constant, so that sums over data that itself
/// holds sums stay strong.
fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}
