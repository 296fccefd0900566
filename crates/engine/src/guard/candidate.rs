//! One hypothesis with what is wrong with it.

use std::ops::Range;

use csanmt_text::protect::{Kind, Span, missing, render};
use csanmt_text::script::is_han;

use super::completeness::Pair;
use super::{brackets, dates, part, repair, repetition, wording};
use crate::guards::{Guard, Guards};

/// What a translation is compared with.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) source: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) guards: Guards,
    /// A part of a sentence, not the whole.
    pub(crate) is_part: bool,
    /// How often it says the same in a row.
    repeats: usize,
    /// Brackets around words.
    brackets: usize,
}

/// A hypothesis as text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidate {
    pub(crate) text: String,
    /// Spans that are not in it.
    pub(crate) lost: Vec<usize>,
    /// Numbers in Chinese characters that are not in it. They may be turns of phrase, so that this is
    /// no fault.
    pub(crate) numerals: Vec<usize>,
    /// What is wrong with it.
    pub(crate) faults: Vec<Guard>,
    stutters: usize,
    /// The search came to an end.
    pub(crate) finished: bool,
    /// There are hardly any words in it besides its spans.
    pub(crate) sparse: bool,
    /// It lacks brackets.
    pub(crate) unbracketed: bool,
}

impl Candidate {
    pub(crate) fn is_sound(&self) -> bool {
        self.faults.is_empty() && !self.text.is_empty()
    }

    /// Lower is better.
    pub(crate) fn badness(&self) -> usize {
        let weight = |guard: &Guard| match guard {
            Guard::Loops => 2,
            Guard::Lost => self.lost.len(),
            _ => 1,
        };
        self.faults.iter().map(weight).sum::<usize>() + usize::from(self.text.is_empty()) * 8
    }

    /// The first of those that stutter least.
    pub(crate) fn soundest(candidates: &[Self]) -> Option<usize> {
        let sound = candidates.iter().enumerate().filter(|(_, c)| c.is_sound());
        sound.min_by_key(|(i, c)| (c.stutters, *i)).map(|(i, _)| i)
    }
}

impl Original {
    pub(crate) fn new(source: String, spans: Vec<Span>, guards: Guards, is_part: bool) -> Self {
        let repeats = repetition::repeats(&source);
        let brackets = brackets::count(&source, &spans);
        Self {
            source,
            spans,
            guards,
            is_part,
            repeats,
            brackets,
        }
    }

    /// A decoded hypothesis in which `signs` stand for some spans.
    pub(crate) fn candidate(
        &self,
        decoded: &str,
        finished: bool,
        signs: &[Option<String>],
    ) -> Candidate {
        let mut text = part::punctuation(&without_marks(decoded));
        let mut lost = Vec::new();
        for (i, (span, sign)) in self.spans.iter().zip(signs).enumerate() {
            let Some(sign) = sign else { continue };
            match sign_in(&mut text, sign) {
                Some(place) => restore(&mut text, place, &self.source, span),
                None => lost.push(i),
            }
        }
        self.judge(text, finished, lost)
    }

    /// A text with what is wrong with it; `lost` are spans that are known not to be in it.
    pub(crate) fn judge(
        &self,
        mut text: String,
        finished: bool,
        mut lost: Vec<usize>,
    ) -> Candidate {
        if self.source.contains(['%', '％']) && !self.source.contains("%%") {
            text = with_per_cent(&text);
        }
        // A full stop that a part of a sentence does not have.
        if self.is_part
            && text.ends_with('.')
            && !self.source.ends_with(['。', '.', '！', '？', '…'])
        {
            text.pop();
        }
        if self.guards.has(Guard::Loops) {
            repetition::without_doubles(&mut text, &self.source);
        }
        if self.guards.has(Guard::Lost)
            && let Some(better) = repair::without_scales(&self.source, &self.spans, &text)
        {
            text = better;
        }
        if self.guards.has(Guard::Lost) {
            dates::name_months(&self.source, &self.spans, &mut text);
        }
        let unbracketed = self.guards.has(Guard::Untranslated)
            && brackets::are_lost(&self.source, self.brackets, &text);
        let torn = brackets::are_torn(&self.source, &text);
        if torn && self.guards.has(Guard::Untranslated) {
            text = brackets::mended(&self.source, &text);
        }
        for span in missing(&self.source, &self.spans, &text) {
            let i = self.spans.iter().position(|other| other == span);
            lost.extend(i.filter(|i| !lost.contains(i)));
        }
        lost.sort_unstable();
        if !self.guards.has(Guard::Lost) {
            // Signs must not stay; what never was one may be lost.
            lost.clear();
        }
        let numeral = |i: &usize| {
            let Span { kind, range, .. } = &self.spans[*i];
            *kind == Kind::Numeral || self.source[range.clone()].starts_with("百分之")
        };
        let (numerals, lost): (Vec<usize>, Vec<usize>) = lost.into_iter().partition(numeral);
        let pair = Pair {
            source: &self.source,
            spans: &self.spans,
            text: &text,
        };
        let sparse = self.guards.has(Guard::Untranslated) && pair.is_sparse();
        let wrong = |guard: &Guard| match guard {
            Guard::Length => !finished,
            Guard::Lost => !lost.is_empty(),
            Guard::Loops => self.loops(&text),
            Guard::Untranslated => sparse || unbracketed || self.is_foreign(&text),
            Guard::Wording => wording::corrected(&self.source, &text).is_some(),
            Guard::Unknown | Guard::Signs | Guard::Stutters => false,
        };
        let faults = Guard::ALL
            .into_iter()
            .filter(|&guard| self.guards.has(guard))
            .filter(wrong)
            .collect();
        let stutters = if self.guards.has(Guard::Stutters) {
            let invented = repair::invented(&self.source, &self.spans, &text);
            repetition::stutters(&text) + usize::from(torn) + invented
        } else {
            0
        };
        Candidate {
            text,
            lost,
            numerals,
            faults,
            stutters,
            finished,
            sparse,
            unbracketed,
        }
    }

    fn loops(&self, text: &str) -> bool {
        repetition::find(text, &self.source, self.repeats).is_some()
    }

    /// `text` without its loops.
    pub(crate) fn without_loops(&self, text: &str) -> String {
        let mut text = text.to_owned();
        repetition::collapse(&mut text, &self.source, self.repeats);
        text
    }

    /// Whether the text has Chinese characters outside its spans or square brackets out of nowhere.
    fn is_foreign(&self, text: &str) -> bool {
        let in_spans = |c| {
            self.spans
                .iter()
                .any(|span| render(&self.source, span).contains(c))
        };
        text.chars().any(|c| is_han(c) && !in_spans(c)) || self.has_stray_brackets(text)
    }

    fn has_stray_brackets(&self, text: &str) -> bool {
        let brackets = |text: &str| text.matches(['[', '【', '〔', '［', ']']).count();
        brackets(text) > brackets(&self.source) * 2
    }

    /// `text` without the beginnings of signs: `[2`.
    pub(crate) fn without_brackets(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if self.source.contains(['[', '【', '〔', '［']) {
            return text;
        }
        while let Some(at) = text.find(['[', ']']) {
            let digits = text[at + 1..]
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count();
            text.replace_range(at..at + 1 + digits, "");
        }
        text.trim().to_owned()
    }
}

/// The sign in place of words, and only once: `5%`.
fn with_per_cent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = ["per cent", "percent", "%"]
        .iter()
        .filter_map(|word| rest.find(word))
        .min()
    {
        let (before, word) = rest.split_at(at);
        let word_len = ["percentage", "per cent", "percent", "%"]
            .iter()
            .find(|w| word.starts_with(**w))
            .map_or(1, |w| w.len());
        let number = before.trim_end_matches([' ', '-']);
        let glued = number.ends_with(|c: char| c.is_ascii_digit())
            || before.is_empty() && out.ends_with('%');
        let point = word[word_len..].trim_start().starts_with("point");
        if glued && !point && !word.starts_with("percentage") {
            out.push_str(number);
            if !out.ends_with('%') {
                out.push('%');
            }
        } else {
            out.push_str(before);
            let stuck = before.is_empty() && out.ends_with('%');
            if !stuck {
                out.push_str(&word[..word_len]);
            }
        }
        rest = &word[word_len..];
    }
    out.push_str(rest);
    out
}

/// The text without what tokenisation leaves when a model writes half a mark.
fn without_marks(text: &str) -> String {
    if !text.contains('@') {
        return text.to_owned();
    }
    text.replace("@-@", "-").replace("@@", "")
}

/// Where a sign stands in a text. Of several the first whole one counts, and the others go; a
/// half one, as in `[1 is`, counts where there is no whole one.
fn sign_in(text: &mut String, sign: &str) -> Option<Range<usize>> {
    let digits = &sign[1..sign.len() - 1];
    let mut places: Vec<(Range<usize>, bool)> = Vec::new();
    for (at, _) in text.match_indices(digits) {
        let end = at + digits.len();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if digit(text[..at].chars().next_back()) || digit(text[end..].chars().next()) {
            continue;
        }
        let (opens, closes) = (text[..at].ends_with('['), text[end..].starts_with(']'));
        if opens || closes {
            let place = at - usize::from(opens)..end + usize::from(closes);
            places.push((place, opens && closes));
        }
    }
    let chosen = places.iter().position(|(_, whole)| *whole).unwrap_or(0);
    let (mut chosen, _) = if places.is_empty() {
        return None;
    } else {
        places.remove(chosen)
    };
    for (other, _) in places.into_iter().rev() {
        // With the space before it.
        let start = text[..other.start].trim_end_matches(' ').len();
        let removed = start..other.end;
        if removed.end <= chosen.start {
            chosen = chosen.start - removed.len()..chosen.end - removed.len();
        }
        text.replace_range(removed, "");
    }
    Some(chosen)
}

/// Puts a span in the place of its sign, not glued to a word, and a prescribed term at the beginning
/// of a sentence with a capital.
fn restore(text: &mut String, range: Range<usize>, source: &str, span: &Span) {
    let mut span_text = render(source, span);
    let begins = !text[..range.start].contains(char::is_alphanumeric);
    let kept = source[span.range.clone()] == *span_text;
    if span.kind == Kind::Prescribed && begins && !kept {
        span_text = capitalized(&span_text);
    }
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    // &lt;br&gt; is so in the source.
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let glued = (
        joins(source[..span.range.start].chars().next_back()),
        joins(source[span.range.end..].chars().next()),
    );
    let before = word(text[..range.start].chars().next_back()) && !glued.0;
    let behind = word(text[range.end..].chars().next()) && !glued.1;
    let space = |needed| if needed { " " } else { "" };
    text.replace_range(
        range,
        &format!("{}{span_text}{}", space(before), space(behind)),
    );
}

/// With a capital, unless the first word has one inside: iPhone.
pub(crate) fn capitalized(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if !first.contains(char::is_uppercase) => c.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
