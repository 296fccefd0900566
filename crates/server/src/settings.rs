//! The limits of the service, all in one place.

use std::num::NonZero;
use std::time::Duration;

/// What bounds the service. Memory is bounded by
/// `connections × body_bytes + 2 × queue_bytes + threads × (body_bytes + one translation)` and what
/// the translations in the queue have so far, which is of the order of their texts.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Threads that translate.
    pub threads: NonZero<usize>,
    /// Requests that may wait for their turn.
    pub queue_requests: usize,
    /// Bytes of text that may wait for their turn, summed over the requests.
    pub queue_bytes: usize,
    /// The largest request body.
    pub body_bytes: usize,
    /// The time without progress after which a request is given up: its body has not arrived, or
    /// none of its sentences were translated.
    pub stall: Duration,
    /// The time that a translation may take altogether, turns of other requests included.
    pub deadline: Duration,
    /// Connections that are open at once. When one more comes, the one that has been idle longest
    /// is closed; when none is idle, it waits in the system's backlog.
    pub connections: usize,
    /// The time from the opening of a connection, or from the end of a request, to the end of the
    /// next request's header.
    pub header_timeout: Duration,
    /// The time in which a client must have read something of an answer that waits for it.
    pub write_timeout: Duration,
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
            stall: Duration::from_secs(60),
            deadline: Duration::from_secs(600),
            connections: 1024,
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            // Below the 30 seconds that orchestrators usually grant.
            drain: Duration::from_secs(25),
        }
    }
}
