//! A bounded number of connections, of which those that wait for their clients make room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::Activity;

/// How soon a full house is looked over again for a connection that may go.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// A client whose turn it has been for less than this is about to send: in a crowd, everybody's
/// connection is open a little before the request is here.
const GRACE: Duration = Duration::from_secs(1);

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

    /// The place of a new connection. When there is none, the connection that has waited longest
    /// for its client is asked to leave; when none has waited long, this waits for one.
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
        let waiting = open.connections.values();
        let waiting = waiting.filter_map(|one| Some((one.activity.waited()?, one)));
        if let Some((waited, longest)) = waiting.max_by_key(|(waited, _)| *waited)
            && waited >= GRACE
        {
            longest.leave.notify_one();
        }
    }
}

impl Place {
    pub(crate) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.activity)
    }

    /// Ready when the connection should leave and still waits for its client.
    pub(crate) async fn asked_to_leave(&self) {
        loop {
            self.leave.notified().await;
            // A request may have come in the meantime.
            if self.activity.waited().is_some_and(|waited| waited >= GRACE) {
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
