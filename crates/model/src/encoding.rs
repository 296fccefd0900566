//! What the encoders make of a batch, and their buffers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use csanmt_kernels::Buffer;

use crate::batch::Batch;
use crate::workspace::LayerBuffers;

/// A batch of sentences that has gone through both encoders.
///
/// Its buffers are as large as the sources are long. A search needs them only while sentences join
/// it, so that all searches of a model share a few.
#[derive(Debug)]
pub struct Encoding {
    pub(crate) batch: Batch,
    pub(crate) layer: LayerBuffers,
    pub(crate) source: Buffer<f32>,
    /// Semantic encoder's residual stream `[positions, d_model]`.
    pub(crate) semantic_stream: Buffer<f32>,
    pub(crate) semantic: Buffer<f32>,
}

impl Encoding {
    pub(crate) fn new(layer: LayerBuffers) -> Self {
        Self {
            batch: Batch::default(),
            layer,
            source: Buffer::default(),
            semantic_stream: Buffer::default(),
            semantic: Buffer::default(),
        }
    }

    /// The packed sentences.
    #[must_use]
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Encoder output `[positions, d_model]`.
    #[must_use]
    pub fn source(&self) -> &[f32] {
        &self.source
    }

    /// Semantic vectors `[sentences, d_model]`.
    #[must_use]
    pub fn semantic(&self) -> &[f32] {
        &self.semantic
    }
}

/// The buffers of all searches of a model: one set a processor. More batches at a time would not be
/// encoded sooner, and a server with many searches under way would have buffers for each.
#[derive(Debug)]
pub(crate) struct Encodings {
    sets: Box<[Mutex<Encoding>]>,
    /// Whose turn it is to be waited for.
    turn: AtomicUsize,
}

impl Encodings {
    /// The buffers are empty until they are used.
    pub(crate) fn new(make: impl Fn() -> Encoding) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            sets: (0..processors).map(|_| Mutex::new(make())).collect(),
            turn: AtomicUsize::new(0),
        }
    }

    /// Lends a set that is not in use; waits for one when all are.
    pub(crate) fn lend(&self) -> MutexGuard<'_, Encoding> {
        // Every batch writes what it reads, so that one that was broken off leaves nothing behind.
        for set in &self.sets {
            match set.try_lock() {
                Ok(set) => return set,
                Err(TryLockError::Poisoned(set)) => return set.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.sets.len();
        self.sets[turn]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
