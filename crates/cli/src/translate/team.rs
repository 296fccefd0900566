//! The units of a file over several threads.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use csanmt::markup::TaggedText;
use csanmt::{Error, Options, Translator};
use csanmt_documents::{Engine, TranslateUnits, Translated};

use super::crew;

/// Shares a thread gets one after the other, so that all end at about the same time.
const SHARES_PER_THREAD: usize = 4;
/// How often the caller is asked whether to go on while nothing happens.
const PATIENCE: Duration = Duration::from_millis(100);

/// A translator that spreads units over threads.
pub(super) struct Team<'t> {
    translator: &'t Translator,
    options: &'t Options,
    threads: NonZero<usize>,
}

impl<'t> Team<'t> {
    pub(super) fn new(
        translator: &'t Translator,
        options: &'t Options,
        threads: NonZero<usize>,
    ) -> Self {
        Self {
            translator,
            options,
            threads,
        }
    }

    fn engine(&self) -> Engine<'t> {
        Engine::new(self.translator, self.options)
    }
}

impl TranslateUnits for Team<'_> {
    fn sentences(&self, unit: &TaggedText) -> usize {
        self.engine().sentences(unit)
    }

    fn window(&self) -> usize {
        self.engine().window() * self.threads.get()
    }

    fn translate(
        &self,
        units: &[TaggedText],
        observe: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, Error> {
        let shares = shares(units, self.threads.get() * SHARES_PER_THREAD);
        if self.threads.get() == 1 || shares.len() == 1 {
            return self.engine().translate(units, observe);
        }
        let stop = AtomicBool::new(false);
        let (told, news) = mpsc::channel::<(usize, usize)>();
        thread::scope(|scope| {
            let (shares, stop) = (&shares, &stop);
            let work = move || {
                let threads = self.threads.get();
                crew::share_out_over(threads, shares.len(), thread::Builder::new, |number| {
                    self.engine().translate(shares[number], &mut |done| {
                        // The caller waits until all have ended.
                        let _ = told.send((number, done));
                        if stop.load(Ordering::Relaxed) {
                            ControlFlow::Break(())
                        } else {
                            ControlFlow::Continue(())
                        }
                    })
                })
            };
            let Ok(working) = thread::Builder::new().spawn_scoped(scope, work) else {
                return self.engine().translate(units, observe);
            };
            let mut done = vec![0; shares.len()];
            loop {
                match news.recv_timeout(PATIENCE) {
                    Ok((number, count)) => done[number] = count,
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
                if observe(done.iter().sum()).is_break() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            let results = match working.join() {
                Ok(Ok(results)) => results,
                Ok(Err(error)) => std::panic::resume_unwind(Box::new(error.to_string())),
                Err(panic) => std::panic::resume_unwind(panic),
            };
            let mut translations = Vec::with_capacity(units.len());
            for result in results {
                translations.extend(result?);
            }
            Ok(translations)
        })
    }
}

/// Cuts the units into at most `count` runs of about the same number of bytes.
fn shares(units: &[TaggedText], count: usize) -> Vec<&[TaggedText]> {
    let total: usize = units.iter().map(|unit| unit.text().len()).sum();
    let mut shares = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, unit) in units.iter().enumerate() {
        bytes += unit.text().len();
        if shares.len() + 1 < count && bytes * count >= total * (shares.len() + 1) {
            shares.push(&units[start..=index]);
            start = index + 1;
        }
    }
    if start < units.len() || shares.is_empty() {
        shares.push(&units[start..]);
    }
    shares
}

#[cfg(test)]
mod tests {
    use csanmt::markup::TaggedText;

    use super::shares;

    #[test]
    fn shares_are_in_order_and_complete() {
        let units: Vec<TaggedText> = ["aaaa", "bb", "", "cc", "dddddddd", "e"]
            .map(TaggedText::plain)
            .into();
        for count in 1..10 {
            let shares = shares(&units, count);
            assert!(shares.len() <= count && shares.iter().all(|share| !share.is_empty()));
            assert_eq!(shares.concat(), units);
        }
        assert_eq!(shares(&[], 3).concat(), []);
    }
}
