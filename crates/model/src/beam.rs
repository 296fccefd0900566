//! Beam search of one sentence.

use std::sync::Arc;

use crate::EOS;
use crate::continuations::Continuations;
use crate::decoder::Row;
use crate::history::{History, Paths};
use crate::hypothesis::Found;
use crate::shortlist::Shortlist;

/// How many tokens a translation may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limits {
    /// The model's own limit only.
    Model,
    /// `factor * source tokens + extra`, and never more than the model's own limit.
    Source {
        /// Target tokens a source token.
        factor: usize,
        /// Added for short sources.
        extra: usize,
    },
}

/// Options of a search. [`crate::Model::search_options`] gives the model's own.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchOptions {
    /// Beam width K.
    pub beam: usize,
    /// Exponent of the length penalty.
    pub alpha: f32,
    /// Most tokens a hypothesis may have, N; also the length in the stop rule's bound.
    pub max_len: usize,
    /// Further limit by source length.
    pub limits: Limits,
    /// Fewest tokens before the end of sentence may be chosen.
    pub min_len: usize,
    /// A token that is never chosen.
    pub forbidden: Option<u32>,
    /// How many hypotheses are wanted. The best ones are the same whatever the number, but fewer are
    /// found sooner: what cannot become one of them is given up. With 0 nothing is given up.
    pub wanted: usize,
    /// How much of the length penalty a live hypothesis is believed to gain yet.
    pub horizon: Horizon,
    /// A hypothesis this far behind the best live one of its sentence, in nats, is given up;
    /// infinite in the original.
    pub margin: f32,
    /// What every translation begins with.
    pub beginning: Beginning,
    /// How many sentences are decoded at a time.
    pub batch: BatchSize,
    /// Which tokens may be in a translation; all without one. Log-probabilities are among those.
    pub shortlist: Option<Arc<Shortlist>>,
}

/// How many sentences are decoded at a time; others wait until some of them have ended. What is
/// found does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSize {
    /// Most sentences.
    pub sentences: usize,
    /// Most source tokens, unless a sentence alone has more.
    pub tokens: usize,
}

impl BatchSize {
    /// All sentences at once, as in the original.
    pub const ALL: Self = Self {
        sentences: usize::MAX,
        tokens: usize::MAX,
    };
}

/// The beginning of a translation that somebody has written already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beginning {
    /// The first tokens.
    pub tokens: Vec<u32>,
    /// Those of which one comes next, as when a word is half written; any when there are none.
    pub next: Vec<u32>,
}

impl Beginning {
    /// The tokens of which one has to be chosen in a step; `None` when all are free.
    pub(crate) fn choice(&self, step: usize) -> Option<&[u32]> {
        match self.tokens.get(step) {
            Some(token) => Some(std::slice::from_ref(token)),
            None if step == self.tokens.len() && !self.next.is_empty() => Some(&self.next),
            None => None,
        }
    }
}

/// How many more tokens a live hypothesis may gain from, when it is compared with finished ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    /// As many as the limit leaves: no hypothesis is given up that could still win, as in the
    /// original.
    Limit,
    /// This many. Every further token costs probability, so that a hypothesis that does not win
    /// within a few tokens almost never does.
    Tokens(usize),
}

impl SearchOptions {
    /// Ends sooner than the original where that changes nothing: only the best hypothesis is wanted, a
    /// translation is at most three times as long as its source and ten tokens, and a live
    /// hypothesis has three tokens to overtake a finished one. Of the 490 sentences of the
    /// development set, all are translated as before, in two thirds of the steps.
    #[must_use]
    pub fn for_translation(self) -> Self {
        Self {
            wanted: 1,
            min_len: self.min_len.max(1),
            limits: Limits::Source {
                factor: 3,
                extra: 10,
            },
            horizon: Horizon::Tokens(3),
            margin: 3.0,
            ..self
        }
    }
}

/// `lp(t) = ((5 + t) / 6)^alpha` for a hypothesis of `t` tokens, end of sentence included.
pub(crate) fn length_penalty(tokens: usize, alpha: f32) -> f32 {
    libm::pow((5.0 + tokens as f64) / 6.0, f64::from(alpha)) as f32
}

/// A hypothesis that goes on: `token` behind row `parent` of the sentence's last step.
#[derive(Debug, Clone, Copy)]
struct Alive {
    parent: usize,
    token: u32,
    /// Sum of log-probabilities.
    logp: f32,
    score: f32,
}

/// A possible continuation of one row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    row: usize,
    token: u32,
    score: f32,
}

/// The search of one sentence.
#[derive(Debug, Default)]
pub(crate) struct Beam {
    sentence: usize,
    /// Most steps for this sentence.
    limit: usize,
    /// `lp(N)`, of the stop rule.
    stop_penalty: f32,
    /// A hypothesis with log-probability l never finishes with a score above `l * reach`.
    reach: f32,
    /// Steps done.
    steps: usize,
    alive: Vec<Alive>,
    finished: Vec<Ended>,
}

/// A hypothesis that does not go on.
#[derive(Debug, Clone, Copy)]
struct Ended {
    /// Its last node.
    node: u32,
    /// A token chosen behind that node, when the limit cut it off.
    token: Option<u32>,
    score: f32,
}

impl Beam {
    /// Begins the search of a sentence.
    pub(crate) fn start(&mut self, sentence: usize, source_len: usize, options: &SearchOptions) {
        let limit = match options.limits {
            Limits::Model => options.max_len,
            Limits::Source { factor, extra } => {
                let given = options.beginning.tokens.len();
                let free = source_len.saturating_mul(factor).saturating_add(extra);
                options.max_len.min(free.saturating_add(given))
            }
        };
        // Log-probabilities only fall and penalties only grow (with a negative exponent they fall from
        // lp(1) = 1), except for four roundings a step.
        let rounding = 1.0 - 2.0 * f32::EPSILON * limit as f32;
        let most = length_penalty(limit, options.alpha).max(1.0);
        let start = Alive {
            parent: 0,
            token: EOS,
            logp: 0.0,
            score: 0.0,
        };
        self.sentence = sentence;
        self.limit = limit;
        self.stop_penalty = length_penalty(options.max_len, options.alpha);
        self.reach = rounding / most;
        self.steps = 0;
        self.alive.clear();
        self.alive.reserve(options.beam);
        self.alive.push(start);
        self.finished.clear();
        self.finished.reserve(options.beam);
    }

    /// Steps done.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// How many rows the next step has.
    pub(crate) fn width(&self) -> usize {
        self.alive.len()
    }

    /// The rows of the next step.
    pub(crate) fn rows(&self, lane: usize) -> impl Iterator<Item = Row> + '_ {
        self.alive.iter().map(move |alive| Row {
            lane,
            parent: alive.parent,
            token: (self.steps > 0).then_some(alive.token),
        })
    }

    /// The stop rule: something is finished, and the worst finished hypothesis beats the best
    /// score that the best live one could still reach, `logp / lp(N)`.
    pub(crate) fn is_done(&self) -> bool {
        let Some(best) = self.alive.first() else {
            return true;
        };
        let bound = best.logp / self.stop_penalty;
        self.steps >= self.limit
            || self
                .finished
                .last()
                .is_some_and(|worst| worst.score > bound)
    }

    /// Takes the continuations of this sentence's rows, which are `first_row..` of the step.
    pub(crate) fn expand(
        &mut self,
        first_row: usize,
        continuations: &Continuations,
        paths: &Paths,
        options: &SearchOptions,
        candidates: &mut Vec<Candidate>,
    ) {
        let penalty = length_penalty(self.steps + 1, options.alpha);
        candidates.clear();
        for (row, alive) in self.alive.iter().enumerate() {
            let continuations = continuations.row(first_row + row).iter();
            candidates.extend(continuations.map(|&(token, log_probability)| Candidate {
                row,
                token,
                score: (alive.logp + log_probability) / penalty,
            }));
        }
        // Equal scores are ordered by (row, token), the lower flat index of the original; no two
        // candidates are the same, so that the sort needs no memory to be stable.
        candidates.sort_unstable_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then(a.row.cmp(&b.row))
                .then(a.token.cmp(&b.token))
        });
        candidates.truncate(2 * options.beam);

        self.alive.clear();
        for &Candidate { row, token, score } in candidates.iter() {
            if token == EOS {
                self.finish(paths.node(row), score, options.beam);
            } else if self.alive.len() < options.beam {
                self.alive.push(Alive {
                    parent: row,
                    token,
                    logp: score * penalty,
                    score,
                });
            }
        }
        self.steps += 1;
        self.give_up(options);
    }

    /// Drops the hypotheses that can no longer be among the `wanted` best finished ones.
    ///
    /// The others go on as if nothing had happened: whatever a dropped one would have pushed out of
    /// the beam has a lower log-probability still, and no more to hope for.
    fn give_up(&mut self, options: &SearchOptions) {
        let last = options
            .wanted
            .checked_sub(1)
            .and_then(|i| self.finished.get(i));
        if let Some(last) = last {
            let reach = match options.horizon {
                Horizon::Limit => self.reach,
                Horizon::Tokens(more) => {
                    let tokens = (self.steps + more).min(self.limit);
                    self.reach.max(1.0 / length_penalty(tokens, options.alpha))
                }
            };
            let least = last.score;
            let hopeless = |alive: &Alive| alive.logp * reach < least;
            self.alive.retain(|alive| !hopeless(alive));
        }
        if let Some(best) = self.alive.first() {
            let least = best.logp - options.margin;
            self.alive.retain(|alive| alive.logp >= least);
        }
    }

    /// Keeps the best `beam` finished hypotheses; at equal scores the older one stays ahead.
    fn finish(&mut self, node: u32, score: f32, beam: usize) {
        let place = self.finished.partition_point(|other| other.score >= score);
        if place < beam {
            // Never more than the capacity: a step does not allocate.
            self.finished.truncate(beam - 1);
            let token = None;
            self.finished.insert(place, Ended { node, token, score });
        }
    }

    /// Ends the search: what is alive counts if nothing is finished.
    pub(crate) fn close(&mut self, paths: &Paths, history: &History, found: &mut Found) {
        if self.finished.is_empty() {
            // Before the first step there is no node.
            let alive = self.alive.iter().filter(|_| self.steps > 0);
            self.finished.extend(alive.map(|alive| Ended {
                node: paths.node(alive.parent),
                token: Some(alive.token),
                score: alive.score,
            }));
        }
        self.alive.clear();
        for &Ended { node, token, score } in &self.finished {
            found.add(self.sentence, score, token.is_none(), |out| {
                history.tokens(node, token, out);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_penalty_of_one_token_is_one() {
        assert_eq!(length_penalty(1, 0.6), 1.0);
        assert!((length_penalty(7, 0.6) - 2f32.powf(0.6)).abs() < 1e-6);
    }

    #[test]
    fn finished_hypotheses_keep_order_and_width() {
        let options = SearchOptions {
            beam: 2,
            alpha: 0.6,
            max_len: 10,
            limits: Limits::Model,
            min_len: 0,
            forbidden: None,
            wanted: 2,
            horizon: Horizon::Limit,
            margin: f32::INFINITY,
            beginning: Beginning::default(),
            batch: BatchSize::ALL,
            shortlist: None,
        };
        let mut beam = Beam::default();
        beam.start(0, 3, &options);
        beam.finish(1, -1.0, 2);
        beam.finish(2, -1.0, 2);
        beam.finish(3, -0.5, 2);
        let ids: Vec<_> = beam.finished.iter().map(|ended| ended.node).collect();
        assert_eq!(ids, [3, 1]);
    }
}
