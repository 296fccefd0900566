//! The cache that several servers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ::redis::aio::{ConnectionManager, ConnectionManagerConfig};
use ::redis::{Client, ErrorKind, RedisResult};

use super::{Key, Stored};

/// Longer than this a translation takes itself.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long a Redis that has failed is left alone.
const PAUSE_MS: u64 = 1000;
/// How long translations are kept.
const KEEP_SECONDS: u64 = 30 * 24 * 3600;
/// Two versions of what is stored do not read each other's.
const PREFIX: &[u8] = b"csanmt:1:";

/// The address of a Redis that is none.
#[derive(Debug, thiserror::Error)]
#[error("the address of the Redis is not usable: {0}; expected redis://HOST:PORT/NUMBER")]
pub struct RedisError(::redis::RedisError);

#[derive(Clone)]
pub(super) struct Redis {
    manager: ConnectionManager,
    health: Arc<Health>,
}

/// When it failed last. Without that every request would wait for it.
struct Health {
    begin: Instant,
    /// Milliseconds since the beginning.
    paused_until: AtomicU64,
}

impl Redis {
    /// Connects at the first use.
    pub(super) fn new(url: &str) -> Result<Self, RedisError> {
        let manager = || -> RedisResult<ConnectionManager> {
            if tokio::runtime::Handle::try_current().is_err() {
                return Err((ErrorKind::Client, "no runtime to connect in").into());
            }
            let config = ConnectionManagerConfig::new()
                .set_connection_timeout(Some(PATIENCE))
                .set_response_timeout(Some(PATIENCE))
                .set_number_of_retries(1)
                .set_max_delay(PATIENCE);
            ConnectionManager::new_lazy_with_config(Client::open(url)?, config)
        };
        Ok(Self {
            manager: manager().map_err(RedisError)?,
            health: Arc::new(Health {
                begin: Instant::now(),
                paused_until: AtomicU64::new(0),
            }),
        })
    }

    /// What is stored under each key; nothing when the Redis fails.
    pub(super) async fn get(&self, keys: &[Key]) -> Vec<Option<Stored>> {
        let nothing = vec![None; keys.len()];
        if keys.is_empty() || self.health.is_paused() {
            return nothing;
        }
        let mut command = ::redis::cmd("MGET");
        for key in keys {
            command.arg(name(key));
        }
        let mut manager = self.manager.clone();
        let asked = command.query_async::<Vec<Option<Vec<u8>>>>(&mut manager);
        let answers = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(answers)) if answers.len() == keys.len() => answers,
            Ok(Err(error)) => {
                self.health.failed(&error.to_string());
                return nothing;
            }
            _ => {
                self.health.failed("no answer in time");
                return nothing;
            }
        };
        let read = |answer: Option<Vec<u8>>| serde_json::from_slice(&answer?).ok();
        answers.into_iter().map(read).collect()
    }

    /// Stores without being waited for.
    pub(super) fn put(&self, entries: Vec<(Key, Stored)>) {
        if self.health.is_paused() {
            return;
        }
        let this = self.clone();
        tokio::spawn(async move {
            let mut pipe = ::redis::pipe();
            for (key, stored) in entries {
                // Texts always have a JSON form.
                let value = serde_json::to_vec(&stored).unwrap_or_default();
                pipe.cmd("SET")
                    .arg(name(&key))
                    .arg(value)
                    .arg("EX")
                    .arg(KEEP_SECONDS)
                    .ignore();
            }
            let mut manager = this.manager.clone();
            let sent = pipe.query_async::<()>(&mut manager);
            match tokio::time::timeout(PATIENCE, sent).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => this.health.failed(&error.to_string()),
                Err(_) => this.health.failed("no answer in time"),
            }
        });
    }
}

fn name(key: &Key) -> Vec<u8> {
    let mut name = PREFIX.to_vec();
    name.extend_from_slice(key);
    name
}

impl Health {
    fn now(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn is_paused(&self) -> bool {
        self.now() < self.paused_until.load(Ordering::Relaxed)
    }

    fn failed(&self, error: &str) {
        let now = self.now();
        let until = now.saturating_add(PAUSE_MS);
        // Requests that waited for it together have one complaint.
        if self.paused_until.fetch_max(until, Ordering::Relaxed) <= now {
            tracing::warn!(error, "the Redis does not work; going on without it");
        }
    }
}
