//! Texts for the model that are searched batch by batch, and can wait between two decoder steps.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use csanmt_model::{Search, SearchOptions, SearchResult};

use crate::Error;
use crate::job::BATCH_TOKENS;
use crate::sentence::Query;
use crate::shared::Shared;

/// The searches of some queries.
#[derive(Debug)]
pub(crate) struct Round {
    shared: Arc<Shared>,
    queries: Vec<Query>,
    /// One a query.
    results: Vec<SearchResult>,
    /// Batches that are not begun, as numbers of queries.
    waiting: VecDeque<Vec<usize>>,
    /// The batch under way.
    current: Option<(Vec<usize>, Search)>,
    options: SearchOptions,
}

impl Round {
    /// At most `most` queries are one batch; without a limit those of one kind are, however many.
    pub(crate) fn new(
        shared: Arc<Shared>,
        queries: Vec<Query>,
        options: &SearchOptions,
        most: Option<usize>,
    ) -> Self {
        Self {
            shared,
            results: vec![SearchResult::default(); queries.len()],
            waiting: batches(&queries, most),
            queries,
            current: None,
            options: options.clone(),
        }
    }

    /// Searches until all is found; `observe` is called after every step and may break off, which
    /// is [`Error::Cancelled`]. The next call goes on from there.
    pub(crate) fn run(
        &mut self,
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<(), Error> {
        loop {
            let (batch, mut search) = match self.current.take() {
                Some(current) => current,
                None => match self.waiting.pop_front() {
                    Some(batch) => self.start(batch)?,
                    None => return Ok(()),
                },
            };
            while self.shared.model.step(&mut search).is_some() {
                if observe().is_break() {
                    self.current = Some((batch, search));
                    return Err(Error::Cancelled);
                }
            }
            for (&query, result) in batch.iter().zip(search.results()) {
                self.results[query] = result;
            }
            self.shared.give_back(search.into_workspace());
        }
    }

    /// The results in the order of the queries.
    pub(crate) fn into_results(mut self) -> Vec<SearchResult> {
        std::mem::take(&mut self.results)
    }

    fn start(&self, batch: Vec<usize>) -> Result<(Vec<usize>, Search), Error> {
        let ids: Vec<&[u32]> = batch
            .iter()
            .map(|&query| self.queries[query].ids.as_slice())
            .collect();
        let mut options = self.options.clone();
        if batch.first().is_some_and(|&query| self.queries[query].all) {
            options.wanted = options.beam;
        }
        let beginning = batch.first().map(|&query| &self.queries[query].beginning);
        options.beginning = beginning.cloned().flatten().unwrap_or_default();
        let workspace = self.shared.take_workspace();
        let search = self.shared.model.start(&ids, &options, workspace)?;
        Ok((batch, search))
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        if let Some((_, search)) = self.current.take() {
            self.shared.give_back(search.into_workspace());
        }
    }
}

/// The queries that want only the best first, then those that want all; queries of like length
/// together, so that they end at about the same time.
fn batches(queries: &[Query], most: Option<usize>) -> VecDeque<Vec<usize>> {
    let mut batches = VecDeque::new();
    for all in [false, true] {
        let mut numbers: Vec<usize> = (0..queries.len())
            .filter(|&number| queries[number].all == all)
            .collect();
        if most.is_some() {
            numbers.sort_by_key(|&number| queries[number].ids.len());
        }
        let (mut batch, mut tokens) = (Vec::new(), 0);
        for number in numbers {
            if queries[number].beginning.is_some() {
                // A search has one beginning.
                batches.push_back(vec![number]);
                continue;
            }
            let len = queries[number].ids.len();
            let full = most.is_some_and(|most| batch.len() >= most || tokens + len > BATCH_TOKENS);
            if full && !batch.is_empty() {
                batches.push_back(std::mem::take(&mut batch));
                tokens = 0;
            }
            tokens += len;
            batch.push(number);
        }
        if !batch.is_empty() {
            batches.push_back(batch);
        }
    }
    batches
}
