//! A translation that is done in steps.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use csanmt_model::{Limits, SearchOptions};
use csanmt_text::document::Document;

use crate::alignment;
use crate::markup::{Block, Blocks, TaggedSentence, TaggedText};
use crate::plan::{Output, Plan};
use crate::plans::Plans;
use crate::round::Round;
use crate::sentence::{Query, Sentence};
use crate::shared::Shared;
use crate::{Error, Format, Guard, Options, Progress, Translation};

/// Source tokens in one batch. Enough rows for the matrix kernels to be compute-bound, few enough
/// that results appear steadily.
pub(crate) const BATCH_TOKENS: usize = 512;
/// Sentences in one batch.
const BATCH_SENTENCES: usize = 32;
/// Batches that are one search where only the whole translation counts: as sentences end, others
/// take their place.
const JOINED_BATCHES: usize = 8;

/// A running translation: [`Job::advance`] does a bounded amount of work, so that the caller can
/// show what is there, look for newer input, or stop, in between.
///
/// The result does not depend on how the work is cut: every sentence is computed on its own.
#[derive(Debug)]
pub struct Job {
    shared: Arc<Shared>,
    options: Options,
    search: SearchOptions,
    plan: Plans,
    /// Most batches in one piece of work.
    batches: usize,
    /// Most sentences in the next piece of work.
    width: usize,
    /// A sentence that did not fit into the last batch.
    pending: Option<(usize, Sentence)>,
    /// What was broken off.
    running: Option<Running>,
}

/// A batch under way.
#[derive(Debug)]
struct Running {
    batch: Vec<Sentence>,
    round: Option<Round>,
}

/// What a type with a field `job: Job` shares with it; how it begins and what it ends as is its own.
macro_rules! advances_as_a_job {
    ($name:ident) => {
        impl $name {
            /// How far the work is.
            #[must_use]
            pub fn progress(&self) -> $crate::Progress {
                self.job.progress()
            }

            /// Everything is translated.
            #[must_use]
            pub fn is_done(&self) -> bool {
                self.job.is_done()
            }

            /// Translates the next sentences, see [`Job::advance_with`].
            ///
            /// # Errors
            /// [`Error::Cancelled`] when `observe` breaks.
            pub fn advance_with(
                &mut self,
                observe: &mut dyn FnMut($crate::Progress) -> std::ops::ControlFlow<()>,
            ) -> Result<$crate::Progress, $crate::Error> {
                self.job.advance_with(observe)
            }
        }
    };
}
pub(crate) use advances_as_a_job;

impl Job {
    pub(crate) fn new(shared: Arc<Shared>, text: &str, options: &Options) -> Result<Self, Error> {
        Self::of_texts(shared, &[text], options)
    }

    /// Several texts of one format.
    pub(crate) fn of_texts<S: AsRef<str>>(
        shared: Arc<Shared>,
        texts: &[S],
        options: &Options,
    ) -> Result<Self, Error> {
        let search = search_options(&shared, options)?;
        if options.format != Format::Text {
            refuse_raw(options)?;
        }
        let plan = |text: &S| match options.format {
            Format::Text if options.raw => Plan::original(text.as_ref()),
            Format::Text => Plan::document(text.as_ref(), options.wrapped_lines),
            format => Plan::blocks(Blocks::of_document(text.as_ref(), format)),
        };
        let plans = texts.iter().map(plan).collect();
        Ok(Self::with_plans(shared, plans, search, options))
    }

    /// Sentences that are known already.
    pub(crate) fn of_part(
        shared: Arc<Shared>,
        part: Document,
        options: &Options,
    ) -> Result<Self, Error> {
        let search = search_options(&shared, options)?;
        let plans = vec![Plan::part(part)];
        Ok(Self::with_plans(shared, plans, search, options))
    }

    /// Paragraphs with elements.
    pub(crate) fn of_blocks(
        shared: Arc<Shared>,
        texts: Vec<TaggedText>,
        options: &Options,
    ) -> Result<Self, Error> {
        refuse_raw(options)?;
        let search = search_options(&shared, options)?;
        let plan = Plan::blocks(Blocks::new(texts));
        Ok(Self::with_plans(shared, vec![plan], search, options))
    }

    /// Some sentences of a paragraph with elements.
    pub(crate) fn of_run(
        shared: Arc<Shared>,
        block: Arc<Block>,
        sentences: Range<usize>,
        options: &Options,
    ) -> Result<Self, Error> {
        refuse_raw(options)?;
        let search = search_options(&shared, options)?;
        let plan = Plan::run(block, sentences);
        Ok(Self::with_plans(shared, vec![plan], search, options))
    }

    fn with_plans(
        shared: Arc<Shared>,
        plans: Vec<Plan>,
        search: SearchOptions,
        options: &Options,
    ) -> Self {
        Self {
            shared,
            options: options.clone(),
            search,
            plan: Plans::new(plans),
            batches: 1,
            width: 1,
            pending: None,
            running: None,
        }
    }

    /// Takes several batches at a time from the start: nobody looks at partial results.
    #[must_use]
    pub fn for_throughput(mut self) -> Self {
        self.batches = JOINED_BATCHES;
        self.width = self.widest();
        self
    }

    /// Most sentences in one batch.
    fn batch(&self) -> usize {
        self.options.batch.unwrap_or(BATCH_SENTENCES).max(1)
    }

    /// Most sentences in one piece of work.
    fn widest(&self) -> usize {
        self.batch() * self.batches
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

    /// Like [`Job::advance`]; `observe` is called at every decoder step and may break off. What was
    /// broken off goes on where it was with the next call.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when `observe` breaks.
    pub fn advance_with(
        &mut self,
        observe: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Progress, Error> {
        let progress = self.progress();
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running {
                batch: self.next_batch(),
                round: None,
            },
        };
        loop {
            let mut round = match running.round.take() {
                Some(round) => round,
                None => {
                    let batch = running.batch.iter_mut();
                    let queries: Vec<Query> = batch.flat_map(Sentence::take_queries).collect();
                    if queries.is_empty() {
                        break;
                    }
                    // The original decodes all pieces of a call together.
                    let most = (!self.options.raw).then(|| self.batch());
                    Round::new(Arc::clone(&self.shared), queries, &self.search, most)
                }
            };
            let outcome = round.run(&mut || observe(progress));
            if let Err(Error::Cancelled) = outcome {
                running.round = Some(round);
                self.running = Some(running);
                return Err(Error::Cancelled);
            }
            outcome?;
            let mut results = round.into_results().into_iter();
            for sentence in &mut running.batch {
                sentence.take(&mut results, &self.shared);
            }
        }
        let batch = running.batch;
        let first = self.plan.done();
        let mut outputs: Vec<Output> = batch
            .into_iter()
            .zip(first..)
            .map(|(sentence, number)| self.output(number, sentence))
            .collect();
        self.align(first, &mut outputs)?;
        for output in outputs {
            self.plan.accept(output);
        }
        self.width = (self.width * 2).min(self.widest());
        Ok(self.progress())
    }

    /// The translation of everything before the first sentence that is still missing. It only grows:
    /// what is new begins where it ended before.
    #[must_use]
    pub fn text_so_far(&self) -> &str {
        self.plan.texts_so_far().next().unwrap_or_default()
    }

    /// The same of each text of a job that has several.
    pub(crate) fn texts_so_far(&self) -> impl Iterator<Item = &str> {
        self.plan.texts_so_far()
    }

    /// The translation of the whole text, or of its beginning when the job is not done.
    #[must_use]
    pub fn finish(self) -> Translation {
        self.plan.finish().next().unwrap_or_default()
    }

    /// The same of each text of a job that has several.
    pub(crate) fn finish_all(self) -> Vec<Translation> {
        self.plan.finish().collect()
    }

    /// The paragraphs that have a sentence which reached the length limit.
    pub(crate) fn truncated_texts(&self) -> Vec<usize> {
        self.plan.truncated_texts()
    }

    /// The paragraphs of a job that has some.
    pub(crate) fn finish_tagged(self) -> Vec<TaggedText> {
        self.plan.into_texts()
    }

    /// The sentences of a part of a paragraph.
    pub(crate) fn finish_sentences(self) -> Vec<TaggedSentence> {
        self.plan.into_sentences()
    }

    /// The next sentences.
    fn next_batch(&mut self) -> Vec<Sentence> {
        let (mut batch, mut tokens, mut count) = (Vec::new(), 0, 0);
        for number in self.plan.done()..self.plan.len() {
            let sentence = match self.pending.take() {
                Some((pending, sentence)) if pending == number => sentence,
                _ => self.sentence(number),
            };
            if sentence.is_translated() {
                let full = count == self.width
                    || (count > 0 && tokens + sentence.tokens() > BATCH_TOKENS * self.batches);
                // The original decodes all pieces of a call together.
                if full && !self.options.raw {
                    self.pending = Some((number, sentence));
                    break;
                }
                tokens += sentence.tokens();
                count += 1;
            }
            batch.push(sentence);
        }
        batch
    }

    fn sentence(&self, number: usize) -> Sentence {
        let prefix = self.options.prefix.as_deref().filter(|_| number == 0);
        let source = self.plan.source(number);
        Sentence::new(&source, prefix, &self.options, &self.shared)
    }

    /// Aligns the words of sentences from `first` on, where somebody needs it.
    fn align(&self, first: usize, outputs: &mut [Output]) -> Result<(), Error> {
        let (mut wanted, mut pairs) = (Vec::new(), Vec::new());
        for (number, output) in (first..).zip(outputs.iter()) {
            let source = self.plan.original_text(number);
            let asked = self.options.alignment || self.plan.needs_alignment(number);
            if asked && source != output.text {
                wanted.push(number - first);
                pairs.push((source, output.text.as_str()));
            }
        }
        if pairs.is_empty() {
            return Ok(());
        }
        let alignments = alignment::align(&self.shared, &pairs)?;
        for (i, alignment) in wanted.into_iter().zip(alignments) {
            outputs[i].alignment = alignment;
        }
        Ok(())
    }

    fn output(&self, number: usize, sentence: Sentence) -> Output {
        let copy = || self.plan.original_text(number).to_owned();
        let Some(found) = sentence.finish(&self.shared) else {
            return Output {
                text: copy(),
                confidence: 1.0,
                ..Output::default()
            };
        };
        let text = if found.text.is_empty() && !self.options.raw {
            copy()
        } else {
            found.text
        };
        let mut hypotheses = found.hypotheses;
        hypotheses.truncate(self.options.n_best);
        Output {
            text,
            truncated: found.truncated,
            hypotheses,
            confidence: found.confidence,
            work: found.work,
            ..Output::default()
        }
    }
}

/// The original pipeline cannot do it.
fn refuse_raw(options: &Options) -> Result<(), Error> {
    if options.raw {
        return Err(Error::Option {
            name: "raw",
            value: "true".to_owned(),
            expected: "false: the original pipeline knows no markup",
        });
    }
    Ok(())
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
    if !options.raw {
        search = search.for_translation();
        search.shortlist.clone_from(&shared.shortlist);
        if options.guards.has(Guard::Unknown) {
            search.forbidden = Some(shared.target.vocabulary().unk());
        }
        if !options.guards.has(Guard::Length) {
            search.limits = Limits::Model;
        }
    }
    search.wanted = options.n_best.clamp(1, search.beam);
    Ok(search)
}
