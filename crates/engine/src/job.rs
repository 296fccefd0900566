//! A translation that is done in steps.

use std::ops::ControlFlow;
use std::sync::Arc;

use csanmt_model::{Limits, SearchOptions, SearchResult};

use crate::plan::{Output, Plan};
use crate::shared::Shared;
use crate::{Error, Hypothesis, Options, Progress, Translation};

/// Source tokens in one batch. Enough rows for the matrix kernels to be compute-bound, few enough
/// that results appear steadily.
const BATCH_TOKENS: usize = 512;
/// Sentences in one batch.
const BATCH_SENTENCES: usize = 32;

/// A running translation: [`Job::advance`] does a bounded amount of work, so that the caller can
/// show what is there, look for newer input, or stop, in between.
///
/// The result does not depend on how the work is cut: every sentence is computed on its own.
#[derive(Debug)]
pub struct Job {
    shared: Arc<Shared>,
    options: Options,
    search: SearchOptions,
    plan: Plan,
    /// Most sentences in the next batch.
    width: usize,
    /// A sentence that did not fit into the last batch, and its ids.
    pending: Option<(usize, Vec<u32>)>,
}

impl Job {
    pub(crate) fn new(shared: Arc<Shared>, text: &str, options: &Options) -> Result<Self, Error> {
        let search = search_options(&shared, options)?;
        let plan = if options.raw {
            Plan::original(text)
        } else {
            Plan::document(text)
        };
        Ok(Self {
            shared,
            options: options.clone(),
            search,
            plan,
            width: 1,
            pending: None,
        })
    }

    /// Starts with a full batch: nobody looks at partial results.
    pub(crate) fn for_throughput(mut self) -> Self {
        self.width = self.widest();
        self
    }

    /// Most sentences in a batch.
    fn widest(&self) -> usize {
        self.options.batch.unwrap_or(BATCH_SENTENCES).max(1)
    }

    /// How far the work is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            sentences_done: self.plan.done(),
            sentences: self.plan.len(),
        }
    }

    /// Everything is translated.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.plan.done() == self.plan.len()
    }

    /// Translates the next sentences: one at first, so that something appears at once, then more
    /// and more. Does nothing when all is done.
    ///
    /// # Errors
    /// Only when the model cannot run at all.
    pub fn advance(&mut self) -> Result<Progress, Error> {
        self.advance_with(&mut |_| ControlFlow::Continue(()))
    }

    /// Like [`Job::advance`]; `observe` is called at every decoder step and may cancel. What was
    /// cancelled can be advanced again.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when `observe` breaks.
    pub fn advance_with(
        &mut self,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Progress, Error> {
        let progress = self.progress();
        let batch = self.next_batch();
        let ids: Vec<&[u32]> = batch.iter().flatten().map(Vec::as_slice).collect();
        let mut results = Vec::new();
        if !ids.is_empty() {
            let model = &self.shared.model;
            let mut workspace = self.shared.take_workspace();
            let found = model.search(&ids, &self.search, &mut workspace, &mut |_| {
                observe(progress)
            });
            self.shared.give_back(workspace);
            results = found?;
        }
        let mut results = results.into_iter();
        for ids in &batch {
            let sentence = self.plan.done();
            let translated = ids.as_ref().and_then(|_| results.next());
            let output = match translated {
                Some(result) => self.output(sentence, &result),
                None => self.copy(sentence),
            };
            self.plan.accept(output);
        }
        self.width = (self.width * 2).min(self.widest());
        Ok(self.progress())
    }

    /// The translation of everything before the first sentence that is still missing.
    #[must_use]
    pub fn text_so_far(&self) -> String {
        self.plan.text_so_far()
    }

    /// The translation of the whole text, or of its beginning when the job is not done.
    #[must_use]
    pub fn finish(self) -> Translation {
        self.plan.finish()
    }

    /// The ids of the next sentences; `None` for a sentence that is copied.
    fn next_batch(&mut self) -> Vec<Option<Vec<u32>>> {
        let (mut batch, mut tokens, mut count) = (Vec::new(), 0, 0);
        for sentence in self.plan.done()..self.plan.len() {
            let ids = match self.pending.take() {
                Some((number, ids)) if number == sentence => Some(ids),
                _ => self.encode(sentence),
            };
            if let Some(ids) = &ids {
                let full = count == self.width || (count > 0 && tokens + ids.len() > BATCH_TOKENS);
                // The original decodes all pieces of a call together.
                if full && !self.options.raw {
                    self.pending = Some((sentence, ids.clone()));
                    break;
                }
                tokens += ids.len();
                count += 1;
            }
            batch.push(ids);
        }
        batch
    }

    /// The ids of a sentence, or `None` when there is nothing to translate in it.
    fn encode(&self, sentence: usize) -> Option<Vec<u32>> {
        let text = self.plan.source(sentence);
        if self.options.raw {
            return Some(self.shared.source.encode(&text));
        }
        if !self.shared.is_translatable(&text) {
            return None;
        }
        let ids = self.shared.source.encode(&text);
        (!ids.is_empty()).then_some(ids)
    }

    fn output(&self, sentence: usize, result: &SearchResult) -> Output {
        let decode = |ids: &[u32]| self.shared.target.decode(ids);
        let best = result.hypotheses.first();
        let text = best.map(|best| decode(&best.ids)).unwrap_or_default();
        if text.is_empty() && !self.options.raw {
            return self.copy(sentence);
        }
        let wanted = result.hypotheses.iter().take(self.options.n_best);
        let hypotheses = wanted.map(|hypothesis| Hypothesis {
            text: decode(&hypothesis.ids),
            ids: hypothesis.ids.clone(),
            score: hypothesis.score,
        });
        Output {
            text,
            truncated: best.is_some_and(|best| !best.finished),
            hypotheses: hypotheses.collect(),
        }
    }

    fn copy(&self, sentence: usize) -> Output {
        let text = self.plan.original_text(sentence).to_owned();
        Output {
            text,
            ..Output::default()
        }
    }
}

/// The search that the options ask for.
fn search_options(shared: &Shared, options: &Options) -> Result<SearchOptions, Error> {
    let mut search = shared.model.search_options();
    if let Some(beam) = options.beam {
        if !(1..=Options::MAX_BEAM).contains(&beam) {
            let value = beam.to_string();
            return Err(Error::Option {
                name: "beam",
                value,
                expected: "a number from 1 to 8",
            });
        }
        search.beam = beam;
    }
    search.wanted = options.n_best.clamp(1, search.beam);
    if !options.raw {
        search.forbidden = Some(shared.target.vocabulary().unk());
        search.min_len = 1;
        search.limits = Limits::Source {
            factor: 3,
            extra: 10,
        };
    }
    Ok(search)
}
