//! Who is next.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::job::Job;
use crate::ApiError;

/// A job and the number it got on arrival.
pub(super) type Numbered = (u64, Job);

/// A bounded first-in-first-out queue that unfinished jobs come back to.
pub(super) struct Queue {
    most_requests: usize,
    most_bytes: usize,
    state: Mutex<State>,
    /// Signalled when a job arrives and when the pool closes.
    changed: Condvar,
    closing: AtomicBool,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Numbered>,
    /// Text bytes of all jobs.
    bytes: usize,
    /// Threads that wait for a job.
    idle: usize,
    next_id: u64,
}

impl Queue {
    pub(super) fn new(most_requests: usize, most_bytes: usize) -> Self {
        Self {
            most_requests,
            most_bytes,
            state: Mutex::default(),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
        }
    }

    /// Appends a new job and gives its number.
    pub(super) fn submit(&self, job: Job) -> Result<u64, ApiError> {
        let mut state = self.lock();
        if self.is_closing() {
            return Err(ApiError::ShuttingDown);
        }
        // Idle threads are about to take what is queued for them.
        let waiting = (state.jobs.len() + 1).saturating_sub(state.idle);
        let over_count = waiting > self.most_requests;
        // One text is always accepted, however large bodies may be.
        let over_bytes =
            !state.jobs.is_empty() && state.bytes.saturating_add(job.bytes()) > self.most_bytes;
        if over_count || over_bytes {
            return Err(ApiError::Overloaded);
        }
        let id = state.next_id;
        state.next_id += 1;
        state.append((id, job));
        drop(state);
        self.changed.notify_one();
        Ok(id)
    }

    /// Waits for the next job; `None` when the pool closes. An unfinished one goes to the end
    /// first, and comes back at once when nobody waits. It was accepted, so no limit turns it away.
    pub(super) fn next(&self, unfinished: Option<Numbered>) -> Option<Numbered> {
        let mut state = self.lock();
        if let Some(job) = unfinished {
            // Set before a ticket looks for its job here, so none is left behind.
            if !job.1.is_cancelled() {
                state.append(job);
            }
        }
        loop {
            if self.is_closing() {
                return None;
            }
            if let Some(job) = state.take(0) {
                return Some(job);
            }
            state.idle += 1;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Takes a job out, wherever it is.
    pub(super) fn remove(&self, id: u64) -> Option<Numbered> {
        let mut state = self.lock();
        let index = state.jobs.iter().position(|job| job.0 == id)?;
        state.take(index)
    }

    /// Lets the threads end; what waits is given up.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        self.closing.store(true, Ordering::Relaxed);
        state.jobs.clear();
        state.bytes = 0;
        drop(state);
        self.changed.notify_all();
    }

    /// Jobs that no idle thread is about to take.
    pub(super) fn waiting(&self) -> usize {
        let state = self.lock();
        state.jobs.len().saturating_sub(state.idle)
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Nothing panics while the queue is locked, and its state is consistent at every point.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn append(&mut self, job: Numbered) {
        self.bytes += job.1.bytes();
        self.jobs.push_back(job);
    }

    fn take(&mut self, index: usize) -> Option<Numbered> {
        let job = self.jobs.remove(index)?;
        self.bytes -= job.1.bytes();
        Some(job)
    }
}
