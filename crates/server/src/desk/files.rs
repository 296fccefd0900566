//! Files, whose paragraphs go through the pool window by window.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use csanmt::markup::TaggedText;
use csanmt::{Error, Options};
use csanmt_documents::{TranslateUnits, Translated};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::Desk;
use crate::model::Model;
use crate::pool::{Content, Order, Patience};
use crate::{ApiError, AppState, Pace};

/// What translating a file needs of a [`Desk`]. It works on a thread that may wait.
pub(crate) struct Counter {
    state: AppState,
    model: Arc<Model>,
    runtime: Handle,
    patience: Patience,
    /// Set when nobody waits for the file any more.
    given_up: watch::Receiver<bool>,
    /// What went wrong, more exactly than the engine's errors say.
    error: Mutex<Option<ApiError>>,
}

impl Desk {
    /// Counts the characters of a file as those of a request, and gives what translates it.
    pub(crate) fn counter(
        &self,
        characters: usize,
        given_up: watch::Receiver<bool>,
    ) -> Result<Counter, ApiError> {
        let token = self.token.as_deref();
        self.state.rates().charge(&self.caller, token, characters)?;
        let settings = self.state.settings();
        Ok(Counter {
            state: self.state.clone(),
            model: Arc::clone(&self.model),
            runtime: Handle::current(),
            patience: Patience::new(settings.stall, settings.deadline),
            given_up,
            error: Mutex::default(),
        })
    }
}

impl Counter {
    /// What went wrong last.
    pub(crate) fn error(&self) -> Option<ApiError> {
        lock(&self.error).take()
    }

    async fn compute(&self, units: Vec<TaggedText>) -> Result<Vec<TaggedText>, ApiError> {
        let order = Order {
            service: Arc::clone(&self.model.service),
            options: Options::default(),
            content: Content::Tagged(units),
            pace: Pace::Whole,
        };
        let ticket = self.state.pool().submit(order)?;
        let mut given_up = self.given_up.clone();
        // No progress is made between the windows, but the time for the whole file runs.
        let patience = self.patience.renewed();
        tokio::select! {
            outcome = ticket.result(patience) => Ok(outcome?.into_tagged()),
            _ = given_up.wait_for(|given_up| *given_up) => Err(ApiError::ShuttingDown),
        }
    }
}

impl TranslateUnits for Counter {
    /// Nobody is shown the progress.
    fn sentences(&self, _: &TaggedText) -> usize {
        1
    }

    /// A turn of the pool, so that files leave room for others.
    fn window(&self) -> usize {
        16 << 10
    }

    fn translate(
        &self,
        units: &[TaggedText],
        _: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, Error> {
        let characters: usize = units.iter().map(|unit| unit.text().chars().count()).sum();
        let texts = self
            .runtime
            .block_on(self.compute(units.to_vec()))
            .map_err(|error| {
                *lock(&self.error) = Some(error);
                Error::Cancelled
            })?;
        self.state.metrics().translated(units.len(), characters, 0);
        let translated = |text| Translated {
            text,
            truncated: false,
        };
        Ok(texts.into_iter().map(translated).collect())
    }
}

/// Nothing panics while it is locked.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
