//! How far scores depend on which sentences happened to be in the set: bootstrap resampling.

use super::bleu::Counts;
use super::chrf::Orders;
use super::{MetricError, paired};

/// Where a score lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// 2.5 % of the resampled scores are below.
    pub low: f64,
    /// 2.5 % are above.
    pub high: f64,
}

/// Intervals of both scores.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Sampled {
    /// Of BLEU.
    pub bleu: Interval,
    /// Of chrF2.
    pub chrf: Interval,
}

/// One system against another on the same sentences.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// Translations that are the same, to the letter.
    pub equal: usize,
    /// BLEU of the first less that of the second.
    pub bleu: Interval,
    /// chrF2 of the first less that of the second.
    pub chrf: Interval,
}

type Statistics = Vec<(Counts, Orders)>;

fn statistics(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
) -> Result<Statistics, MetricError> {
    let pairs = paired(hypotheses, references)?;
    Ok(pairs
        .map(|(hypothesis, reference)| {
            let words = Counts::of(hypothesis, reference);
            (words, Orders::of(hypothesis, reference))
        })
        .collect())
}

/// Words of the hypotheses for each word of the references.
///
/// # Errors
/// When the lists differ in length or are empty.
pub fn length_ratio(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
) -> Result<f64, MetricError> {
    let mut words = Counts::default();
    for (counts, _) in statistics(hypotheses, references)? {
        words.sum(&counts);
    }
    Ok(words.length_ratio())
}

/// Intervals from `rounds` samples of as many sentences, drawn with replacement.
///
/// # Errors
/// When the lists differ in length or are empty.
pub fn sampled(
    hypotheses: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
    rounds: usize,
    seed: u64,
) -> Result<Sampled, MetricError> {
    let statistics = statistics(hypotheses, references)?;
    let (mut bleu, mut chrf) = (Vec::new(), Vec::new());
    resample(statistics.len(), rounds, seed, |sample| {
        let (b, c) = score(&statistics, sample);
        bleu.push(b);
        chrf.push(c);
    });
    Ok(Sampled {
        bleu: interval(bleu),
        chrf: interval(chrf),
    })
}

/// Two systems on the same samples: an interval without 0 means that the set tells them apart.
///
/// # Errors
/// When the lists differ in length or are empty.
pub fn compare(
    first: &[impl AsRef<str>],
    second: &[impl AsRef<str>],
    references: &[impl AsRef<str>],
    rounds: usize,
    seed: u64,
) -> Result<Comparison, MetricError> {
    let equal = paired(first, second)?.filter(|(a, b)| a == b).count();
    let (first, second) = (
        statistics(first, references)?,
        statistics(second, references)?,
    );
    let (mut bleu, mut chrf) = (Vec::new(), Vec::new());
    resample(first.len(), rounds, seed, |sample| {
        let (a, b) = (score(&first, sample), score(&second, sample));
        bleu.push(a.0 - b.0);
        chrf.push(a.1 - b.1);
    });
    Ok(Comparison {
        equal,
        bleu: interval(bleu),
        chrf: interval(chrf),
    })
}

fn score(statistics: &Statistics, sample: &[usize]) -> (f64, f64) {
    let (mut words, mut orders) = (Counts::default(), Orders::default());
    for &place in sample {
        words.sum(&statistics[place].0);
        orders.sum(&statistics[place].1);
    }
    (words.score(), orders.score())
}

/// Calls `visit` with places of sentences, drawn with replacement.
fn resample(sentences: usize, rounds: usize, seed: u64, mut visit: impl FnMut(&[usize])) {
    let mut state = seed;
    let mut next = move || {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut sample = vec![0; sentences];
    for _ in 0..rounds.max(1) {
        for place in &mut sample {
            *place = ((u128::from(next()) * sentences as u128) >> 64) as usize;
        }
        visit(&sample);
    }
}

fn interval(mut scores: Vec<f64>) -> Interval {
    scores.sort_by(f64::total_cmp);
    let at = |share: f64| scores[((scores.len() - 1) as f64 * share).round() as usize];
    Interval {
        low: at(0.025),
        high: at(0.975),
    }
}

#[cfg(test)]
mod tests {
    use super::{compare, length_ratio, sampled};
    use crate::metrics::{bleu, chrf};

    fn sentences(shift: usize) -> Vec<String> {
        let words = ["one", "two", "three", "four", "five", "six", "seven"];
        let sentence = |i: usize| {
            let word = |j: usize| words[(i * 3 + j * (1 + i % 2) + shift) % 7];
            (0..6).map(word).collect::<Vec<_>>().join(" ")
        };
        (0..60).map(sentence).collect()
    }

    #[test]
    fn intervals_hold_the_score_and_shrink_for_equal_sentences() {
        let references = sentences(0);
        let mut hypotheses = references.clone();
        for hypothesis in hypotheses.iter_mut().step_by(3) {
            *hypothesis = hypothesis.replace("two", "too").replace("five", "six");
        }
        let found = sampled(&hypotheses, &references, 200, 1).unwrap();
        let (b, c) = (
            bleu(&hypotheses, &references).unwrap(),
            chrf(&hypotheses, &references).unwrap(),
        );
        assert!(found.bleu.low < b && b < found.bleu.high, "{found:?} {b}");
        assert!(found.chrf.low < c && c < found.chrf.high, "{found:?} {c}");
        let same = vec![hypotheses[0].clone(); 20];
        let found = sampled(&same, &vec![references[0].clone(); 20], 50, 1).unwrap();
        assert_eq!(found.bleu.low, found.bleu.high);
    }

    #[test]
    fn a_better_system_is_told_apart_and_an_equal_one_is_not() {
        let references = sentences(0);
        let other = sentences(1);
        let found = compare(&references, &other, &references, 100, 2).unwrap();
        assert!(found.bleu.low > 0.0 && found.chrf.low > 0.0);
        let equal = compare(&other, &other, &references, 100, 2).unwrap();
        assert_eq!(
            (equal.equal, equal.bleu.low, equal.bleu.high),
            (60, 0.0, 0.0)
        );
    }

    #[test]
    fn the_length_ratio_counts_words() {
        assert_eq!(length_ratio(&["a b c"], &["a b c d"]), Ok(0.75));
    }
}
