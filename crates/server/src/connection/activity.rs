//! What a connection is doing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Shared by the parts of one connection. It is idle when no request is under way and no part of
/// an answer waits for the client to read.
#[derive(Debug)]
pub(crate) struct Activity {
    requests: AtomicUsize,
    writing: AtomicBool,
    /// When it last became idle, see [`tick`].
    idle_since: AtomicU64,
}

/// A request under way, from its header to the end of its answer.
pub(crate) struct Request(Arc<Activity>);

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            requests: AtomicUsize::new(0),
            writing: AtomicBool::new(false),
            idle_since: AtomicU64::new(tick()),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0 && !self.writing.load(Ordering::Relaxed)
    }

    /// Orders connections by the moment they became idle.
    pub(super) fn idle_since(&self) -> u64 {
        self.idle_since.load(Ordering::Relaxed)
    }

    pub(super) fn begin(self: &Arc<Self>) -> Request {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Request(Arc::clone(self))
    }

    /// Whether bytes wait for the client.
    pub(super) fn set_writing(&self, writing: bool) {
        self.writing.store(writing, Ordering::Relaxed);
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.0.idle_since.store(tick(), Ordering::Relaxed);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A clock that only orders events.
fn tick() -> u64 {
    static CLOCK: AtomicU64 = AtomicU64::new(0);
    CLOCK.fetch_add(1, Ordering::Relaxed)
}
