//! Requests on their way through the pool: one, or several short ones together.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use csanmt::{Error, Options};
use tokio::sync::{oneshot, watch};

use super::ticket::{Outcome, Progress};
use super::{Content, Order, Translations};
use crate::metrics::Metrics;
use crate::{ApiError, Pace, Translate, Work};

/// Requests that are translated together have at most so many bytes: about one batch of the engine,
/// so that none of them waits long for the others.
const TOGETHER_BYTES: usize = 4 << 10;

pub(super) struct Job {
    members: Vec<Member>,
    service: Arc<dyn Translate>,
    options: Options,
    pace: Pace,
    /// `None` until its first turn: splitting texts takes a thread, too.
    work: Option<Box<dyn Work>>,
    /// It has failed together with others.
    alone: bool,
}

/// One request.
struct Member {
    id: u64,
    content: Content,
    cancelled: Arc<AtomicBool>,
    progress: watch::Sender<Progress>,
    reply: oneshot::Sender<Result<Translations, ApiError>>,
}

impl Member {
    fn bytes(&self) -> usize {
        self.content.bytes()
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl Job {
    pub(super) fn new(order: Order) -> (Self, Outcome) {
        let (reply, receiver) = oneshot::channel();
        let (sender, progress) = watch::channel(Progress::default());
        let cancelled = Arc::<AtomicBool>::default();
        let outcome = Outcome {
            reply: receiver,
            progress,
            cancelled: Arc::clone(&cancelled),
        };
        let member = Member {
            id: 0,
            content: order.content,
            cancelled,
            progress: sender,
            reply,
        };
        let job = Self {
            members: vec![member],
            service: order.service,
            options: order.options,
            pace: order.pace,
            work: None,
            alone: false,
        };
        (job, outcome)
    }

    /// Numbers a new job.
    pub(super) fn set_id(&mut self, id: u64) {
        for member in &mut self.members {
            member.id = id;
        }
    }

    /// Whether nobody but the request with this number waits for it.
    pub(super) fn is_only_of(&self, id: u64) -> bool {
        self.members.len() == 1 && self.members.iter().any(|member| member.id == id)
    }

    /// Text bytes.
    pub(super) fn bytes(&self) -> usize {
        self.members.iter().map(Member::bytes).sum()
    }

    /// Nobody waits for it any more.
    pub(super) fn is_cancelled(&self) -> bool {
        self.members.iter().all(Member::is_cancelled)
    }

    /// Whether another job may be translated in the same batches.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        let is_text = |member: &Member| matches!(member.content, Content::Texts(_));
        let is_open = |job: &Self| {
            let fresh = job.work.is_none() && !job.alone && job.pace == Pace::Whole;
            fresh && job.members.iter().all(is_text)
        };
        is_open(self)
            && is_open(other)
            && Arc::ptr_eq(&self.service, &other.service)
            && self.options == other.options
            && self.bytes() + other.bytes() <= TOGETHER_BYTES
    }

    pub(super) fn join(&mut self, other: Self) {
        self.members.extend(other.members);
    }

    /// Translates one batch. Gives back what is not finished: itself, or, when requests have failed
    /// together, each of them by itself. Finished ones have got their results.
    pub(super) fn step(mut self, metrics: &Metrics, is_closing: &dyn Fn() -> bool) -> Vec<Self> {
        // The translator's shared state is read-only and this job's own is dropped, so a panic
        // leaves nothing half-done.
        let advance = || self.advance(metrics, is_closing);
        match catch_unwind(AssertUnwindSafe(advance)) {
            Ok(Ok(None)) => {
                let texts = (self.pace == Pace::Steps)
                    .then(|| self.work.as_ref().map(|work| work.so_far()))
                    .flatten();
                for member in &self.members {
                    let texts = texts.clone();
                    member
                        .progress
                        .send_modify(|progress| progress.advance(texts));
                }
                vec![self]
            }
            Ok(Ok(Some(translations))) => {
                self.reply(translations);
                Vec::new()
            }
            Ok(Err(error)) => {
                let bytes = self.bytes();
                self.fail(&api_error(&error, bytes))
            }
            Err(_) => {
                tracing::error!(bytes = self.bytes(), "the translator panicked");
                self.fail(&ApiError::Internal)
            }
        }
    }

    /// The translations when they are done.
    fn advance(
        &mut self,
        metrics: &Metrics,
        is_closing: &dyn Fn() -> bool,
    ) -> Result<Option<Translations>, Error> {
        let members = &self.members;
        let mut observe = || match is_closing() || members.iter().all(Member::is_cancelled) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        if observe().is_break() {
            return Err(Error::Cancelled);
        }
        let mut work = match self.work.take() {
            Some(work) => work,
            None => self.start()?,
        };
        if !work.is_done() {
            let before = work.sentences_done();
            work.advance(&mut observe)?;
            metrics.batch(work.sentences_done().saturating_sub(before));
        }
        if work.is_done() {
            return Ok(Some(
                match self.members.first().map(|first| &first.content) {
                    Some(Content::Tagged(_)) => Translations::Tagged(work.finish_tagged()),
                    _ => Translations::Texts(work.finish()),
                },
            ));
        }
        self.work = Some(work);
        Ok(None)
    }

    /// Begins to translate what all members have; only texts are ever together.
    fn start(&self) -> Result<Box<dyn Work>, Error> {
        let mut texts = Vec::new();
        for member in &self.members {
            match &member.content {
                Content::Texts(own) => texts.extend_from_slice(own),
                Content::Tagged(units) => {
                    return self.service.start_tagged(units.clone(), &self.options);
                }
            }
        }
        self.service.start(texts, &self.options, self.pace)
    }

    fn reply(self, translations: Translations) {
        let expected: usize = self.members.iter().map(|member| member.content.len()).sum();
        let found = match &translations {
            Translations::Texts(texts) => texts.len(),
            Translations::Tagged(units) => units.len(),
        };
        if expected != found {
            tracing::error!(expected, found, "lines do not fit");
            for member in self.members {
                let _ = member.reply.send(Err(ApiError::Internal));
            }
            return;
        }
        let mut texts = match translations {
            Translations::Texts(texts) => texts.into_iter(),
            tagged @ Translations::Tagged(_) => {
                if let Some(only) = self.members.into_iter().next() {
                    let _ = only.reply.send(Ok(tagged));
                }
                return;
            }
        };
        for member in self.members {
            let own = texts.by_ref().take(member.content.len()).collect();
            // An error means that nobody waits for it any more: the ticket was dropped.
            let _ = member.reply.send(Ok(Translations::Texts(own)));
        }
    }

    /// One of several requests may be the cause: each gets another turn by itself.
    fn fail(self, error: &ApiError) -> Vec<Self> {
        if self.members.len() > 1 && matches!(error, ApiError::Internal) {
            let alone = |member| Self {
                members: vec![member],
                service: Arc::clone(&self.service),
                options: self.options.clone(),
                pace: self.pace,
                work: None,
                alone: true,
            };
            return self.members.into_iter().map(alone).collect();
        }
        for member in self.members {
            let _ = member.reply.send(Err(error.clone()));
        }
        Vec::new()
    }
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
