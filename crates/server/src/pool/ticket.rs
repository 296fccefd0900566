//! The handler's end of a job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::Translations;
use super::queue::Queue;
use crate::ApiError;

/// A place in the queue and, later, the result.
pub(crate) struct Ticket {
    queue: Arc<Queue>,
    id: u64,
    outcome: Outcome,
}

/// What a job tells.
pub(super) struct Outcome {
    pub(super) reply: oneshot::Receiver<Result<Translations, ApiError>>,
    pub(super) progress: watch::Receiver<Progress>,
    /// The flag that stops it.
    pub(super) cancelled: Arc<AtomicBool>,
}

/// How far a job is.
#[derive(Default)]
pub(super) struct Progress {
    /// Batches that are translated.
    batches: u64,
    /// The beginnings of the translations, when somebody wants to see them.
    texts: Vec<String>,
}

impl Progress {
    pub(super) fn advance(&mut self, texts: Option<Vec<String>>) {
        self.batches += 1;
        self.texts = texts.unwrap_or_default();
    }
}

/// What a ticket waits for.
pub(crate) enum Event {
    /// The beginnings of the translations.
    SoFar(Vec<String>),
    /// The translations, one a text.
    Done(Translations),
}

/// How long a ticket waits.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    begin: Instant,
    since: Instant,
    stall: Duration,
    deadline: Duration,
}

impl Patience {
    /// A job is given up when no batch was finished within `stall`, and after `deadline` in any
    /// case.
    pub(crate) fn new(stall: Duration, deadline: Duration) -> Self {
        let begin = Instant::now();
        Self {
            begin,
            since: begin,
            stall,
            deadline,
        }
    }

    /// With the same end, but as after progress.
    pub(crate) fn renewed(self) -> Self {
        Self {
            since: Instant::now(),
            ..self
        }
    }
}

impl Ticket {
    pub(super) fn new(queue: Arc<Queue>, id: u64, outcome: Outcome) -> Self {
        Self { queue, id, outcome }
    }

    /// The translations, one a text.
    pub(crate) async fn result(mut self, mut patience: Patience) -> Result<Translations, ApiError> {
        loop {
            if let Event::Done(translations) = self.next(&mut patience).await? {
                return Ok(translations);
            }
        }
    }

    /// What happens next. Not to be called again after [`Event::Done`] or an error.
    pub(crate) async fn next(&mut self, patience: &mut Patience) -> Result<Event, ApiError> {
        let Outcome {
            reply, progress, ..
        } = &mut self.outcome;
        let stalled = patience.since + patience.stall;
        let late = patience.begin + patience.deadline;
        let event = async {
            tokio::select! {
                biased;
                reply = &mut *reply => Some(reply),
                // An error means that the reply is there or never comes: never ready again.
                Ok(()) = progress.changed() => None,
            }
        };
        match timeout_at(stalled.min(late), event).await {
            // The sender is dropped without a word only when the pool closes.
            Ok(Some(reply)) => reply
                .unwrap_or(Err(ApiError::ShuttingDown))
                .map(Event::Done),
            Ok(None) => {
                patience.since = Instant::now();
                let texts = progress.borrow_and_update().texts.clone();
                Ok(Event::SoFar(texts))
            }
            Err(_) if late <= stalled => {
                let seconds = patience.deadline.as_secs();
                Err(ApiError::Deadline { seconds })
            }
            Err(_) => {
                let seconds = patience.stall.as_secs();
                Err(ApiError::Stalled { seconds })
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.outcome.cancelled.store(true, Ordering::Relaxed);
        drop(self.queue.remove(self.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STALL: Duration = Duration::from_secs(60);
    const DEADLINE: Duration = Duration::from_secs(600);

    /// A job that finishes a batch every `pause`, `batches` of them, and then replies.
    async fn outcome(pause: Duration, batches: u64) -> Result<Translations, ApiError> {
        let (sender, reply) = oneshot::channel();
        let (sender_of_progress, progress) = watch::channel(Progress::default());
        tokio::spawn(async move {
            for _ in 0..batches {
                tokio::time::sleep(pause).await;
                sender_of_progress.send_modify(|progress| progress.advance(None));
            }
            let _ = sender.send(Ok(Translations::Texts(Vec::new())));
        });
        let queue = Arc::new(Queue::new(1, 1, 1));
        let cancelled = Arc::default();
        let outcome = Outcome {
            reply,
            progress,
            cancelled,
        };
        let ticket = Ticket::new(queue, 0, outcome);
        ticket.result(Patience::new(STALL, DEADLINE)).await
    }

    #[tokio::test(start_paused = true)]
    async fn with_progress_a_job_may_take_longer_than_the_stall() {
        assert!(outcome(Duration::from_secs(50), 11).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn without_progress_or_past_the_deadline_it_is_given_up() {
        let begin = Instant::now();
        let stalled = outcome(Duration::from_secs(61), 1).await;
        assert!(matches!(stalled, Err(ApiError::Stalled { seconds: 60 })));
        assert_eq!(begin.elapsed().as_secs(), 60);
        let late = outcome(Duration::from_secs(50), 13).await;
        assert!(matches!(late, Err(ApiError::Deadline { seconds: 600 })));
        assert_eq!(begin.elapsed().as_secs(), 660);
    }
}
