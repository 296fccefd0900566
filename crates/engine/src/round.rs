//! Texts for the model that are searched together, and can wait between two decoder steps.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use csanmt_model::{BatchSize, Search, SearchOptions, SearchResult};

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
    /// Searches that are not begun, as numbers of queries.
    waiting: VecDeque<Vec<usize>>,
    /// The search under way.
    current: Option<(Vec<usize>, Search)>,
    options: SearchOptions,
}

impl Round {
    /// At most `most` queries are decoded at a time; without a limit all are, in their order.
    pub(crate) fn new(
        shared: Arc<Shared>,
        queries: Vec<Query>,
        options: &SearchOptions,
        most: Option<usize>,
    ) -> Self {
        let mut options = options.clone();
        options.batch = most.map_or(BatchSize::ALL, |sentences| BatchSize {
            sentences,
            tokens: BATCH_TOKENS,
        });
        Self {
            shared,
            results: vec![SearchResult::default(); queries.len()],
            waiting: searches(&queries, most.is_none()),
            queries,
            current: None,
            options,
        }
    }

    /// Searches until all is found; `observe` is called after every step and may break off, which
    /// is [`Error::Cancelled`]. The next call goes on from there.
    pub(crate) fn run(
        &mut self,
        observe: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<(), Error> {
        loop {
            let (numbers, mut search) = match self.current.take() {
                Some(current) => current,
                None => match self.waiting.pop_front() {
                    Some(numbers) => self.start(numbers)?,
                    None => return Ok(()),
                },
            };
            while self.shared.model.step(&mut search).is_some() {
                if observe().is_break() {
                    self.current = Some((numbers, search));
                    return Err(Error::Cancelled);
                }
            }
            for (&query, result) in numbers.iter().zip(search.results()) {
                self.results[query] = result;
            }
            self.shared.give_back(search.into_workspace());
        }
    }

    /// The results in the order of the queries.
    pub(crate) fn into_results(mut self) -> Vec<SearchResult> {
        std::mem::take(&mut self.results)
    }

    fn start(&self, numbers: Vec<usize>) -> Result<(Vec<usize>, Search), Error> {
        let ids: Vec<&[u32]> = numbers
            .iter()
            .map(|&query| self.queries[query].ids.as_slice())
            .collect();
        let mut options = self.options.clone();
        if numbers
            .first()
            .is_some_and(|&query| self.queries[query].all)
        {
            options.wanted = options.beam;
        }
        let beginning = numbers.first().map(|&query| &self.queries[query].beginning);
        options.beginning = beginning.cloned().flatten().unwrap_or_default();
        let workspace = self.shared.take_workspace();
        let search = self.shared.model.start(&ids, &options, workspace)?;
        Ok((numbers, search))
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        if let Some((_, search)) = self.current.take() {
            self.shared.give_back(search.into_workspace());
        }
    }
}

/// The queries that want only the best, then those that want all, then those with a beginning of
/// their own: a search has one.
fn searches(queries: &[Query], in_order: bool) -> VecDeque<Vec<usize>> {
    let numbers = || 0..queries.len();
    let free = |number: &usize| queries[*number].beginning.is_none();
    let mut searches = VecDeque::new();
    for all in [false, true] {
        let mut of_kind: Vec<usize> = numbers()
            .filter(|number| free(number) && queries[*number].all == all)
            .collect();
        if !in_order {
            // The longest first: what is decoded last has little beside it.
            of_kind.sort_by_key(|&number| Reverse(queries[number].ids.len()));
        }
        searches.push_back(of_kind);
    }
    searches.extend(numbers().filter(|n| !free(n)).map(|n| vec![n]));
    searches.retain(|search| !search.is_empty());
    searches
}
