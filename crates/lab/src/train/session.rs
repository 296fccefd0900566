//! A run from its first step to its last, with evaluations and files on the way.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::corpus::Pair;
use super::dev::DevSet;
use super::error::TrainError;
use super::trainer::{StepReport, Trainer};
use crate::evaluate::Score;
use crate::weights::Packing;
use csanmt_format::Quantization;

/// When a run ends and what it leaves on the way.
#[derive(Clone, Debug)]
pub struct Session {
    /// Steps of the whole run, over all sessions.
    pub steps: Option<u64>,
    /// Passes through the corpus, over all sessions.
    pub epochs: Option<u64>,
    /// Time of this session.
    pub time: Option<Duration>,
    /// Steps between evaluations, each of which also writes the state.
    pub evaluate_every: u64,
    /// The run ends after so many evaluations in a row that are not the best.
    pub patience: u32,
    /// What the run needs to go on.
    pub state: Option<PathBuf>,
    /// The best model so far, f32; without a development set the latest.
    pub output: PathBuf,
    /// Decides which is the best.
    pub dev: Option<DevSet>,
}

/// What happens during a session.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A step was made.
    Step {
        /// What it did.
        report: StepReport,
        /// Passes that are complete.
        epoch: u64,
        /// Tokens of both sides each second, over the session without its evaluations.
        tokens_per_second: f64,
    },
    /// The model was evaluated.
    Evaluated {
        /// After this step.
        step: u64,
        /// Its score.
        score: Score,
        /// Whether it is the best so far and was written.
        best: bool,
    },
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All steps, passes or time are used.
    Complete,
    /// The score has not risen for long.
    Patience,
}

impl Session {
    /// Trains until one of the limits is reached. A model is written in any case.
    ///
    /// # Errors
    /// When the loss is no number any more or a file cannot be written.
    pub fn run(
        &self,
        trainer: &mut Trainer,
        pairs: &[Pair],
        observe: &mut dyn FnMut(Event),
    ) -> Result<Ending, TrainError> {
        let begin = Instant::now();
        let (mut tokens, mut computing) = (0usize, Duration::ZERO);
        if trainer.steps() == 0 {
            // What must be beaten.
            self.evaluate(trainer, observe)?;
        }
        let complete = |trainer: &Trainer| {
            self.steps.is_some_and(|steps| trainer.steps() >= steps)
                || self.epochs.is_some_and(|epochs| trainer.epochs() >= epochs)
                || self.time.is_some_and(|time| begin.elapsed() >= time)
        };
        let mut evaluated = trainer.steps();
        while !complete(trainer) {
            let start = Instant::now();
            let report = trainer.step(pairs)?;
            computing += start.elapsed();
            tokens += report.tokens;
            observe(Event::Step {
                report,
                epoch: trainer.epochs(),
                tokens_per_second: tokens as f64 / computing.as_secs_f64().max(1e-9),
            });
            if trainer.steps().is_multiple_of(self.evaluate_every.max(1)) {
                evaluated = trainer.steps();
                self.evaluate(trainer, observe)?;
                self.save_state(trainer)?;
                if self.dev.is_some() && trainer.best().1 >= self.patience {
                    return Ok(Ending::Patience);
                }
            }
        }
        if evaluated != trainer.steps() {
            self.evaluate(trainer, observe)?;
            self.save_state(trainer)?;
        }
        Ok(Ending::Complete)
    }

    fn save_state(&self, trainer: &Trainer) -> Result<(), TrainError> {
        self.state
            .as_ref()
            .map_or(Ok(()), |path| trainer.save(path))
    }

    fn evaluate(
        &self,
        trainer: &mut Trainer,
        observe: &mut dyn FnMut(Event),
    ) -> Result<(), TrainError> {
        let weights = trainer.weights()?;
        let best = match &self.dev {
            None => true,
            Some(dev) => {
                let score = dev.score(&weights)?;
                let best = trainer.evaluated(score.chrf);
                let step = trainer.steps();
                observe(Event::Evaluated { step, score, best });
                best
            }
        };
        if best {
            weights.save(&self.output, &Packing::from(Quantization::F32))?;
        }
        Ok(())
    }
}
