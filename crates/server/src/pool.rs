//! The threads that translate, and the bounded queue before them.
//!
//! A request becomes a job in the queue and a [`Ticket`] in the handler. A thread takes the first
//! job together with the short ones behind it, so that sentences of several requests are one batch.
//! It advances the job by one batch; when others wait, the job then goes to the end of the queue,
//! so that short requests are answered while long ones are under way. Dropping the ticket, which is
//! what happens when the client goes away or time is up, takes the request out of the queue or,
//! when nobody else waits for what is being computed, stops it at its next decoder step.

mod job;
mod queue;
mod ticket;

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::JoinHandle;

use csanmt::markup::TaggedText;
use csanmt::{Options, Translation};

use crate::metrics::Metrics;
use crate::{ApiError, Pace, Settings, Translate};
use queue::Queue;
pub(crate) use ticket::{Event, Patience, Ticket};

/// A fixed number of threads; dropping it stops their work and waits for them.
pub(crate) struct Pool {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

/// Work for the pool.
pub(crate) struct Order {
    pub(crate) service: Arc<dyn Translate>,
    pub(crate) content: Content,
    pub(crate) options: Options,
    pub(crate) pace: Pace,
}

/// What is to be translated.
pub(crate) enum Content {
    /// Texts, none of which is blank.
    Texts(Vec<String>),
    /// Paragraphs with inline elements.
    Tagged(Vec<TaggedText>),
}

impl Content {
    fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Tagged(units) => units.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.iter().map(String::len).sum(),
            Self::Tagged(units) => units.iter().map(|unit| unit.text().len()).sum(),
        }
    }
}

/// What became of it, one for one.
#[derive(Debug)]
pub(crate) enum Translations {
    Texts(Vec<Translation>),
    Tagged(Vec<TaggedText>),
}

impl Translations {
    /// Those of texts; none when it was something else.
    pub(crate) fn into_texts(self) -> Vec<Translation> {
        match self {
            Self::Texts(translations) => translations,
            Self::Tagged(_) => Vec::new(),
        }
    }

    /// Those of paragraphs; none when it was something else.
    pub(crate) fn into_tagged(self) -> Vec<TaggedText> {
        match self {
            Self::Texts(_) => Vec::new(),
            Self::Tagged(units) => units,
        }
    }
}

impl Pool {
    /// Starts as many threads as the system grants.
    ///
    /// # Errors
    /// When it grants none.
    pub(crate) fn new(settings: &Settings, metrics: &Arc<Metrics>) -> io::Result<Self> {
        let (requests, bytes) = (settings.queue_requests, settings.queue_bytes);
        let queue = Arc::new(Queue::new(requests, bytes, settings.threads.get()));
        let threads = spawn_threads(&queue, metrics, settings.threads)?;
        Ok(Self { queue, threads })
    }

    /// Queues texts. They are refused when no thread is idle and the queue is full.
    pub(crate) fn submit(&self, order: Order) -> Result<Ticket, ApiError> {
        let (job, outcome) = job::Job::new(order);
        let id = self.queue.submit(job)?;
        Ok(Ticket::new(Arc::clone(&self.queue), id, outcome))
    }

    /// Requests that wait for a thread.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.waiting()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.close();
        for thread in self.threads.drain(..) {
            // Panics of the translator are caught inside the thread.
            let _ = thread.join();
        }
    }
}

fn spawn_threads(
    queue: &Arc<Queue>,
    metrics: &Arc<Metrics>,
    count: NonZero<usize>,
) -> io::Result<Vec<JoinHandle<()>>> {
    let mut threads = Vec::new();
    for number in 0..count.get() {
        let (queue, metrics) = (Arc::clone(queue), Arc::clone(metrics));
        let thread = std::thread::Builder::new().name(format!("translate-{number}"));
        match thread.spawn(move || work(&queue, &metrics)) {
            Ok(handle) => threads.push(handle),
            Err(error) if threads.is_empty() => return Err(error),
            Err(error) => {
                tracing::warn!(%error, asked = count, started = number, "no more threads");
                break;
            }
        }
    }
    Ok(threads)
}

fn work(queue: &Queue, metrics: &Metrics) {
    let mut last = None;
    while let Some(job) = queue.next(last.take()) {
        last = Some(job.step(metrics, &|| queue.is_closing()));
    }
}
