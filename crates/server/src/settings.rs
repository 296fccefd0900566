//! The limits of the service, all in one place.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

/// What bounds the service. Memory is bounded by
/// `connections × body_bytes + 2 × queue_bytes + threads × (body_bytes + one translation)`, the
/// caches (`cache_bytes + files_bytes`) and what the translations in the queue have so far, which
/// is of the order of their texts.
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
    /// Connections that are open at once. When one more comes, the one that has waited longest for
    /// its client to send something is closed; when none has waited for a second, the new one waits
    /// in the system's backlog.
    pub connections: usize,
    /// The time from the opening of a connection, or from the end of a request, to the end of the
    /// next request's header.
    pub header_timeout: Duration,
    /// The time in which a client must have read something of an answer that waits for it.
    pub write_timeout: Duration,
    /// Characters of text in one request; none: as many as fit into a body.
    pub characters: Option<NonZero<usize>>,
    /// Texts in one request.
    pub texts: usize,
    /// Requests to translate that one client may send in a minute.
    pub requests_per_minute: Option<NonZero<u32>>,
    /// Characters that one client may have translated in a minute.
    pub characters_per_minute: Option<NonZero<u32>>,
    /// With a token in this list, and only then, a client may translate; empty: everybody may.
    pub tokens: Vec<String>,
    /// Clients are told apart by the last address of `X-Forwarded-For`, which the proxy before this
    /// server writes. Without such a proxy anybody could write it.
    pub trust_proxy: bool,
    /// Bytes of translations that are kept in memory; 0 keeps none.
    pub cache_bytes: u64,
    /// A Redis that keeps translations for several servers, as `redis://HOST:PORT/NUMBER`.
    pub redis: Option<String>,
    /// The quality baseline, written by the first thousand sentences when it does not exist.
    pub baseline: Option<PathBuf>,
    /// Bytes of an uploaded file.
    pub file_bytes: usize,
    /// Bytes of translated files that wait to be fetched.
    pub files_bytes: u64,
    /// How long a translated file waits to be fetched.
    pub files_keep: Duration,
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
            characters: None,
            texts: 1000,
            requests_per_minute: None,
            characters_per_minute: None,
            tokens: Vec::new(),
            trust_proxy: false,
            cache_bytes: 64 << 20,
            redis: None,
            baseline: None,
            file_bytes: 16 << 20,
            files_bytes: 256 << 20,
            files_keep: Duration::from_secs(600),
            // Below the 30 seconds that orchestrators usually grant.
            drain: Duration::from_secs(25),
        }
    }
}
