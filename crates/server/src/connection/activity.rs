//! What a connection is doing.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Shared by the parts of one connection. It is the client's turn when no request is under way, or
/// one whose body has not arrived, and no part of an answer waits to be read.
#[derive(Debug)]
pub(crate) struct Activity {
    requests: AtomicUsize,
    receiving: AtomicBool,
    writing: AtomicBool,
    /// When the client's turn began, see [`now`]. Bytes that trickle in do not begin it anew.
    since: AtomicU64,
}

/// A request under way, from its header to the end of its answer.
pub(crate) struct Request(Arc<Activity>);

/// The body of a request that has not arrived yet, until the last of it has.
pub(super) struct Receiving(Arc<Activity>);

impl Activity {
    pub(super) fn new() -> Self {
        Self {
            requests: AtomicUsize::new(0),
            receiving: AtomicBool::new(false),
            writing: AtomicBool::new(false),
            since: AtomicU64::new(now()),
        }
    }

    /// How long it has been the client's turn, when it is.
    pub(super) fn waited(&self) -> Option<Duration> {
        let at_work =
            self.requests.load(Ordering::Relaxed) > 0 && !self.receiving.load(Ordering::Relaxed);
        if at_work || self.writing.load(Ordering::Relaxed) {
            return None;
        }
        let waited = now().saturating_sub(self.since.load(Ordering::Relaxed));
        Some(Duration::from_micros(waited))
    }

    pub(super) fn begin(self: &Arc<Self>) -> Request {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Request(Arc::clone(self))
    }

    /// From now on the body is waited for.
    pub(super) fn receive(self: &Arc<Self>) -> Receiving {
        self.since.store(now(), Ordering::Relaxed);
        self.receiving.store(true, Ordering::Relaxed);
        Receiving(Arc::clone(self))
    }

    /// Whether bytes wait for the client.
    pub(super) fn set_writing(&self, writing: bool) {
        self.writing.store(writing, Ordering::Relaxed);
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.0.since.store(now(), Ordering::Relaxed);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        self.0.receiving.store(false, Ordering::Relaxed);
    }
}

/// Microseconds since it was first asked for.
fn now() -> u64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let elapsed = BEGIN.get_or_init(Instant::now).elapsed();
    u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
}
