//! Passages translated in windows, everything else copied.

#[cfg(test)]
use std::ops::ControlFlow;

use csanmt::Progress;
use csanmt::markup::TaggedText;

use crate::passage::{Passage, Sink};
use crate::{DocumentError, Observe, Summary, TranslateUnits};

/// Pieces that wait for a window to fill up: a file of blank cells must not gather in memory.
const MOST_PIECES: usize = 4096;

/// One translation of a whole file: the translator, how far it is, and who is told.
pub(crate) struct Work<'t> {
    translator: &'t dyn TranslateUnits,
    observe: &'t mut Observe<'t>,
    progress: Progress,
    summary: Summary,
}

impl<'t> Work<'t> {
    /// `sentences` is the number of the whole file.
    pub(crate) fn new(
        translator: &'t dyn TranslateUnits,
        sentences: usize,
        observe: &'t mut Observe<'t>,
    ) -> Self {
        Self {
            translator,
            observe,
            progress: Progress {
                sentences_done: 0,
                sentences,
            },
            summary: Summary::default(),
        }
    }

    /// The translations of units, in order; each has the elements of its unit.
    fn translate(&mut self, units: &[TaggedText]) -> Result<Vec<TaggedText>, DocumentError> {
        let start = self.progress.sentences_done;
        let all = self.progress.sentences;
        let observe = &mut *self.observe;
        let mut report = |done: usize| {
            observe(Progress {
                sentences_done: (start + done).min(all),
                sentences: all,
            })
        };
        let translated = self.translator.translate(units, &mut report)?;
        let sentences: usize = units
            .iter()
            .map(|unit| self.translator.sentences(unit))
            .sum();
        self.progress.sentences_done = (start + sentences).min(all);
        self.summary.units += units.len();
        let mut translations = Vec::with_capacity(units.len());
        for (translation, unit) in translated.into_iter().zip(units) {
            self.summary.truncated += usize::from(translation.truncated);
            // Text without its tags would break the file; the source at least is whole.
            let complete = translation.text.elements() == unit.elements();
            translations.push(if complete {
                translation.text
            } else {
                unit.clone()
            });
        }
        debug_assert_eq!(translations.len(), units.len());
        if (self.observe)(self.progress).is_break() {
            return Err(DocumentError::Cancelled);
        }
        Ok(translations)
    }

    /// Everything is written.
    pub(crate) fn finish(self) -> Summary {
        self.summary
    }
}

/// Writes a text with its passages translated.
pub(crate) struct Rewriter<'a, 'w, 't> {
    work: &'w mut Work<'t>,
    output: &'w mut dyn FnMut(&str) -> Result<(), DocumentError>,
    pending: Vec<Piece<'a>>,
    /// Bytes of text that wait.
    waiting: usize,
}

enum Piece<'a> {
    Copy(&'a str),
    Passage(Passage<'a>),
}

impl<'a, 'w, 't> Rewriter<'a, 'w, 't> {
    pub(crate) fn new(
        work: &'w mut Work<'t>,
        output: &'w mut dyn FnMut(&str) -> Result<(), DocumentError>,
    ) -> Self {
        Self {
            work,
            output,
            pending: Vec::new(),
            waiting: 0,
        }
    }

    /// Translates and writes what waits.
    pub(crate) fn flush(&mut self) -> Result<(), DocumentError> {
        let mut units = Vec::new();
        for piece in &mut self.pending {
            if let Piece::Passage(passage) = piece {
                units.push(std::mem::take(&mut passage.unit));
            }
        }
        let translations = if units.is_empty() {
            Vec::new()
        } else {
            self.work.translate(&units)?
        };
        let mut pairs = units.iter().zip(&translations);
        let mut written = String::new();
        for piece in self.pending.drain(..) {
            match piece {
                Piece::Copy(text) => (self.output)(text)?,
                Piece::Passage(passage) => match pairs.next() {
                    Some((unit, translation)) if unit != translation => {
                        written.clear();
                        (passage.write)(translation, &mut written);
                        (self.output)(&written)?;
                    }
                    _ => (self.output)(passage.source)?,
                },
            }
        }
        self.waiting = 0;
        Ok(())
    }
}

impl<'a> Sink<'a> for Rewriter<'a, '_, '_> {
    fn copy(&mut self, text: &'a str) -> Result<(), DocumentError> {
        if text.is_empty() {
            return Ok(());
        }
        if self.pending.is_empty() {
            return (self.output)(text);
        }
        self.pending.push(Piece::Copy(text));
        if self.pending.len() >= MOST_PIECES {
            self.flush()?;
        }
        Ok(())
    }

    fn passage(&mut self, passage: Passage<'a>) -> Result<(), DocumentError> {
        if csanmt::is_blank(passage.unit.text()) {
            return self.copy(passage.source);
        }
        self.waiting += passage.unit.text().len();
        self.pending.push(Piece::Passage(passage));
        if self.waiting >= self.work.translator.window() || self.pending.len() >= MOST_PIECES {
            self.flush()?;
        }
        Ok(())
    }
}

/// Tells nobody.
#[cfg(test)]
pub(crate) fn silent(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
