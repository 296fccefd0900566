//! Whether translations are still what they were: means over the last hour beside a baseline.
//!
//! Nothing here knows the texts, only lengths and probabilities. A drift says that something has
//! changed (other texts, a damaged or wrong model), not what.

mod baseline;
mod window;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use csanmt::Translation;

pub use baseline::{Baseline, BaselineError};
use window::{Sums, Window};

/// Sentences from which a baseline is made where there is none.
const BASELINE_SENTENCES: u64 = 1000;

/// What is watched. Rates are means of 0 and 1.
pub(crate) const STATISTICS: [&str; COUNT] = [
    "length_ratio",
    "confidence",
    "unknown_rate",
    "repaired_rate",
    "truncated_rate",
];
/// How many that are.
pub(crate) const COUNT: usize = 5;

/// The statistics of one sentence.
pub(crate) type Sample = [f64; COUNT];

/// The watch.
pub(crate) struct Quality {
    window: Mutex<Window>,
    baseline: Mutex<Option<Baseline>>,
    /// Where a first baseline is written.
    file: Option<PathBuf>,
    begin: Instant,
}

/// What is known at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Report {
    /// Sentences of the last hour.
    pub(crate) sentences: usize,
    pub(crate) statistics: Vec<Line>,
}

/// One statistic.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) mean: f64,
    pub(crate) baseline: Option<f64>,
    pub(crate) drift: Option<f64>,
}

impl Quality {
    /// With a baseline, or a file into which the first thousand sentences write one.
    pub(crate) fn new(baseline: Option<Baseline>, file: Option<PathBuf>) -> Self {
        Self {
            window: Mutex::default(),
            baseline: Mutex::new(baseline),
            file,
            begin: Instant::now(),
        }
    }

    /// Counts the sentences of a translation of `source`; `unknown` is the share of its tokens that
    /// the model does not know.
    pub(crate) fn observe(&self, source: &str, translation: &Translation, unknown: Option<f64>) {
        let samples: Vec<Sample> = translation
            .sentences
            .iter()
            .filter_map(|sentence| sample(source, translation, sentence, unknown))
            .collect();
        if samples.is_empty() {
            return;
        }
        let minute = self.begin.elapsed().as_secs() / 60;
        let total = {
            let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
            for sample in &samples {
                window.add(minute, sample);
            }
            window.total(minute)
        };
        if total.count >= BASELINE_SENTENCES {
            self.make_baseline(&total);
        }
    }

    fn make_baseline(&self, total: &Sums) {
        let mut baseline = self.baseline.lock().unwrap_or_else(PoisonError::into_inner);
        if baseline.is_some() {
            return;
        }
        let made = Baseline::of(total);
        if let Some(file) = &self.file {
            match made.write(file) {
                Ok(()) => tracing::info!(file = %file.display(), "wrote the quality baseline"),
                Err(error) => tracing::warn!(%error, "cannot write the quality baseline"),
            }
        }
        *baseline = Some(made);
    }

    pub(crate) fn report(&self) -> Report {
        let minute = self.begin.elapsed().as_secs() / 60;
        let total = self
            .window
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .total(minute);
        if total.count == 0 {
            return Report::default();
        }
        let baseline = self.baseline.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |index: usize| {
            let mean = total.mean(index);
            let known = baseline.as_ref().and_then(|one| one.get(STATISTICS[index]));
            Line {
                name: STATISTICS[index],
                mean,
                baseline: known.map(|known| known.mean),
                drift: known.map(|known| known.distance(mean)),
            }
        };
        Report {
            sentences: usize::try_from(total.count).unwrap_or(usize::MAX),
            statistics: (0..COUNT).map(line).collect(),
        }
    }
}

/// None when the sentence was copied: the model had no part in it.
fn sample(
    source: &str,
    translation: &Translation,
    sentence: &csanmt::Sentence,
    unknown: Option<f64>,
) -> Option<Sample> {
    let best = sentence.hypotheses.first()?;
    let read = source.get(sentence.source.clone())?.chars().count();
    let written = translation.text.get(sentence.target.clone())?;
    let written = written.chars().count();
    let repaired = !sentence.work.faults.is_empty();
    let tokens = (best.ids.len() + 1) as f64;
    // The score is a sum of logarithms divided by the length penalty of the search.
    let penalty = ((5.0 + tokens) / 6.0).powf(0.6);
    let confidence = match best.ids.is_empty() {
        // Made of pieces: the score says nothing of this text.
        true => f64::NAN,
        false => (f64::from(best.score) * penalty / tokens).exp(),
    };
    Some([
        written as f64 / read.max(1) as f64,
        confidence,
        unknown.unwrap_or(f64::NAN),
        f64::from(u8::from(repaired)),
        f64::from(u8::from(sentence.truncated)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use csanmt::{Hypothesis, Sentence};

    fn translation(length: usize, score: f32) -> Translation {
        Translation {
            text: "x".repeat(length),
            sentences: vec![Sentence {
                source: 0..6,
                target: 0..length,
                truncated: false,
                hypotheses: vec![Hypothesis {
                    text: String::new(),
                    ids: vec![1; 3],
                    score,
                }],
                ..Default::default()
            }],
        }
    }

    #[test]
    fn drift_is_seen_against_the_first_thousand_sentences() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline.json");
        let quality = Quality::new(None, Some(file.clone()));
        assert_eq!(quality.report(), Report::default());
        for number in 0..1000 {
            quality.observe("学校", &translation(5 + number % 3, -1.0), None);
        }
        let before = quality.report();
        assert_eq!(before.sentences, 1000);
        let ratio = &before.statistics[0];
        assert_eq!(ratio.name, "length_ratio");
        assert!((ratio.mean - 3.0).abs() < 0.01, "{ratio:?}");
        assert!(ratio.drift.unwrap().abs() < 0.01, "{ratio:?}");

        // Another server starts from what was written, and its texts come out half as long again.
        let known = Baseline::read(&file).unwrap();
        let other = Quality::new(Some(known), None);
        for _ in 0..100 {
            other.observe("学校", &translation(9, -3.0), None);
        }
        let drifted = other.report();
        assert!(drifted.statistics[0].drift.unwrap() > 2.0, "{drifted:?}");
        assert!(drifted.statistics[1].drift.unwrap() < -1.0, "{drifted:?}");
    }

    #[test]
    fn copies_do_not_count() {
        let quality = Quality::new(None, None);
        let copied = Translation {
            text: "abc".into(),
            sentences: vec![Sentence {
                source: 0..3,
                target: 0..3,
                truncated: false,
                hypotheses: Vec::new(),
                ..Default::default()
            }],
        };
        quality.observe("abc", &copied, None);
        assert_eq!(quality.report(), Report::default());
    }
}
