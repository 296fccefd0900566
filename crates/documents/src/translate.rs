//! Who translates the units of a file.

use std::ops::ControlFlow;

use csanmt::Progress;
use csanmt::markup::TaggedText;

/// Is told how far the work is, and may stop it.
pub type Observe<'o> = dyn FnMut(Progress) -> ControlFlow<()> + 'o;

/// The translation of one unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Translated {
    /// The text with the elements of the unit, each once.
    pub text: TaggedText,
    /// A sentence reached the length limit.
    pub truncated: bool,
}

/// Translates units: [`crate::Engine`], or what spreads them over threads.
pub trait TranslateUnits {
    /// How many sentences a unit has.
    fn sentences(&self, unit: &TaggedText) -> usize;

    /// Bytes of text that are worth giving at once: some hundred sentences. Memory grows with it.
    fn window(&self) -> usize {
        128 << 10
    }

    /// One translation a unit, in order. `observe` is told the sentences that are done, as often as
    /// can be, and may cancel.
    ///
    /// # Errors
    /// [`csanmt::Error::Cancelled`] when `observe` breaks; other errors when the model cannot run.
    fn translate(
        &self,
        units: &[TaggedText],
        observe: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Translated>, csanmt::Error>;
}
