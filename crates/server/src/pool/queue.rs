//! Who is next.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::job::Job;
use crate::ApiError;

/// Jobs behind the first that are looked through for some that go with it.
const LOOK_AHEAD: usize = 64;

/// A bounded first-in-first-out queue that unfinished jobs come back to.
pub(super) struct Queue {
    threads: usize,
    most_requests: usize,
    most_bytes: usize,
    state: Mutex<State>,
    /// Signalled when a job arrives and when the pool closes.
    changed: Condvar,
    closing: AtomicBool,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Text bytes of all jobs.
    bytes: usize,
    /// Threads that wait for a job.
    idle: usize,
    /// Threads that have one.
    busy: usize,
    next_id: u64,
}

impl Queue {
    pub(super) fn new(most_requests: usize, most_bytes: usize, threads: usize) -> Self {
        Self {
            threads,
            most_requests,
            most_bytes,
            state: Mutex::default(),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
        }
    }

    /// Appends a new job and gives its number.
    pub(super) fn submit(&self, mut job: Job) -> Result<u64, ApiError> {
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
        job.set_id(id);
        state.append(job);
        drop(state);
        self.changed.notify_one();
        Ok(id)
    }

    /// Waits for the next job; `None` when the pool closes. What is left of a thread's last job, if
    /// it had one, goes to the end first, and comes back at once when nobody waits. It was accepted,
    /// so no limit turns it away.
    pub(super) fn next(&self, last: Option<Vec<Job>>) -> Option<Job> {
        let mut state = self.lock();
        if last.is_some() {
            state.busy -= 1;
        }
        for job in last.into_iter().flatten() {
            // Set before a ticket looks for its job here, so none is left behind.
            if !job.is_cancelled() {
                state.append(job);
            }
        }
        loop {
            if self.is_closing() {
                return None;
            }
            // Other threads that have none are about to take what is there for them.
            let free = self.threads.saturating_sub(state.busy).max(1);
            if let Some(job) = state.take_with_others(free) {
                state.busy += 1;
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

    /// Takes out a job that only the request with this number waits for.
    pub(super) fn remove(&self, id: u64) -> Option<Job> {
        let mut state = self.lock();
        let index = state.jobs.iter().position(|job| job.is_only_of(id))?;
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
    fn append(&mut self, job: Job) {
        self.bytes += job.bytes();
        self.jobs.push_back(job);
    }

    fn take(&mut self, index: usize) -> Option<Job> {
        let job = self.jobs.remove(index)?;
        self.bytes -= job.bytes();
        Some(job)
    }

    /// The first job with others that can be translated in the same batches: at most one of `free`
    /// threads' share.
    fn take_with_others(&mut self, free: usize) -> Option<Job> {
        let share = self.jobs.len().div_ceil(free);
        let mut job = self.take(0)?;
        let mut index = 0;
        for _ in 1..share.min(LOOK_AHEAD) {
            match self.jobs.get(index) {
                Some(next) if job.goes_with(next) => {
                    if let Some(next) = self.take(index) {
                        job.join(next);
                    }
                }
                Some(_) => index += 1,
                None => break,
            }
        }
        Some(job)
    }
}
