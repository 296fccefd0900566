//! One request on its way through the pool.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use csanmt::{Error, Options, Translation};
use tokio::sync::{oneshot, watch};

use super::Order;
use super::ticket::{Outcome, Progress};
use crate::metrics::Metrics;
use crate::{ApiError, Translate, Work};

pub(super) struct Job {
    stage: Stage,
    bytes: usize,
    /// How many translations there must be.
    texts: usize,
    watched: bool,
    cancelled: Arc<AtomicBool>,
    progress: watch::Sender<Progress>,
    reply: oneshot::Sender<Result<Vec<Translation>, ApiError>>,
}

/// Texts are split when their turn comes, not when they arrive: that takes a thread, too.
enum Stage {
    New(Arc<dyn Translate>, Vec<String>, Options),
    Started(Box<dyn Work>),
}

impl Job {
    pub(super) fn new(order: Order) -> (Self, Outcome) {
        let (reply, receiver) = oneshot::channel();
        let (sender, progress) = watch::channel(Progress::default());
        let job = Self {
            bytes: order.texts.iter().map(String::len).sum(),
            texts: order.texts.len(),
            stage: Stage::New(order.service, order.texts, order.options),
            watched: order.watched,
            cancelled: Arc::default(),
            progress: sender,
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
    pub(super) fn step(self, metrics: &Metrics, is_closing: &dyn Fn() -> bool) -> Option<Self> {
        let Self {
            stage,
            cancelled,
            progress,
            ..
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
        let advance = || advance(stage, metrics, &mut observe);
        let outcome = catch_unwind(AssertUnwindSafe(advance));
        let result = match outcome {
            Ok(Ok(Advanced::Unfinished(work))) => {
                let texts = self.watched.then(|| work.so_far());
                progress.send_modify(|progress| progress.advance(texts));
                return Some(Self {
                    stage: Stage::Started(work),
                    cancelled,
                    progress,
                    ..self
                });
            }
            Ok(Ok(Advanced::Finished(translations))) if translations.len() == self.texts => {
                Ok(translations)
            }
            Ok(Ok(Advanced::Finished(translations))) => {
                let found = translations.len();
                tracing::error!(texts = self.texts, found, "lines do not fit");
                Err(ApiError::Internal)
            }
            Ok(Err(error)) => Err(api_error(&error, self.bytes)),
            Err(_) => {
                tracing::error!(bytes = self.bytes, "the translator panicked");
                Err(ApiError::Internal)
            }
        };
        // Nobody waits for it any more: the ticket was dropped.
        let _ = self.reply.send(result);
        None
    }
}

enum Advanced {
    Unfinished(Box<dyn Work>),
    Finished(Vec<Translation>),
}

fn advance(
    stage: Stage,
    metrics: &Metrics,
    observe: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Advanced, Error> {
    if observe().is_break() {
        return Err(Error::Cancelled);
    }
    let mut work = match stage {
        Stage::New(service, texts, options) => service.start(texts, &options)?,
        Stage::Started(work) => work,
    };
    if !work.is_done() {
        let before = work.sentences_done();
        work.advance(observe)?;
        metrics.batch(work.sentences_done().saturating_sub(before));
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
