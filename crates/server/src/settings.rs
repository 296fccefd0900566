//! The limits of the service, all in one place.

use std::num::NonZero;
use std::time::Duration;

/// What bounds the service. Memory is bounded by
/// `connections × body_bytes + queue_bytes + threads × (body_bytes + one translation)`.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Threads that translate.
    pub threads: NonZero<usize>,
    /// Requests that may wait for a thread.
    pub queue_requests: usize,
    /// Bytes of text that may wait for a thread, summed over the requests.
    pub queue_bytes: usize,
    /// The largest request body.
    pub body_bytes: usize,
    /// The time a request may take, from its header to its answer.
    pub deadline: Duration,
    /// Connections that are open at once; more wait in the system's backlog.
    pub connections: usize,
    /// The time that requests under way get to finish when the server is stopped.
    pub drain: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            queue_requests: 256,
            queue_bytes: 16 << 20,
            body_bytes: 1 << 20,
            deadline: Duration::from_secs(60),
            connections: 1024,
            // Below the 30 seconds that orchestrators usually grant.
            drain: Duration::from_secs(25),
        }
    }
}
