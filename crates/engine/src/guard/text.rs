//! A stretch of text on its way through the model, as often as it takes.

use csanmt_model::SearchResult;
use csanmt_text::protect::{Span, missing};
use csanmt_text::script::is_han;
use csanmt_text::{Simplifier, TargetDecoder, rephrase};

use super::candidate::{Candidate, Original};
use super::part::{self, Part, Whole};
use super::{repair, wording};
use crate::guards::{Guard, Guards};
use crate::work::{Fault, Mended};

/// How deep parts are cut into parts.
const MAX_DEPTH: usize = 5;

/// Most lost spans that a second search with signs in their place brings back; of more, one is often
/// lost again.
const MOST_SIGNS: usize = 2;

/// A stretch of text to be translated.
#[derive(Debug)]
pub(crate) struct Text {
    original: Original,
    /// Spans that the model sees as a sign.
    masked: Vec<bool>,
    /// Searches done.
    searches: usize,
    depth: usize,
    output: Option<String>,
    /// What was wrong with the first hypothesis of each search.
    faults: Vec<Guard>,
    mended: Mended,
    pub(crate) truncated: bool,
}

impl Text {
    pub(crate) fn new(source: String, spans: Vec<Span>, guards: Guards, depth: usize) -> Self {
        let masked = spans
            .iter()
            .map(|span| span.kind.is_foreign() && guards.has(Guard::Signs))
            .collect();
        let output = (!source.contains(is_han)).then(|| part::punctuation(&source));
        Self {
            original: Original::new(source, spans, guards, depth > 0),
            masked,
            searches: 0,
            depth,
            output,
            faults: Vec::new(),
            mended: Mended::Not,
            truncated: false,
        }
    }

    pub(crate) fn source(&self) -> &str {
        &self.original.source
    }

    /// Lets the model see some more spans as signs.
    pub(crate) fn mask(&mut self, spans: &[bool]) {
        for (masked, more) in self.masked.iter_mut().zip(spans) {
            *masked |= more;
        }
    }

    pub(crate) fn output(&self) -> &str {
        self.output.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.output.is_some()
    }

    /// All hypotheses of the beam are wanted.
    pub(crate) fn wants_all(&self) -> bool {
        self.searches > 0
    }

    /// It was searched for before, as a whole or as a part of a longer text.
    pub(crate) fn is_repeated(&self) -> bool {
        self.searches > 0 || self.depth > 1
    }

    /// What was wrong and how it was mended.
    pub(crate) fn faults(&self) -> impl Iterator<Item = Fault> + '_ {
        self.faults.iter().map(|&guard| Fault {
            guard,
            mended: self.mended,
        })
    }

    /// The text for the model, with signs in it.
    pub(crate) fn query(&self) -> String {
        let source = self.source();
        let mut out = String::with_capacity(source.len());
        let mut end = 0;
        for (span, sign) in self.original.spans.iter().zip(self.signs()) {
            let Some(sign) = sign else { continue };
            out.push_str(&source[end..span.range.start]);
            out.push_str(&sign);
            end = span.range.end;
        }
        out.push_str(&source[end..]);
        out
    }

    /// The query in words that the model reads well.
    pub(crate) fn for_model(&self, simplifier: &Simplifier) -> String {
        let simplified = simplifier.simplify(&self.query());
        if self.original.guards.has(Guard::Wording) {
            rephrase(&simplified).into_owned()
        } else {
            simplified
        }
    }

    /// The sign of each span that is masked: models copy `[1]` more faithfully than anything else
    /// that was tried.
    fn signs(&self) -> Vec<Option<String>> {
        let mut numbers = (1..)
            .map(|n| format!("[{n}]"))
            .filter(|sign| !self.original.source.contains(sign.as_str()));
        self.masked
            .iter()
            .map(|&masked| if masked { numbers.next() } else { None })
            .collect()
    }

    /// Takes the hypotheses for [`Text::query`]; `Some` when the text has to be cut into parts.
    pub(crate) fn take(
        &mut self,
        result: &SearchResult,
        target: &TargetDecoder,
    ) -> Option<Vec<Part>> {
        self.searches += 1;
        let signs = self.signs();
        let mut candidates: Vec<Candidate> = result
            .hypotheses
            .iter()
            .map(|hypothesis| {
                let text = target.decode(&hypothesis.ids);
                self.original.candidate(&text, hypothesis.finished, &signs)
            })
            .collect();
        for &guard in candidates.first().iter().flat_map(|first| &first.faults) {
            if !self.faults.contains(&guard) {
                self.faults.push(guard);
            }
        }
        if let Some(i) = Candidate::soundest(&candidates) {
            self.mended = match self.searches {
                1 => Mended::Sibling,
                _ => Mended::Search,
            };
            self.output = Some(candidates.swap_remove(i).text);
            return None;
        }
        if let Some(corrected) = candidates.iter().find_map(|c| self.corrected(c)) {
            self.mended = Mended::Correction;
            self.output = Some(corrected);
            return None;
        }
        let best = candidates.into_iter().min_by_key(Candidate::badness);
        self.go_on(&best.unwrap_or_default())
    }

    /// The next attempt after one whose best hypothesis is faulty.
    fn go_on(&mut self, best: &Candidate) -> Option<Vec<Part>> {
        let has_unmasked = best.lost.iter().any(|&i| !self.masked[i]);
        best.lost.iter().for_each(|&i| self.masked[i] = true);
        let Original {
            source,
            spans,
            guards,
            ..
        } = &self.original;
        let whole = Whole {
            source,
            spans,
            masked: &self.masked,
            guards: *guards,
            depth: self.depth.max(1) + 1,
        };
        // A model that loses its way with a text does so again with signs in it.
        let tried = self.searches > 1 || self.depth > 1 || best.faults != [Guard::Lost];
        if has_unmasked && !tried && best.lost.len() <= MOST_SIGNS {
            return None;
        }
        self.mended = Mended::Parts;
        if !best.lost.is_empty() {
            let all = self.depth >= MAX_DEPTH;
            return Some(whole.split(|i| all || best.lost.contains(&i)));
        }
        if self.depth < MAX_DEPTH
            && let Some(parts) = whole.clauses()
        {
            return Some(parts);
        }
        let settled = self
            .original
            .without_brackets(&self.original.without_loops(&best.text));
        if guards.has(Guard::Lost) && !missing(source, spans, &settled).is_empty() {
            // What went with a loop had to stay.
            return Some(whole.split(|_| true));
        }
        self.mended = Mended::Not;
        self.truncated = !best.finished;
        self.output = Some(if settled.is_empty() {
            source.clone()
        } else {
            settled
        });
        None
    }

    /// A sound text that differs from the candidate in a few places.
    fn corrected(&self, candidate: &Candidate) -> Option<String> {
        let Original { source, spans, .. } = &self.original;
        let mut text = candidate.text.clone();
        for fault in &candidate.faults {
            match fault {
                Guard::Lost => {
                    let lost: Vec<&Span> = candidate.lost.iter().map(|&i| &spans[i]).collect();
                    text = repair::lost(source, spans, &lost, &text)?;
                }
                Guard::Loops => text = self.original.without_loops(&text),
                Guard::Untranslated => text = self.original.without_brackets(&text),
                Guard::Wording => text = wording::corrected(source, &text)?,
                _ => return None,
            }
        }
        let corrected = self.original.judge(text, candidate.finished, Vec::new());
        corrected.is_sound().then_some(corrected.text)
    }
}
