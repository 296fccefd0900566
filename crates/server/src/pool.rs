//! The threads that translate, and the bounded queue before them.
//!
//! A request becomes a job in the queue and a [`Ticket`] in the handler. Dropping the ticket, which
//! is what happens when the client goes away or the deadline passes, takes the job out of the queue
//! or, when it is being computed, stops it at its next step.

use std::collections::VecDeque;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use csanmt::{Options, Translation};
use tokio::sync::oneshot;

use crate::{ApiError, Settings, Translate};

/// A fixed number of threads; dropping it stops their work and waits for them.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    service: Box<dyn Translate>,
    queue_requests: usize,
    queue_bytes: usize,
    queue: Mutex<Queue>,
    /// Signalled when a job arrives and when the pool closes.
    changed: Condvar,
    closing: AtomicBool,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Text bytes of all jobs.
    bytes: usize,
    /// Threads that wait for a job.
    idle: usize,
    next_id: u64,
}

struct Job {
    id: u64,
    text: String,
    options: Options,
    cancelled: Arc<AtomicBool>,
    reply: oneshot::Sender<Result<Translation, ApiError>>,
}

/// A place in the queue and, later, the result.
pub(crate) struct Ticket {
    shared: Arc<Shared>,
    id: u64,
    cancelled: Arc<AtomicBool>,
    reply: oneshot::Receiver<Result<Translation, ApiError>>,
}

impl Pool {
    pub(crate) fn new(service: impl Translate, settings: &Settings) -> Self {
        let shared = Arc::new(Shared {
            service: Box::new(service),
            queue_requests: settings.queue_requests,
            queue_bytes: settings.queue_bytes,
            queue: Mutex::default(),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
        });
        let threads = spawn_threads(&shared, settings.threads);
        Self { shared, threads }
    }

    /// Queues a text. It is refused when no thread is idle and the queue is full.
    pub(crate) fn submit(&self, text: String, options: Options) -> Result<Ticket, ApiError> {
        let shared = &self.shared;
        let mut queue = shared.lock();
        if shared.closing.load(Ordering::Relaxed) {
            return Err(ApiError::ShuttingDown);
        }
        // Idle threads are about to take what is queued for them.
        let waiting = (queue.jobs.len() + 1).saturating_sub(queue.idle);
        let over_count = waiting > shared.queue_requests;
        // One text is always accepted, however large bodies may be.
        let over_bytes =
            !queue.jobs.is_empty() && queue.bytes.saturating_add(text.len()) > shared.queue_bytes;
        if over_count || over_bytes {
            return Err(ApiError::Overloaded);
        }
        let (sender, reply) = oneshot::channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let id = queue.next_id;
        queue.next_id += 1;
        queue.bytes += text.len();
        queue.jobs.push_back(Job {
            id,
            text,
            options,
            cancelled: Arc::clone(&cancelled),
            reply: sender,
        });
        drop(queue);
        shared.changed.notify_one();
        Ok(Ticket {
            shared: Arc::clone(shared),
            id,
            cancelled,
            reply,
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        self.shared.closing.store(true, Ordering::Relaxed);
        queue.jobs.clear();
        queue.bytes = 0;
        drop(queue);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // Panics of the translator are caught inside the thread.
            let _ = thread.join();
        }
    }
}

impl Ticket {
    pub(crate) async fn result(mut self) -> Result<Translation, ApiError> {
        // The sender is dropped without a word only when the pool closes.
        let reply = (&mut self.reply).await;
        reply.unwrap_or(Err(ApiError::ShuttingDown))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        let mut queue = self.shared.lock();
        if let Some(index) = queue.jobs.iter().position(|job| job.id == self.id) {
            queue.take(index);
        }
    }
}

impl Queue {
    fn take(&mut self, index: usize) -> Option<Job> {
        let job = self.jobs.remove(index)?;
        self.bytes -= job.text.len();
        Some(job)
    }
}

impl Shared {
    /// Nothing panics while the queue is locked, and its state is consistent at every point.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a job; `None` when the pool closes.
    fn next_job(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if self.closing.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(job) = queue.take(0) {
                return Some(job);
            }
            queue.idle += 1;
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }

    fn work(&self) {
        while let Some(job) = self.next_job() {
            let result = self.compute(&job);
            // Nobody waits for it any more: the ticket was dropped.
            let _ = job.reply.send(result);
        }
    }

    fn compute(&self, job: &Job) -> Result<Translation, ApiError> {
        let mut observe = || {
            if job.cancelled.load(Ordering::Relaxed) || self.closing.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        // The translator's shared state is read-only, so a panic leaves nothing half-done.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            self.service
                .translate(&job.text, &job.options, &mut observe)
        }));
        match outcome {
            Ok(Ok(translation)) => Ok(translation),
            Ok(Err(csanmt::Error::Cancelled)) => {
                tracing::debug!(bytes = job.text.len(), "cancelled");
                Err(ApiError::ShuttingDown)
            }
            Ok(Err(error @ csanmt::Error::Option { .. })) => Err(ApiError::Value {
                reason: error.to_string(),
            }),
            Ok(Err(error)) => {
                tracing::error!(%error, bytes = job.text.len(), "the translator failed");
                Err(ApiError::Internal)
            }
            Err(_) => {
                tracing::error!(bytes = job.text.len(), "the translator panicked");
                Err(ApiError::Internal)
            }
        }
    }
}

fn spawn_threads(shared: &Arc<Shared>, count: NonZero<usize>) -> Vec<JoinHandle<()>> {
    (0..count.get())
        .map_while(|number| {
            let shared = Arc::clone(shared);
            let thread = std::thread::Builder::new().name(format!("translate-{number}"));
            match thread.spawn(move || shared.work()) {
                Ok(handle) => Some(handle),
                Err(error) => {
                    tracing::error!(%error, number, "no more threads");
                    None
                }
            }
        })
        .collect()
}
