//! One sentence of a job: copied, decoded once, or decoded until it is sound.

use csanmt_model::{Beginning, SearchResult};

use crate::completion::Completion;
use crate::confidence::Certainty;
use crate::guard::Draft;
use crate::shared::Shared;
use crate::{Hypothesis, Options, Work};

/// A sentence being translated.
#[derive(Debug)]
pub(crate) struct Sentence {
    way: Way,
    /// What the model should translate next.
    queries: Vec<Query>,
    /// Tokens of the first queries.
    tokens: usize,
    work: Work,
    /// Its queries are being searched.
    asked: bool,
}

#[derive(Debug)]
enum Way {
    /// Nothing in it is the model's to translate.
    Copied,
    /// The model has the last word.
    Once(SearchResult),
    /// The model goes on where somebody has begun.
    Completed(Completion),
    /// Checked against its source.
    Checked(Box<Draft>),
}

/// Ids for the model.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) ids: Vec<u32>,
    /// All hypotheses of the beam are wanted.
    pub(crate) all: bool,
    /// What the translation begins with.
    pub(crate) beginning: Option<Beginning>,
}

/// What became of a sentence.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) truncated: bool,
    /// The translation and others, best first.
    pub(crate) hypotheses: Vec<Hypothesis>,
    pub(crate) confidence: f32,
    pub(crate) work: Work,
}

impl Sentence {
    /// `prefix` is the beginning of its translation.
    pub(crate) fn new(
        text: &str,
        prefix: Option<&str>,
        options: &Options,
        shared: &Shared,
    ) -> Self {
        let raw = options.raw;
        let way = if let Some(completion) =
            prefix.and_then(|prefix| Completion::new(text, prefix, shared))
        {
            Way::Completed(completion)
        } else if !raw && shared.reads_chinese {
            Draft::new(text, options).map_or(Way::Copied, |draft| Way::Checked(Box::new(draft)))
        } else if raw || text.chars().any(char::is_alphabetic) {
            Way::Once(SearchResult::default())
        } else {
            Way::Copied
        };
        let mut sentence = Self {
            way,
            queries: Vec::new(),
            tokens: 0,
            work: Work::default(),
            asked: false,
        };
        match &sentence.way {
            Way::Copied => {}
            Way::Checked(_) => sentence.ask(shared),
            Way::Completed(completion) => {
                sentence.queries = completion.queries(text, options, shared);
            }
            Way::Once(_) => {
                let ids = shared.source.encode(text);
                if ids.is_empty() && !raw {
                    sentence.way = Way::Copied;
                } else {
                    sentence.queries.push(Query {
                        ids,
                        all: false,
                        beginning: None,
                    });
                }
            }
        }
        sentence.tokens = sentence.queries.iter().map(|query| query.ids.len()).sum();
        sentence.work.tokens = sentence.tokens;
        sentence
    }

    /// The model has to see it.
    pub(crate) fn is_translated(&self) -> bool {
        !matches!(self.way, Way::Copied)
    }

    /// Tokens of the first queries.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }

    /// What to search for next, nothing when the sentence is done. Their results go to
    /// [`Sentence::take`].
    pub(crate) fn take_queries(&mut self) -> Vec<Query> {
        let queries = std::mem::take(&mut self.queries);
        self.asked = !queries.is_empty();
        queries
    }

    /// Takes its part of the results.
    pub(crate) fn take(
        &mut self,
        results: &mut dyn Iterator<Item = SearchResult>,
        shared: &Shared,
    ) {
        if !self.asked {
            return;
        }
        match &mut self.way {
            Way::Copied => {}
            Way::Once(found) => *found = results.next().unwrap_or_default(),
            Way::Completed(completion) => completion.take(results),
            Way::Checked(draft) => {
                draft.take(results, &shared.target, shared.model.config().lp_rate);
                self.ask(shared);
            }
        }
    }

    fn ask(&mut self, shared: &Shared) {
        let Way::Checked(draft) = &self.way else {
            return;
        };
        let queries = draft.queries(&shared.simplifier);
        self.queries.clear();
        for query in queries {
            let ids = shared.source.encode(&query.text);
            if query.repeated {
                self.work.repeated_searches += 1;
                self.work.repeated_tokens += ids.len();
            }
            self.queries.push(Query {
                ids,
                all: query.all,
                beginning: None,
            });
        }
    }

    /// The translation, `None` for a copy.
    pub(crate) fn finish(mut self, shared: &Shared) -> Option<Found> {
        match self.way {
            Way::Copied => None,
            Way::Once(search) => Some(found(&search, shared, self.work, |ids| {
                shared.target.decode(ids)
            })),
            Way::Completed(completion) => {
                let (search, work) = (&completion.result, self.work);
                Some(found(search, shared, work, |ids| {
                    completion.text(ids, shared)
                }))
            }
            Way::Checked(draft) => {
                let finished = draft.finish();
                self.work.faults = finished.faults;
                Some(Found {
                    text: finished.text,
                    truncated: finished.truncated,
                    hypotheses: finished.hypotheses,
                    confidence: finished.certainty.confidence(),
                    work: self.work,
                })
            }
        }
    }
}

/// The hypotheses of one search.
fn found(
    search: &SearchResult,
    shared: &Shared,
    work: Work,
    text: impl Fn(&[u32]) -> String,
) -> Found {
    let hypotheses: Vec<Hypothesis> = search
        .hypotheses
        .iter()
        .map(|found| Hypothesis {
            text: text(&found.ids),
            ids: found.ids.clone(),
            score: found.score,
        })
        .collect();
    let alpha = shared.model.config().lp_rate;
    let best = search.hypotheses.first();
    let certainty = best.map(|best| Certainty::of(best.score, best.ids.len(), alpha));
    let first = hypotheses.first();
    Found {
        text: first.map(|best| best.text.clone()).unwrap_or_default(),
        truncated: best.is_some_and(|best| !best.finished),
        hypotheses,
        confidence: certainty.unwrap_or_default().confidence(),
        work,
    }
}
