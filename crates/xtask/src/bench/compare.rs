//! Ours and a peer in turn.

use anyhow::Result;

use super::peer::{Job, Measurement, Peer};
use super::report::{Bound, Row};

/// The middle of the values, the mean of both when there are two.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// Runs A B A B … after one run of each that does not count.
pub(crate) fn alternate<T>(
    repetitions: usize,
    mut ours: impl FnMut() -> Result<T>,
    mut theirs: impl FnMut() -> Result<T>,
) -> Result<(Vec<T>, Vec<T>)> {
    let mut results = (Vec::new(), Vec::new());
    ours()?;
    theirs()?;
    for _ in 0..repetitions {
        results.0.push(ours()?);
        results.1.push(theirs()?);
    }
    Ok(results)
}

/// What of a comparison is shown.
#[derive(Clone, Copy)]
pub(crate) enum Quantity {
    SentencesPerSecond,
    /// Mean time of a sentence.
    Milliseconds,
}

impl Quantity {
    fn unit(self) -> &'static str {
        match self {
            Self::SentencesPerSecond => "sentences/s",
            Self::Milliseconds => "ms/sentence",
        }
    }

    fn of(self, job: &Job, seconds: f64) -> f64 {
        let sentences = job.sentences.len() as f64;
        match self {
            Self::SentencesPerSecond => sentences / seconds,
            Self::Milliseconds => 1e3 * seconds / sentences,
        }
    }
}

/// The same job on both. What counts is processor time, which other programs on the machine
/// disturb least; the ratio of the times that passed stands beside it.
pub(crate) fn compare(
    label: &str,
    (ours, peer): (&mut Peer, &mut Peer),
    job: &Job,
    repetitions: usize,
    quantity: Quantity,
    bound: Option<Bound>,
) -> Result<Row> {
    eprintln!("{label}");
    let (a, b) = alternate(repetitions, || ours.run(job), || peer.run(job))?;
    let of = |results: &[Measurement], seconds: fn(&Measurement) -> f64| {
        median(results.iter().map(|r| quantity.of(job, seconds(r))))
    };
    let wall = of(&a, |r| r.seconds) / of(&b, |r| r.seconds);
    Ok(Row {
        label: label.to_owned(),
        peer: peer.name(),
        unit: quantity.unit(),
        ours: of(&a, |r| r.cpu_seconds),
        theirs: of(&b, |r| r.cpu_seconds),
        bound,
        wall_ratio: Some(wall),
    })
}

#[cfg(test)]
mod tests {
    use super::{alternate, median};

    #[test]
    fn the_median_ignores_outliers() {
        assert_eq!(median([3.0, 1.0, 100.0]), 3.0);
        assert_eq!(median([1.0, 2.0, 3.0, 100.0]), 2.5);
        assert!(median([]).is_nan());
    }

    #[test]
    fn alternates_after_a_warm_up() {
        let order = std::cell::RefCell::new(String::new());
        let (a, b) = alternate(
            2,
            || {
                order.borrow_mut().push('a');
                Ok(1)
            },
            || {
                order.borrow_mut().push('b');
                Ok(2)
            },
        )
        .unwrap();
        assert_eq!(*order.borrow(), "ababab");
        assert_eq!((a, b), (vec![1, 1], vec![2, 2]));
    }
}
