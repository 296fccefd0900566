//! Translations that are checked against their source.
//!
//! A [`Draft`] is a sentence on its way. Addresses, code, pictures … are taken out of it first;
//! what comes back from the model is compared with the source, and when something is lost, altered,
//! left in Chinese or said over and over, the next of these is tried: the other hypotheses of the
//! beam, a correction of the number that is wrong, signs in place of what was lost, and in the end
//! the text between what must stay, so that nothing can be lost.

mod candidate;
mod part;
mod repair;
mod repetition;
mod text;
mod wording;

use csanmt_model::SearchResult;
use csanmt_text::language::Letters;
use csanmt_text::protect::{self, Span};
use csanmt_text::{Simplifier, TargetDecoder, narrow};

use crate::guards::{Guard, Guards};
use crate::work::Fault;
use part::{Part, Whole};
use text::Text;

/// A sentence on its way through the model.
#[derive(Debug)]
pub(crate) struct Draft {
    parts: Vec<Part>,
    /// What was found wrong with texts that were cut up since.
    faults: Vec<Fault>,
    /// The first search, if it was of the sentence as a whole.
    pub(crate) first: Option<SearchResult>,
}

/// A text for the model.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) text: String,
    /// All hypotheses of the beam are wanted.
    pub(crate) all: bool,
    /// It has been searched for before, or is a part of what has been.
    pub(crate) repeated: bool,
}

impl Draft {
    /// A draft of a Chinese sentence; `None` when there is nothing to translate in it.
    pub(crate) fn new(sentence: &str, guards: Guards) -> Option<Self> {
        let source = narrow(sentence);
        let spans = protect::spans(&source);
        if !Letters::count(&without(&source, &spans)).is_chinese() {
            return None;
        }
        let chosen = part::outside(&source, &spans);
        let parts = if chosen.contains(&true) && guards.has(Guard::Signs) {
            Whole {
                source: &source,
                spans: &spans,
                masked: &vec![false; spans.len()],
                guards,
                depth: 1,
            }
            .split(|i| chosen[i])
        } else {
            vec![Part::Text(Text::new(source.into_owned(), spans, guards, 0))]
        };
        Some(Self {
            parts,
            faults: Vec::new(),
            first: None,
        })
    }

    /// What the model should translate next, none when the draft is done.
    pub(crate) fn queries(&self, simplifier: &Simplifier) -> Vec<Query> {
        self.pending()
            .map(|text| Query {
                text: text.for_model(simplifier),
                all: text.wants_all(),
                repeated: text.is_repeated(),
            })
            .collect()
    }

    fn pending(&self) -> impl Iterator<Item = &Text> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) if !text.is_done() => Some(text),
            _ => None,
        })
    }

    /// Takes the results of all queries.
    pub(crate) fn take(
        &mut self,
        results: &mut dyn Iterator<Item = SearchResult>,
        target: &TargetDecoder,
    ) {
        let whole = self.parts.len() == 1;
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in std::mem::take(&mut self.parts) {
            match part {
                Part::Text(mut text) if !text.is_done() => {
                    let result = results.next().unwrap_or_default();
                    match text.take(&result, target) {
                        Some(pieces) => {
                            self.faults.extend(text.faults());
                            parts.extend(pieces);
                        }
                        None => parts.push(Part::Text(text)),
                    }
                    if whole && self.first.is_none() {
                        self.first = Some(result);
                    }
                }
                done => parts.push(done),
            }
        }
        self.parts = parts;
    }

    /// What was found wrong on the way.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            Part::Fixed(_) => None,
        });
        let mut faults = self.faults.clone();
        faults.extend(texts.flat_map(Text::faults));
        faults
    }

    /// The translation, and whether it is incomplete.
    pub(crate) fn finish(&self) -> (String, bool) {
        let truncated = self
            .parts
            .iter()
            .any(|part| matches!(part, Part::Text(text) if text.truncated));
        (part::join(&self.parts), truncated)
    }
}

/// The text outside the spans.
fn without(source: &str, spans: &[Span]) -> String {
    let mut out = String::with_capacity(source.len());
    let mut end = 0;
    for span in spans {
        out.push_str(&source[end..span.range.start]);
        out.push(' ');
        end = span.range.end;
    }
    out.push_str(&source[end..]);
    out
}
