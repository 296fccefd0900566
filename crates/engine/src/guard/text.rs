//! A stretch of text on its way through the model, as often as it takes.

use csanmt_model::SearchResult;
use csanmt_text::TargetDecoder;
use csanmt_text::protect::{Span, missing, render};
use csanmt_text::script::is_han;

use super::part::{self, Part};
use super::{repair, repetition};

/// The sign in place of words where the source has it, and only once.
const PER_CENT: [(&str, &str); 8] = [
    ("%percentage", "%"),
    (" percent ", "% "),
    (" percent.", "%."),
    (" percent,", "%,"),
    (" per cent", "%"),
    ("-percent", "%"),
    ("%percent", "%"),
    ("%%", "%"),
];

/// How deep parts are cut into parts.
const MAX_DEPTH: usize = 4;

/// What is tried with a text, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Attempt {
    /// As it is.
    Plain,
    /// As it is, with all hypotheses of the beam.
    Hypotheses,
    /// With signs in place of what was lost.
    Masked,
}

/// A stretch of text to be translated.
#[derive(Debug)]
pub(crate) struct Text {
    source: String,
    spans: Vec<Span>,
    /// Spans that the model sees as a sign.
    masked: Vec<bool>,
    attempt: Attempt,
    depth: usize,
    output: Option<String>,
    pub(crate) truncated: bool,
}

/// A hypothesis with what is wrong with it.
struct Candidate {
    text: String,
    lost: Vec<usize>,
    loops: bool,
    stutters: usize,
    unfinished: bool,
    /// Left in Chinese, or with brackets that the source does not have.
    untranslated: bool,
}

impl Candidate {
    fn is_sound(&self) -> bool {
        self.lost.is_empty()
            && !self.loops
            && !self.unfinished
            && !self.untranslated
            && !self.text.is_empty()
    }

    fn faults(&self) -> usize {
        self.lost.len()
            + usize::from(self.loops) * 2
            + usize::from(self.unfinished)
            + usize::from(self.untranslated)
            + usize::from(self.text.is_empty()) * 8
    }
}

impl Text {
    pub(crate) fn new(source: String, spans: Vec<Span>, depth: usize) -> Self {
        let masked = spans.iter().map(|span| span.kind.is_foreign()).collect();
        let output = (!source.contains(is_han)).then(|| part::punctuation(&source));
        Self {
            source,
            spans,
            masked,
            attempt: Attempt::Plain,
            depth,
            output,
            truncated: false,
        }
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn output(&self) -> &str {
        self.output.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.output.is_some()
    }

    /// All hypotheses of the beam are wanted.
    pub(crate) fn wants_all(&self) -> bool {
        self.attempt > Attempt::Plain
    }

    /// The text for the model, with signs in it.
    pub(crate) fn query(&self) -> String {
        let mut out = String::with_capacity(self.source.len());
        let mut end = 0;
        for (span, sign) in self.spans.iter().zip(self.signs()) {
            let Some(sign) = sign else { continue };
            out.push_str(&self.source[end..span.range.start]);
            out.push_str(&sign);
            end = span.range.end;
        }
        out.push_str(&self.source[end..]);
        out
    }

    /// The sign of each span that is masked: models copy `[1]` more faithfully than anything else
    /// that was tried.
    fn signs(&self) -> Vec<Option<String>> {
        let mut numbers = (1..)
            .map(|n| format!("[{n}]"))
            .filter(|sign| !self.source.contains(sign.as_str()));
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
        let mut candidates: Vec<Candidate> = result
            .hypotheses
            .iter()
            .map(|hypothesis| self.candidate(&target.decode(&hypothesis.ids), hypothesis.finished))
            .collect();
        let sound = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| candidate.is_sound());
        if let Some((i, _)) = sound.min_by_key(|(i, candidate)| (candidate.stutters, *i)) {
            self.output = Some(candidates.swap_remove(i).text);
            return None;
        }
        for candidate in &candidates {
            let lost: Vec<&Span> = candidate.lost.iter().map(|&i| &self.spans[i]).collect();
            if let Some(text) = repair::numbers(&self.source, &self.spans, &lost, &candidate.text) {
                let repaired = self.judge(text, !candidate.unfinished, Vec::new());
                if repaired.is_sound() {
                    self.output = Some(repaired.text);
                    return None;
                }
            }
        }
        let best = candidates.into_iter().min_by_key(Candidate::faults);
        let lost = best.as_ref().map_or(Vec::new(), |best| best.lost.clone());
        match self.attempt {
            Attempt::Plain => {
                self.attempt = Attempt::Hypotheses;
                return None;
            }
            Attempt::Hypotheses if lost.iter().any(|&i| !self.masked[i]) => {
                self.attempt = Attempt::Masked;
                lost.iter().for_each(|&i| self.masked[i] = true);
                return None;
            }
            _ => {}
        }
        let depth = self.depth + 1;
        let cut =
            |chosen: &dyn Fn(usize) -> bool| part::split(&self.source, &self.spans, chosen, depth);
        if !lost.is_empty() {
            let all = self.depth >= MAX_DEPTH;
            return Some(cut(&|i| all || lost.contains(&i)));
        }
        if self.depth < MAX_DEPTH
            && let Some(parts) = part::halve(&self.source, &self.spans, depth)
        {
            return Some(parts);
        }
        let settled = best.map(|best| self.settle(best)).unwrap_or_default();
        if !missing(&self.source, &self.spans, &settled).is_empty() {
            // What went with a loop had to stay.
            return Some(cut(&|_| true));
        }
        self.truncated = true;
        self.output = Some(if settled.is_empty() {
            self.source.clone()
        } else {
            settled
        });
        None
    }

    /// The best of a hypothesis when nothing better is to be had.
    fn settle(&self, best: Candidate) -> String {
        let mut text = best.text;
        repetition::collapse(&mut text, &self.source, repetition::repeats(&self.source));
        if self.source.contains(['[', '【', '〔', '［']) {
            return text;
        }
        // The beginnings of signs: `[2`.
        while let Some(at) = text.find(['[', ']']) {
            let digits = text[at + 1..]
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count();
            text.replace_range(at..at + 1 + digits, "");
        }
        text.trim().to_owned()
    }

    fn candidate(&self, decoded: &str, finished: bool) -> Candidate {
        let mut text = part::punctuation(&without_marks(decoded));
        let mut lost = Vec::new();
        for (i, (span, sign)) in self.spans.iter().zip(self.signs()).enumerate() {
            let Some(sign) = sign else { continue };
            let mut places = text.match_indices(&sign);
            match (places.next(), places.next()) {
                (Some((at, _)), None) => {
                    restore(&mut text, at..at + sign.len(), &render(&self.source, span))
                }
                _ => lost.push(i),
            }
        }
        self.judge(text, finished, lost)
    }

    /// Whether the text has Chinese characters outside its spans or square brackets out of nowhere.
    fn is_foreign(&self, text: &str) -> bool {
        let in_spans = |c| {
            self.spans
                .iter()
                .any(|span| self.source[span.range.clone()].contains(c))
        };
        let brackets = |text: &str| text.matches(['[', '【', '〔', '［', ']']).count();
        text.chars().any(|c| is_han(c) && !in_spans(c))
            || brackets(text) > brackets(&self.source) * 2
    }

    fn judge(&self, mut text: String, finished: bool, mut lost: Vec<usize>) -> Candidate {
        if self.source.contains(['%', '％']) && !self.source.contains("%%") {
            for (words, sign) in PER_CENT {
                text = text.replace(words, sign);
            }
        }
        for span in missing(&self.source, &self.spans, &text) {
            let i = self.spans.iter().position(|other| other == span);
            lost.extend(i.filter(|i| !lost.contains(i)));
        }
        lost.sort_unstable();
        // A full stop that a part of a sentence does not have.
        if self.depth > 0
            && text.ends_with('.')
            && !self.source.ends_with(['。', '.', '！', '？', '…'])
        {
            text.pop();
        }
        let allowed = repetition::repeats(&self.source);
        Candidate {
            loops: repetition::find(&text, &self.source, allowed).is_some(),
            stutters: repetition::stutters(&text),
            untranslated: self.is_foreign(&text),
            unfinished: !finished,
            lost,
            text,
        }
    }
}

/// The text without what tokenisation leaves when a model writes half a mark.
fn without_marks(text: &str) -> String {
    if !text.contains('@') {
        return text.to_owned();
    }
    text.replace("@-@", "-").replace("@@", "")
}

/// Puts a span in the place of its sign, not glued to a word.
fn restore(text: &mut String, range: std::ops::Range<usize>, span: &str) {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let before = word(text[..range.start].chars().next_back());
    let behind = word(text[range.end..].chars().next());
    let space = |needed| if needed { " " } else { "" };
    text.replace_range(range, &format!("{}{span}{}", space(before), space(behind)));
}
