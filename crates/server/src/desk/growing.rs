//! Translations bit by bit.

use super::{Item, Open};
use crate::pool::{Event, Patience, Ticket};
use crate::{ApiError, AppState};

/// Translations that are still growing.
pub(crate) struct Growing {
    state: AppState,
    open: Open,
    ticket: Option<Ticket>,
    patience: Patience,
    next: Option<Bit>,
    done: bool,
}

/// What is new.
#[derive(Debug)]
pub(crate) enum Bit {
    /// The beginnings of the translations, one a text.
    SoFar(Vec<String>),
    /// Everything.
    Done(Vec<Item>),
}

impl Growing {
    /// Waits for the first bit.
    pub(super) async fn begin(
        state: AppState,
        open: Open,
        ticket: Option<Ticket>,
        patience: Patience,
    ) -> Result<Self, ApiError> {
        let mut growing = Self {
            state,
            open,
            ticket,
            patience,
            next: None,
            done: false,
        };
        growing.next = Some(growing.advance().await?);
        Ok(growing)
    }

    /// What comes next; `None` after the end.
    pub(crate) async fn next(&mut self) -> Option<Result<Bit, ApiError>> {
        if let Some(bit) = self.next.take() {
            return Some(Ok(bit));
        }
        if self.done {
            return None;
        }
        let outcome = self.advance().await;
        self.done |= outcome.is_err();
        Some(outcome)
    }

    async fn advance(&mut self) -> Result<Bit, ApiError> {
        let event = match &mut self.ticket {
            None => None,
            Some(ticket) => Some(ticket.next(&mut self.patience).await?),
        };
        let beginnings = match event {
            Some(Event::SoFar(texts)) => texts,
            Some(Event::Done(translations)) => {
                self.open.accept(&self.state, translations.into_texts());
                self.done = true;
                return Ok(Bit::Done(std::mem::take(&mut self.open.items)));
            }
            None => {
                self.done = true;
                return Ok(Bit::Done(std::mem::take(&mut self.open.items)));
            }
        };
        let mut texts: Vec<String> = self
            .open
            .items
            .iter()
            .map(|item| item.text.clone())
            .collect();
        for ((at, _), text) in self.open.missing.iter().zip(beginnings) {
            texts[*at] = text;
        }
        Ok(Bit::SoFar(texts))
    }
}
