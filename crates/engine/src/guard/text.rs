//! A stretch of text on its way through the model, as often as it takes.

use csanmt_model::SearchResult;
use csanmt_text::protect::{Span, missing, render};
use csanmt_text::script::is_han;
use csanmt_text::{Simplifier, TargetDecoder, rephrase};

use super::candidate::{Candidate, Original};
use super::cut::Whole;
use super::part::{self, Part};
use super::{repair, wording};
use crate::Hypothesis;
use crate::confidence::Certainty;
use crate::guards::{Guard, Guards};
use crate::work::{Fault, Mended};

/// How deep parts are cut into parts.
const MAX_DEPTH: usize = 5;

/// Most lost spans that a second search with signs in their place brings back; of more, one is often
/// lost again.
const MOST_SIGNS: usize = 1;

/// A stretch of text to be translated.
#[derive(Debug)]
pub(crate) struct Text {
    original: Original,
    /// Spans that the model sees as a sign.
    masked: Vec<bool>,
    /// The model sees it with a full stop, which it finds an end to sooner.
    stopped: bool,
    /// Searches done.
    searches: usize,
    depth: usize,
    output: Option<String>,
    /// What was wrong with the first hypothesis of each search.
    faults: Vec<Guard>,
    mended: Mended,
    pub(crate) truncated: bool,
    pub(crate) certainty: Certainty,
    /// The output and the sound hypotheses after it.
    pub(crate) hypotheses: Vec<Hypothesis>,
}

/// A text that is all numbers and days, which need no model.
fn numbers(source: &str, spans: &[Span]) -> Option<String> {
    let mut out = String::new();
    let mut end = 0;
    for span in spans {
        if !span.kind.is_number() {
            return None;
        }
        out += &part::punctuation(&source[end..span.range.start]);
        out += &render(source, span);
        end = span.range.end;
    }
    out += &part::punctuation(&source[end..]);
    (!out.contains(is_han)).then_some(out)
}

impl Text {
    pub(crate) fn new(source: String, spans: Vec<Span>, guards: Guards, depth: usize) -> Self {
        let masked = spans
            .iter()
            .map(|span| span.kind.is_foreign() && guards.has(Guard::Signs))
            .collect();
        let output = if source.contains(is_han) {
            numbers(&source, &spans)
        } else {
            Some(part::punctuation(&source))
        };
        Self {
            original: Original::new(source, spans, guards, depth > 0),
            masked,
            stopped: false,
            searches: 0,
            depth,
            output,
            faults: Vec::new(),
            mended: Mended::Not,
            truncated: false,
            certainty: Certainty::default(),
            hypotheses: Vec::new(),
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
        if self.stopped {
            out.push('。');
        }
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
        alpha: f32,
    ) -> Option<Vec<Part>> {
        self.searches += 1;
        let signs = self.signs();
        let candidates: Vec<Candidate> = result
            .hypotheses
            .iter()
            .map(|hypothesis| {
                let text = target.decode(&hypothesis.ids);
                let text = match text.strip_suffix('.') {
                    Some(bare) if self.stopped => bare.trim_end(),
                    _ => &text,
                };
                self.original.candidate(text, hypothesis.finished, &signs)
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
            let text = match self.with_numerals(&candidates[i]) {
                Some(text) => {
                    self.mended = Mended::Correction;
                    text
                }
                None => candidates[i].text.clone(),
            };
            self.settle(text, i, &candidates, result, alpha);
            return None;
        }
        let mut numbered = candidates.iter().enumerate();
        if let Some((i, text)) = numbered.find_map(|(i, c)| Some((i, self.corrected(c)?))) {
            self.mended = Mended::Correction;
            self.settle(text, i, &candidates, result, alpha);
            return None;
        }
        let best = (0..candidates.len()).min_by_key(|&i| candidates[i].badness());
        let (parts, text) = self.go_on(
            best.map(|i| &candidates[i])
                .unwrap_or(&Candidate::default()),
        );
        if let (Some(text), Some(i)) = (text, best) {
            self.settle(text, i, &candidates, result, alpha);
        }
        parts
    }

    /// Takes `text`, made of one of the hypotheses, as the output.
    fn settle(
        &mut self,
        text: String,
        chosen: usize,
        candidates: &[Candidate],
        result: &SearchResult,
        alpha: f32,
    ) {
        let found = &result.hypotheses[chosen];
        self.certainty = Certainty::of(found.score, found.ids.len(), alpha);
        // Those before it were rejected.
        let others = (chosen + 1..candidates.len()).filter(|&i| candidates[i].is_sound());
        let texts = others.map(|i| (i, candidates[i].text.clone()));
        for (i, text) in [(chosen, text.clone())].into_iter().chain(texts) {
            if self.hypotheses.iter().all(|other| other.text != text) {
                let csanmt_model::Hypothesis { ids, score, .. } = &result.hypotheses[i];
                self.hypotheses.push(Hypothesis {
                    text,
                    ids: ids.clone(),
                    score: *score,
                });
            }
        }
        self.output = Some(text);
    }

    /// The next attempt after one whose best hypothesis is faulty: another search, parts, or the best
    /// that is to be had.
    fn go_on(&mut self, best: &Candidate) -> (Option<Vec<Part>>, Option<String>) {
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
            return (None, None);
        }
        self.mended = Mended::Parts;
        if !best.lost.is_empty() {
            let all = self.depth >= MAX_DEPTH;
            return (Some(whole.split(|i| all || best.lost.contains(&i))), None);
        }
        if best.unbracketed
            && self.depth < MAX_DEPTH
            && let Some(parts) = whole.brackets()
        {
            return (Some(parts), None);
        }
        if best.sparse && self.depth < MAX_DEPTH && !spans.is_empty() {
            return (Some(whole.split(|_| true)), None);
        }
        if self.depth < MAX_DEPTH
            && let Some(parts) = whole.clauses()
        {
            return (Some(parts), None);
        }
        if !best.finished
            && self.depth < MAX_DEPTH
            && let Some(parts) = whole.halves()
        {
            return (Some(parts), None);
        }
        let ends = source.ends_with(|c: char| !c.is_alphanumeric());
        if !best.finished && !self.stopped && !ends {
            self.stopped = true;
            return (None, None);
        }
        let settled = self
            .original
            .without_brackets(&self.original.without_loops(&best.text));
        if guards.has(Guard::Lost) && !missing(source, spans, &settled).is_empty() {
            // What went with a loop had to stay.
            return (Some(whole.split(|_| true)), None);
        }
        self.mended = Mended::Not;
        // Also where only a loop went: nobody knows what would have followed it.
        self.truncated = !best.finished;
        let text = if settled.is_empty() {
            source.clone()
        } else {
            settled
        };
        (None, Some(text))
    }

    /// A sound candidate with numbers of the source that it has otherwise, where that is possible.
    fn with_numerals(&self, candidate: &Candidate) -> Option<String> {
        let Original { source, spans, .. } = &self.original;
        let lost: Vec<&Span> = candidate.numerals.iter().map(|&i| &spans[i]).collect();
        if lost.is_empty() {
            return None;
        }
        let text = repair::lost(source, spans, &lost, &candidate.text)?;
        let better = self.original.judge(text, candidate.finished, Vec::new());
        better.is_sound().then_some(better.text)
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
                Guard::Untranslated if candidate.unbracketed => return None,
                Guard::Untranslated => text = self.original.without_brackets(&text),
                Guard::Wording => text = wording::corrected(source, &text)?,
                _ => return None,
            }
        }
        let corrected = self.original.judge(text, candidate.finished, Vec::new());
        corrected.is_sound().then_some(corrected.text)
    }
}
