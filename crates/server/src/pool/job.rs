//! One request on its way through the pool.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use csanmt::{Error, Options, Translation};
use tokio::sync::{oneshot, watch};

use super::ticket::Outcome;
use crate::{ApiError, Translate, Work};

pub(super) struct Job {
    stage: Stage,
    bytes: usize,
    cancelled: Arc<AtomicBool>,
    /// Counts the batches that are translated.
    batches: watch::Sender<u64>,
    reply: oneshot::Sender<Result<Vec<Translation>, ApiError>>,
}

/// Texts are split when their turn comes, not when they arrive: that takes a thread, too.
enum Stage {
    New(Vec<String>, Options),
    Started(Box<dyn Work>),
}

impl Job {
    pub(super) fn new(texts: Vec<String>, options: Options) -> (Self, Outcome) {
        let (reply, receiver) = oneshot::channel();
        let (batches, progress) = watch::channel(0);
        let job = Self {
            bytes: texts.iter().map(String::len).sum(),
            stage: Stage::New(texts, options),
            cancelled: Arc::default(),
            batches,
            reply,
        };
        let outcome = Outcome {
            reply: receiver,
            progress,
        };
        (job, outcome)
    }

    /// Text bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The flag that stops it.
    pub(super) fn cancelled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Translates one batch. When that was the last one, or nothing more can be done, the ticket
    /// gets the result and the job is gone.
    pub(super) fn step(
        self,
        service: &impl Translate,
        is_closing: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let Self {
            stage,
            bytes,
            cancelled,
            batches,
            reply,
        } = self;
        let mut observe = || {
            if cancelled.load(Ordering::Relaxed) || is_closing() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        // The translator's shared state is read-only and this job's own is dropped, so a panic
        // leaves nothing half-done.
        let outcome = catch_unwind(AssertUnwindSafe(|| advance(stage, service, &mut observe)));
        let result = match outcome {
            Ok(Ok(Advanced::Unfinished(work))) => {
                batches.send_modify(|count| *count += 1);
                return Some(Self {
                    stage: Stage::Started(work),
                    bytes,
                    cancelled,
                    batches,
                    reply,
                });
            }
            Ok(Ok(Advanced::Finished(translations))) => Ok(translations),
            Ok(Err(error)) => Err(api_error(&error, bytes)),
            Err(_) => {
                tracing::error!(bytes, "the translator panicked");
                Err(ApiError::Internal)
            }
        };
        // Nobody waits for it any more: the ticket was dropped.
        let _ = reply.send(result);
        None
    }
}

enum Advanced {
    Unfinished(Box<dyn Work>),
    Finished(Vec<Translation>),
}

fn advance(
    stage: Stage,
    service: &impl Translate,
    observe: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Advanced, Error> {
    if observe().is_break() {
        return Err(Error::Cancelled);
    }
    let mut work = match stage {
        Stage::New(texts, options) => service.start(texts, &options)?,
        Stage::Started(work) => work,
    };
    if !work.is_done() {
        work.advance(observe)?;
    }
    Ok(if work.is_done() {
        Advanced::Finished(work.finish())
    } else {
        Advanced::Unfinished(work)
    })
}

fn api_error(error: &Error, bytes: usize) -> ApiError {
    match error {
        Error::Cancelled => {
            tracing::debug!(bytes, "cancelled");
            ApiError::ShuttingDown
        }
        Error::Option { .. } => ApiError::Value {
            reason: error.to_string(),
        },
        _ => {
            tracing::error!(%error, bytes, "the translator failed");
            ApiError::Internal
        }
    }
}
