//! A bounded number of connections, of which idle ones make room for new ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::Activity;

/// How soon a full house is looked over again for a connection that has become idle.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// All open connections.
pub(crate) struct Occupancy {
    permits: Arc<Semaphore>,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    connections: HashMap<u64, Entry>,
    next_id: u64,
}

struct Entry {
    activity: Arc<Activity>,
    leave: Arc<Notify>,
}

/// A connection's place; dropping it makes room.
pub(crate) struct Place {
    id: u64,
    activity: Arc<Activity>,
    leave: Arc<Notify>,
    open: Arc<Mutex<Open>>,
    _permit: OwnedSemaphorePermit,
}

impl Occupancy {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            permits: Arc::new(Semaphore::new(most)),
            open: Arc::default(),
        }
    }

    /// The place of a new connection. When there is none, the connection that has been idle
    /// longest is asked to leave; when all are busy, this waits for one.
    pub(crate) async fn enter(&self) -> Place {
        let permit = loop {
            if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
                break permit;
            }
            self.evict();
            let permit = Arc::clone(&self.permits).acquire_owned();
            // The semaphore is never closed.
            if let Ok(Ok(permit)) = timeout(LOOK_AGAIN, permit).await {
                break permit;
            }
        };
        let (activity, leave) = (Arc::new(Activity::new()), Arc::<Notify>::default());
        let mut open = lock(&self.open);
        let id = open.next_id;
        open.next_id += 1;
        let entry = Entry {
            activity: Arc::clone(&activity),
            leave: Arc::clone(&leave),
        };
        open.connections.insert(id, entry);
        drop(open);
        Place {
            id,
            activity,
            leave,
            open: Arc::clone(&self.open),
            _permit: permit,
        }
    }

    fn evict(&self) {
        let open = lock(&self.open);
        let idle = open
            .connections
            .values()
            .filter(|one| one.activity.is_idle());
        if let Some(longest) = idle.min_by_key(|one| one.activity.idle_since()) {
            longest.leave.notify_one();
        }
    }
}

impl Place {
    pub(crate) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.activity)
    }

    /// Ready when the connection should leave and is idle.
    pub(crate) async fn asked_to_leave(&self) {
        loop {
            self.leave.notified().await;
            // A request may have come in the meantime.
            if self.activity.is_idle() {
                return;
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.open).connections.remove(&self.id);
    }
}

/// Nothing panics while it is locked.
fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}
