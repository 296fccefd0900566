//! The search over many sentences: some are decoded at a time, and when one ends, the next that
//! waits takes its lane. So a step always has about as many rows, which share the reading of the
//! weights, however different the lengths of the translations are.

use std::ops::ControlFlow;

use csanmt_kernels::Top;

use crate::EOS;
use crate::beam::{Beam, Beginning, Candidate, SearchOptions};
use crate::continuations::Continuations;
use crate::decoder::{Row, same_lane};
use crate::error::ModelError;
use crate::hypothesis::{Found, SearchResult};
use crate::model::{Model, check_tokens};
use crate::shortlist::Candidates;
use crate::workspace::{DecoderBuffers, Workspace};

/// Where a running search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Steps done.
    pub step: usize,
    /// Sentences in this step.
    pub live_sentences: usize,
}

/// Buffers of the search.
#[derive(Debug, Default)]
pub(crate) struct SearchBuffers {
    queue: Queue,
    /// One a lane.
    beams: Vec<Beam>,
    /// Lanes in use, and the source tokens in each.
    live: Vec<(usize, usize)>,
    rows: Vec<Row>,
    continuations: Continuations,
    candidates: Vec<Candidate>,
    /// With a shortlist, what the output layer computes for the sentence of each lane.
    shortlisted: Vec<Candidates>,
    found: Found,
    steps: usize,
}

/// The sentences of a search in the order in which they are decoded.
#[derive(Debug, Default)]
struct Queue {
    ids: Vec<u32>,
    /// End of each sentence in `ids`.
    ends: Vec<usize>,
    /// The first sentence that waits.
    next: usize,
}

impl Queue {
    fn fill<S: AsRef<[u32]>>(&mut self, sentences: &[S]) {
        self.ids.clear();
        self.ends.clear();
        self.next = 0;
        for sentence in sentences {
            self.ids.extend_from_slice(sentence.as_ref());
            self.ends.push(self.ids.len());
        }
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn sentence(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[start..self.ends[number]]
    }

    /// How many sentences join those in `live`: none until there is room for some at once, so that
    /// they share the reading of the encoder's weights.
    fn joining(&self, live: &[(usize, usize)], options: &SearchOptions) -> usize {
        let most = options.batch;
        let mut tokens: usize = live.iter().map(|(_, tokens)| tokens).sum();
        let before = tokens;
        let waiting = self.len() - self.next;
        let room = waiting.min(most.sentences.max(1).saturating_sub(live.len()));
        let mut count = 0;
        for number in self.next..self.next + room {
            tokens += self.sentence(number).len();
            if tokens > most.tokens && (count > 0 || !live.is_empty()) {
                break;
            }
            count += 1;
        }
        let enough = count == waiting
            || count >= most.sentences / SHARE
            || tokens - before >= most.tokens / SHARE;
        if enough || live.is_empty() { count } else { 0 }
    }
}

/// Sentences join a search when this part of it has become free.
const SHARE: usize = 8;

impl Model {
    /// Translates sentences. `observe` is called after every step and may break the search off.
    ///
    /// # Errors
    /// When an id is outside its vocabulary, the shortlist is of another model, or the search was
    /// cancelled.
    pub fn search<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        options: &SearchOptions,
        workspace: &mut Workspace,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Vec<SearchResult>, ModelError> {
        self.begin(sentences, options, workspace)?;
        while let Some(report) = self.advance(options, workspace) {
            if observe(report).is_break() {
                return Err(ModelError::Cancelled);
            }
        }
        Ok(workspace.search.results())
    }

    /// Begins the translation of sentences that is advanced step by step with [`Model::step`].
    ///
    /// # Errors
    /// When an id is outside its vocabulary, or the shortlist is of another model.
    pub fn start<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        options: &SearchOptions,
        mut workspace: Workspace,
    ) -> Result<Search, ModelError> {
        self.begin(sentences, options, &mut workspace)?;
        Ok(Search {
            options: options.clone(),
            workspace,
        })
    }

    /// Does one decoder step; `None` when there is none left to do.
    pub fn step(&self, search: &mut Search) -> Option<Step> {
        let Search { options, workspace } = search;
        self.advance(options, workspace)
    }

    fn begin<S: AsRef<[u32]>>(
        &self,
        sentences: &[S],
        options: &SearchOptions,
        workspace: &mut Workspace,
    ) -> Result<(), ModelError> {
        let Beginning { tokens, next } = &options.beginning;
        check_tokens(&[tokens, next], &self.target_embedding)?;
        check_tokens(sentences, &self.source_embedding)?;
        let (sources, targets) = (self.source_embedding.vocab(), self.decoder.vocab());
        let shortlist = options.shortlist.as_ref();
        if shortlist.is_some_and(|list| !list.fits(sources, targets)) {
            return Err(ModelError::Shortlist { sources, targets });
        }
        let search = &mut workspace.search;
        search.queue.fill(sentences);
        search.live.clear();
        search.found.clear();
        search.steps = 0;
        workspace.decoder.lanes.clear(self.decoder.layers());
        Ok(())
    }

    /// One step; `None` when all searches have ended. It allocates nothing that an earlier search
    /// of the same sentences has not.
    fn advance(&self, options: &SearchOptions, workspace: &mut Workspace) -> Option<Step> {
        workspace.retire();
        while self.admit(options, workspace) {
            workspace.retire();
        }
        let Workspace {
            decoder: buffers,
            search,
            ..
        } = workspace;
        let SearchBuffers {
            beams,
            live,
            rows,
            continuations,
            candidates,
            shortlisted,
            steps,
            ..
        } = search;
        if live.is_empty() {
            return None;
        }
        rows.clear();
        rows.extend(live.iter().flat_map(|&(lane, _)| beams[lane].rows(lane)));
        self.decoder
            .step(rows, &self.target_embedding, &self.timing, buffers);
        let listed = options.shortlist.is_some();
        continuations.start(rows.iter().map(|row| {
            let end = (beams[row.lane].steps() < options.min_len).then_some(EOS);
            let excluded = end.into_iter().chain(options.forbidden);
            let own = listed.then(|| &shortlisted[row.lane]);
            let place = move |token| own.map_or(Some(token), |own| own.place(token));
            (2 * options.beam, excluded.filter_map(place))
        }));
        if listed {
            self.best_of_lanes(rows, shortlisted, continuations.tops(), buffers);
        } else {
            self.decoder.best(continuations.tops(), buffers);
        }
        for (number, row) in rows.iter().enumerate() {
            match options.beginning.choice(beams[row.lane].steps()) {
                None => continuations.push(),
                Some(tokens) => {
                    let logits = self.decoder.logits(number..number + 1, buffers);
                    continuations.push_some(logits, tokens);
                }
            }
        }
        let mut first_row = 0;
        for &(lane, _) in live.iter() {
            let width = beams[lane].width();
            let paths = buffers.lanes.paths(lane);
            beams[lane].expand(first_row, continuations, paths, options, candidates);
            first_row += width;
        }
        *steps += 1;
        Some(Step {
            step: *steps,
            live_sentences: live.len(),
        })
    }

    /// The largest logits of all rows, each among the candidates of its lane's sentence.
    fn best_of_lanes(
        &self,
        rows: &[Row],
        shortlisted: &mut [Candidates],
        mut tops: &mut [Top],
        buffers: &mut DecoderBuffers,
    ) {
        let mut first = 0;
        for rows in rows.chunk_by(same_lane) {
            let (own, rest) = tops.split_at_mut(rows.len());
            let numbers = first..first + rows.len();
            let candidates = &mut shortlisted[rows[0].lane];
            self.decoder.best_of(numbers, candidates, own, buffers);
            (tops, first) = (rest, first + rows.len());
        }
    }

    /// Encodes sentences that wait, when there is room for them; whether any have joined.
    fn admit(&self, options: &SearchOptions, workspace: &mut Workspace) -> bool {
        let Workspace {
            decoder,
            search,
            opened,
        } = workspace;
        let SearchBuffers {
            queue,
            beams,
            live,
            shortlisted,
            ..
        } = search;
        let count = queue.joining(live, options);
        if count == 0 {
            return false;
        }
        let joining = queue.next..queue.next + count;
        self.open_lanes(&mut decoder.lanes, opened, |batch| {
            let sentences = joining.clone().map(|number| queue.sentence(number));
            batch.fill_some(sentences, queue.ids.is_empty());
        });
        for (sentence, &lane) in joining.zip(&*opened) {
            let tokens = queue.sentence(sentence).len();
            if beams.len() <= lane {
                beams.resize_with(lane + 1, Beam::default);
            }
            beams[lane].start(sentence, tokens, options);
            if let Some(shortlist) = &options.shortlist {
                if shortlisted.len() <= lane {
                    shortlisted.resize_with(lane + 1, Candidates::default);
                }
                let Beginning { tokens, next } = &options.beginning;
                let given = tokens.iter().chain(next);
                shortlisted[lane].list(shortlist, queue.sentence(sentence), given);
                self.decoder.choose(&mut shortlisted[lane]);
            }
            live.push((lane, tokens));
        }
        queue.next += count;
        true
    }
}

impl Workspace {
    /// Keeps what the ended searches have found and frees their lanes.
    fn retire(&mut self) {
        let lanes = &mut self.decoder.lanes;
        let SearchBuffers {
            beams, live, found, ..
        } = &mut self.search;
        live.retain(|&(lane, _)| {
            let done = beams[lane].is_done();
            if done {
                beams[lane].close(lanes.paths(lane), lanes.history(), found);
                lanes.close(lane);
            }
            !done
        });
    }
}

impl SearchBuffers {
    /// The hypotheses of every sentence that has ended.
    fn results(&self) -> Vec<SearchResult> {
        self.found.results(self.queue.len())
    }
}

/// A search that its owner advances with [`Model::step`], and that can wait in between.
#[derive(Debug)]
pub struct Search {
    options: SearchOptions,
    workspace: Workspace,
}

impl Search {
    /// The hypotheses of every sentence, complete once [`Model::step`] had nothing left to do.
    #[must_use]
    pub fn results(&self) -> Vec<SearchResult> {
        self.workspace.search.results()
    }

    /// Gives the buffers back.
    #[must_use]
    pub fn into_workspace(self) -> Workspace {
        self.workspace
    }
}
