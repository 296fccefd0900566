//! Where sentences begin and end in a line of text.
//!
//! 。！？； and …… end a sentence, together with the closing quotes and brackets behind them. ASCII
//! `.` `!` `?` `;` do so at the end of the line, before a space and a capital or CJK character, and
//! between CJK characters, but not in numbers, addresses and abbreviations. Brackets, titles and
//! short quotations are kept whole.

mod abbreviation;
mod characters;
mod enclosure;
mod long;
mod quotation;
#[cfg(test)]
mod tests;
mod web_address;

use crate::invisible;
use crate::moses::Prefixes;
use characters::{closes, ends_sentence, is_cjk, is_opening};
use enclosure::{Enclosure, Enclosures, Kind};
use std::ops::Range;

/// Longest sentence in Chinese characters; two characters of other scripts count as one.
pub const DEFAULT_MAX_CHARS: usize = 150;

/// Longest quotation, in the same measure, that is kept whole although it holds several sentences.
const MAX_QUOTATION: usize = 50;

/// Splits lines into sentences.
#[derive(Debug, Clone)]
pub struct SentenceSplitter {
    abbreviations: Prefixes,
    max_chars: usize,
}

impl Default for SentenceSplitter {
    fn default() -> Self {
        Self::new("zh")
    }
}

/// The sentences of one line by the default rules, as byte ranges.
#[must_use]
pub fn split(line: &str) -> Vec<Range<usize>> {
    SentenceSplitter::default().split(line)
}

impl SentenceSplitter {
    /// A splitter for text in the language of a two-letter code.
    #[must_use]
    pub fn new(language: &str) -> Self {
        let abbreviations = match language {
            "es" | "fr" => Prefixes::new(language),
            // Latin abbreviations in Chinese text are mostly English ones.
            _ => Prefixes::new("en"),
        };
        Self {
            abbreviations,
            max_chars: DEFAULT_MAX_CHARS,
        }
    }

    /// Sets the length above which a sentence is cut at inner punctuation.
    #[must_use]
    pub fn with_max_chars(mut self, max_chars: usize) -> Self {
        self.max_chars = max_chars;
        self
    }

    /// The sentences of `line` as byte ranges in order, with white space left out between them.
    ///
    /// Line breaks are white space here; [`Document`](crate::Document) splits lines first.
    #[must_use]
    pub fn split(&self, line: &str) -> Vec<Range<usize>> {
        let enclosures = Enclosures::find(line);
        let mut scan = Scan {
            splitter: self,
            line,
            enclosures,
            start: 0,
            has_words: false,
        };
        scan.run()
    }
}

/// The punctuation that may end a sentence, with the closing marks behind it.
#[derive(Debug, Clone, Copy, Default)]
struct Stop {
    end: usize,
    /// One of 。！？；.
    full_width: bool,
    /// Number of … characters.
    ellipses: usize,
    /// Number of ASCII full stops.
    dots: usize,
    /// ASCII `!` or `?`.
    exclaims: bool,
    semicolon: bool,
    closes_quotation: bool,
}

impl Stop {
    fn has_mark(&self) -> bool {
        self.full_width || self.ellipses + self.dots > 0 || self.exclaims || self.semicolon
    }

    /// …… or ......, which ends a sentence where … and ... only pause.
    fn is_long_ellipsis(&self) -> bool {
        self.ellipses + self.dots / 3 >= 2
    }

    /// Only full stops and short ellipses.
    fn is_conditional(&self) -> bool {
        !self.full_width && !self.exclaims && !self.semicolon && !self.is_long_ellipsis()
    }
}

struct Scan<'a> {
    splitter: &'a SentenceSplitter,
    line: &'a str,
    enclosures: Enclosures,
    /// Where the present sentence begins.
    start: usize,
    /// Whether a letter or digit has occurred in it.
    has_words: bool,
}

impl Scan<'_> {
    fn run(&mut self) -> Vec<Range<usize>> {
        let mut sentences = Vec::new();
        let mut at = 0;
        self.begin(0);
        while let Some(c) = self.line[at..].chars().next() {
            let boundary = if let Some(enclosure) = self.whole_enclosure(at, c) {
                at = enclosure.end;
                self.has_words = true;
                self.stop_inside(&enclosure).filter(|stop| {
                    at = stop.end;
                    self.enclosure_ends_sentence(&enclosure, stop)
                })
            } else if let Some(end) = web_address::end(self.line, at) {
                at = end;
                self.has_words = true;
                None
            } else if ends_sentence(c) {
                let stop = self.stop(at);
                let ends = self.stop_ends_sentence(at, &stop);
                at = stop.end;
                ends.then_some(stop)
            } else {
                self.has_words |= c.is_alphanumeric();
                at += c.len_utf8();
                None
            };
            if let Some(stop) = boundary {
                self.finish(stop.end, &mut sentences);
            }
        }
        self.finish(self.line.len(), &mut sentences);
        sentences
    }

    fn begin(&mut self, start: usize) {
        self.start = self.line.len() - skip_gap(&self.line[start..]).len();
        self.has_words = false;
    }

    /// Ends the present sentence at `end` and begins the next.
    fn finish(&mut self, end: usize, sentences: &mut Vec<Range<usize>>) {
        let sentence =
            self.line[self.start..end.max(self.start)].trim_end_matches(invisible::is_gap);
        if !sentence.is_empty() {
            let range = self.start..self.start + sentence.len();
            long::cut(self.line, range, self.splitter.max_chars, sentences);
        }
        self.begin(end);
    }

    /// The bracketed text that begins at `at`, if it is not to be split.
    fn whole_enclosure(&mut self, at: usize, c: char) -> Option<Enclosure> {
        if !is_opening(c) {
            return None;
        }
        let enclosure = self.enclosures.opening_at(at)?;
        let limit = match enclosure.kind {
            Kind::Title | Kind::Bracket => self.splitter.max_chars,
            Kind::Quotation => MAX_QUOTATION.min(self.splitter.max_chars),
        };
        (enclosure.weight <= limit * long::WIDE).then_some(enclosure)
    }

    /// The stop that begins at `at`: every mark that follows without a space.
    fn stop(&mut self, at: usize) -> Stop {
        self.stop_within(at..self.line.len())
    }

    /// The marks and closing brackets at the start of `range`.
    fn stop_within(&mut self, range: Range<usize>) -> Stop {
        let mut stop = Stop {
            end: range.start,
            ..Stop::default()
        };
        while let Some(c) = self.line[stop.end..range.end].chars().next() {
            match c {
                '.' => stop.dots += 1,
                '!' | '?' | '‼' | '⁇' | '⁈' | '⁉' => stop.exclaims = true,
                ';' => stop.semicolon = true,
                '…' => stop.ellipses += 1,
                _ if ends_sentence(c) => stop.full_width = true,
                _ if closes(c) && self.closes_here(c, stop.end) => {
                    stop.closes_quotation |= !matches!(c, '）' | ')' | '】' | ']' | '》');
                }
                _ => break,
            }
            stop.end += c.len_utf8();
        }
        stop
    }

    /// Straight quotes look alike on both sides: one that opens a quotation closes nothing.
    fn closes_here(&mut self, c: char, at: usize) -> bool {
        let next = self.line[at + c.len_utf8()..].chars().next();
        match c {
            '"' => self.enclosures.opening_at(at).is_none(),
            '\'' => next.is_none_or(|next| invisible::is_gap(next) || is_cjk(next)),
            _ => true,
        }
    }

    /// The stop at the end of the text in `enclosure`, if there is one, with what follows the
    /// closing mark.
    fn stop_inside(&mut self, enclosure: &Enclosure) -> Option<Stop> {
        let inner = &self.line[enclosure.inner.clone()];
        let words = inner.trim_end_matches(|c| ends_sentence(c) || closes(c));
        let inside = self.stop_within(enclosure.inner.start + words.len()..enclosure.inner.end);
        inside.has_mark().then(|| {
            let behind = self.stop(enclosure.end);
            Stop {
                full_width: inside.full_width | behind.full_width,
                ellipses: inside.ellipses + behind.ellipses,
                dots: inside.dots + behind.dots,
                exclaims: inside.exclaims | behind.exclaims,
                semicolon: inside.semicolon | behind.semicolon,
                ..behind
            }
        })
    }

    fn enclosure_ends_sentence(&self, enclosure: &Enclosure, stop: &Stop) -> bool {
        let rest = &self.line[stop.end..];
        let before = self.line[self.start..enclosure.start].trim_end_matches(invisible::is_gap);
        let own_stop = self.line[enclosure.end..stop.end].contains(ends_sentence);
        let ends = own_stop
            || match enclosure.kind {
                Kind::Title => false,
                // (A sentence of its own.) Next.
                Kind::Bracket => before.is_empty(),
                Kind::Quotation => quotation::ends_sentence(before, rest),
            };
        ends && self.may_follow(stop, rest)
    }

    fn stop_ends_sentence(&self, at: usize, stop: &Stop) -> bool {
        let rest = &self.line[stop.end..];
        if skip_gap(rest).is_empty() {
            return true;
        }
        if !self.has_words || (stop.closes_quotation && quotation::is_speech_tag(rest)) {
            return false;
        }
        let sentence = &self.line[self.start..at];
        // 我……我不知道: a stammer, not a sentence.
        if stop.is_long_ellipsis() && sentence.chars().nth(2).is_none() {
            return false;
        }
        // １２.５
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '０'..='９');
        let only_dot = stop.dots == 1 && stop.end == at + 1;
        if only_dot && sentence.ends_with(is_digit) && rest.starts_with(is_digit) {
            return false;
        }
        if stop.semicolon && abbreviation::is_entity(sentence) {
            return false;
        }
        if stop.is_conditional() && !starts_with_gap(rest) {
            // Without a space an ellipsis only pauses; a full stop ends a Chinese sentence, and
            // what else it can be (3.14, a.com) is told by the words on either side.
            let full_stop = stop.dots == 1 && stop.ellipses == 0;
            if !full_stop || !abbreviation::ends_unspaced(sentence) {
                return false;
            }
        }
        if stop.dots == 1
            && stop.is_conditional()
            && abbreviation::keeps_stop(sentence, &self.splitter.abbreviations)
        {
            return false;
        }
        // 你呢?OK: behind Chinese a half-width mark needs no space.
        let chinese = stop.exclaims && sentence.chars().next_back().is_some_and(is_cjk);
        (chinese && rest.starts_with(char::is_uppercase)) || self.may_follow(stop, rest)
    }

    /// Whether `rest` can begin a sentence behind `stop`.
    fn may_follow(&self, stop: &Stop, rest: &str) -> bool {
        if characters::continues_clause(rest) {
            return false;
        }
        if stop.full_width || stop.is_long_ellipsis() {
            return true;
        }
        let next = rest
            .trim_start_matches(|c| invisible::is_gap(c) || is_opening(c) || matches!(c, '¿' | '¡'))
            .chars()
            .next();
        next.is_none_or(|next| is_cjk(next) || (starts_with_gap(rest) && next.is_uppercase()))
    }
}

fn skip_gap(text: &str) -> &str {
    text.trim_start_matches(invisible::is_gap)
}

fn starts_with_gap(text: &str) -> bool {
    text.starts_with(invisible::is_gap)
}
