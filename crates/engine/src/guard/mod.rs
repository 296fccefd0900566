//! Translations that are checked against their source.
//!
//! A [`Draft`] is a sentence on its way. Addresses, code, pictures … are taken out of it first;
//! what comes back from the model is compared with the source, and when something is lost, altered,
//! left in Chinese or said over and over, the next of these is tried: the other hypotheses of the
//! beam, a correction of the number that is wrong, signs in place of what was lost, and in the end
//! the text between what must stay, so that nothing can be lost.

mod brackets;
mod candidate;
mod completeness;
mod cut;
mod dates;
mod items;
mod part;
mod repair;
mod repetition;
mod text;
mod wording;

use std::borrow::Cow;

use csanmt_model::SearchResult;
use csanmt_text::language::{Letters, has_only_chinese};
use csanmt_text::protect::{self, Kind, Span, Terms};
use csanmt_text::script::is_han;
use csanmt_text::{Simplifier, TargetDecoder, narrow};

use crate::confidence::Certainty;
use crate::guards::Guard;
use crate::work::Fault;
use crate::{Hypothesis, Options};
use cut::Whole;
use part::Part;
use text::Text;

/// A sentence on its way through the model.
#[derive(Debug)]
pub(crate) struct Draft {
    parts: Vec<Part>,
    /// What was found wrong with texts that were cut up since.
    faults: Vec<Fault>,
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
    pub(crate) fn new(sentence: &str, options: &Options) -> Option<Self> {
        let guards = options.guards;
        let source = narrow_outside_spans(sentence);
        let none = Terms::default();
        let terms = options.terms.as_deref().unwrap_or(&none);
        let source = match protect::in_digits(&source) {
            // A term with numbers in it is to be found as it is written.
            Cow::Owned(digits) if guards.has(Guard::Lost) && terms.is_empty() => Cow::Owned(digits),
            _ => source,
        };
        let spans = protect::spans_with(&source, terms);
        // Words in kana and Hangul are stretches too, but make a sentence Japanese or Korean.
        let Letters { kana, hangul, .. } = Letters::count(&source);
        let rest = without(&source, &spans);
        let letters = Letters {
            kana,
            hangul,
            ..Letters::count(&rest)
        };
        let is_chinese = letters.is_chinese() || has_only_chinese(&rest);
        let prescribed = spans.iter().any(|span| span.kind == Kind::Prescribed);
        let is_term = prescribed && Letters::count(&rest).is_none();
        if !is_chinese && !is_term {
            let narrowed = (*source != *sentence && letters.is_latin()).then(|| source.to_string());
            let text = half_width(&source, &spans, letters).or(narrowed);
            return text.map(|text| Self {
                parts: vec![Part::fixed(text)],
                faults: Vec::new(),
            });
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
        alpha: f32,
    ) {
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in std::mem::take(&mut self.parts) {
            match part {
                Part::Text(mut text) if !text.is_done() => {
                    let result = results.next().unwrap_or_default();
                    match text.take(&result, target, alpha) {
                        Some(pieces) => {
                            self.faults.extend(text.faults());
                            parts.extend(pieces);
                        }
                        None => parts.push(Part::Text(text)),
                    }
                }
                done => parts.push(done),
            }
        }
        self.parts = parts;
    }

    /// What was found wrong on the way.
    fn faults(&self) -> Vec<Fault> {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            Part::Fixed(_) => None,
        });
        let mut faults = self.faults.clone();
        faults.extend(texts.flat_map(Text::faults));
        faults
    }

    /// What the draft has become.
    pub(crate) fn finish(self) -> Finished {
        let faults = self.faults();
        let mut certainty = Certainty::default();
        let mut truncated = false;
        for part in &self.parts {
            if let Part::Text(text) = part {
                certainty.add(text.certainty);
                truncated |= text.truncated;
            }
        }
        let text = part::join(&self.parts);
        let hypotheses = match &self.parts[..] {
            [Part::Text(whole)] if !whole.hypotheses.is_empty() => whole.hypotheses.clone(),
            _ => vec![Hypothesis {
                text: text.clone(),
                ids: Vec::new(),
                score: certainty.confidence().ln(),
            }],
        };
        Finished {
            text,
            truncated,
            hypotheses,
            certainty,
            faults,
        }
    }
}

/// A translated sentence.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) text: String,
    /// The length limit was reached.
    pub(crate) truncated: bool,
    /// The translation and others, best first.
    pub(crate) hypotheses: Vec<Hypothesis>,
    pub(crate) certainty: Certainty,
    /// What was found wrong on the way.
    pub(crate) faults: Vec<Fault>,
}

/// `sentence` with half-width letters and digits, but what has to stay byte for byte as it is.
fn narrow_outside_spans(sentence: &str) -> Cow<'_, str> {
    let whole = narrow(sentence);
    if matches!(whole, Cow::Borrowed(_)) {
        return whole;
    }
    let mut out = String::with_capacity(sentence.len());
    let mut end = 0;
    for span in protect::spans(sentence) {
        if span.kind.is_verbatim() {
            out += &narrow(&sentence[end..span.range.start]);
            out += &sentence[span.range.clone()];
            end = span.range.end;
        }
    }
    out += &narrow(&sentence[end..]);
    Cow::Owned(out)
}

/// Text without Chinese besides numbers and days (`星期三 3.5万`) and besides punctuation between
/// words: `QQ：12345`.
fn half_width(source: &str, spans: &[Span], letters: Letters) -> Option<String> {
    let has_words = source.contains(|c: char| c.is_ascii_alphanumeric());
    let is_read = |span: &Span| {
        let text = &source[span.range.clone()];
        span.kind.is_number()
            && text.contains(is_han)
            && !protect::render(source, span).contains(is_han)
    };
    let reads = spans.iter().any(is_read);
    if !(has_words || reads) || letters.han + letters.kana + letters.hangul > 0 {
        return None;
    }
    let mut out = String::with_capacity(source.len());
    let mut end = 0;
    let push = |out: &mut String, text: &str| {
        for c in text.chars() {
            let mark = part::punctuation(c.encode_utf8(&mut [0; 4]));
            let spaced = matches!(c, '，' | '：' | '；' | '、' | '。' | '！' | '？' | '）');
            if c == '（' && out.ends_with(|c: char| c.is_alphanumeric()) {
                out.push(' ');
            }
            out.push_str(&mark);
            if spaced {
                out.push(' ');
            }
        }
    };
    for span in spans {
        push(&mut out, &source[end..span.range.start]);
        out.push_str(&protect::render(source, span));
        end = span.range.end;
    }
    push(&mut out, &source[end..]);
    let text = out
        .trim()
        .replace(" )", ")")
        .replace(") ,", "),")
        .replace("  ", " ");
    (reads || source.contains(is_chinese_mark)).then_some(text)
}

fn is_chinese_mark(c: char) -> bool {
    matches!(
        c,
        '，' | '：' | '；' | '、' | '。' | '！' | '？' | '（' | '）' | '【' | '】'
    )
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
