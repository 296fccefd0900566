//! What the reader of a format finds in a file, in order.

use std::ops::ControlFlow;

use csanmt::Progress;
use csanmt::markup::TaggedText;

use crate::{DocumentError, Observe, TranslateUnits};

/// Takes the pieces of a file. Joined, what was copied and the sources of the passages are the
/// file.
pub(crate) trait Sink<'a> {
    /// Text that stays as it is.
    fn copy(&mut self, text: &'a str) -> Result<(), DocumentError>;

    /// Text to translate.
    fn passage(&mut self, passage: Passage<'a>) -> Result<(), DocumentError>;
}

/// A unit with its place in the file.
pub(crate) struct Passage<'a> {
    /// What stands in the file; it is copied when the translation is the unit itself.
    pub(crate) source: &'a str,
    pub(crate) unit: TaggedText,
    /// Appends a translation in the syntax of the file. It has the elements of the unit.
    pub(crate) write: Box<Write<'a>>,
}

/// See [`Passage::write`].
pub(crate) type Write<'a> = dyn FnOnce(&TaggedText, &mut String) + 'a;

impl<'a> Passage<'a> {
    /// Text that stands in the file as it is.
    pub(crate) fn verbatim(source: &'a str) -> Self {
        Self {
            source,
            unit: TaggedText::plain(source),
            write: Box::new(|unit, out| out.push_str(unit.text())),
        }
    }
}

/// Collects the units.
#[derive(Default)]
pub(crate) struct Units(pub(crate) Vec<TaggedText>);

impl<'a> Sink<'a> for Units {
    fn copy(&mut self, _: &'a str) -> Result<(), DocumentError> {
        Ok(())
    }

    fn passage(&mut self, passage: Passage<'a>) -> Result<(), DocumentError> {
        self.0.push(passage.unit);
        Ok(())
    }
}

/// Counts the sentences of a file, and asks now and then whether to go on.
pub(crate) struct Count<'c, 'o> {
    translator: &'c dyn TranslateUnits,
    observe: &'c mut Observe<'o>,
    sentences: usize,
    /// Bytes of text since somebody was asked.
    unasked: usize,
}

/// Bytes that are split into sentences in a moment.
const MOMENT: usize = 1 << 20;

impl<'c, 'o> Count<'c, 'o> {
    pub(crate) fn new(translator: &'c dyn TranslateUnits, observe: &'c mut Observe<'o>) -> Self {
        Self {
            translator,
            observe,
            sentences: 0,
            unasked: 0,
        }
    }

    pub(crate) fn sentences(self) -> usize {
        self.sentences
    }

    fn pass(&mut self, bytes: usize) -> Result<(), DocumentError> {
        self.unasked += bytes;
        if self.unasked < MOMENT {
            return Ok(());
        }
        self.unasked = 0;
        let nothing_yet = Progress {
            sentences_done: 0,
            sentences: 0,
        };
        match (self.observe)(nothing_yet) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(DocumentError::Cancelled),
        }
    }
}

impl<'a> Sink<'a> for Count<'_, '_> {
    fn copy(&mut self, text: &'a str) -> Result<(), DocumentError> {
        self.pass(text.len())
    }

    fn passage(&mut self, passage: Passage<'a>) -> Result<(), DocumentError> {
        self.sentences += self.translator.sentences(&passage.unit);
        self.pass(passage.source.len())
    }
}
