//! Where a sentence is cut into parts.

use std::ops::Range;

use csanmt_text::protect::{Kind, Span, render};
use csanmt_text::script::is_han;

use super::brackets;
use super::part::{Fixed, Part, punctuation};
use super::text::Text;
use crate::guards::Guards;

/// A text to be cut into parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole<'t> {
    pub(crate) source: &'t str,
    pub(crate) spans: &'t [Span],
    /// Spans that the model is to see as a sign.
    pub(crate) masked: &'t [bool],
    pub(crate) guards: Guards,
    /// How often the parts have been cut out of a longer text.
    pub(crate) depth: usize,
}

impl Whole<'_> {
    /// Cuts it at the chosen spans.
    pub(crate) fn split(&self, chosen: impl Fn(usize) -> bool) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut start = 0;
        let mut first = 0;
        for (i, span) in self.spans.iter().enumerate().filter(|(i, _)| chosen(*i)) {
            self.push_text(&mut parts, start..span.range.start, first..i);
            parts.push(Part::Fixed(Fixed {
                source: self.source[span.range.clone()].to_owned(),
                text: render(self.source, span),
                kind: Some(span.kind),
                glue: glue(self.source, span),
            }));
            start = span.range.end + self.unit(i);
            first = i + 1;
        }
        self.push_text(
            &mut parts,
            start..self.source.len(),
            first..self.spans.len(),
        );
        parts
    }

    /// Length of the 年 between year and month and the 日 behind the day, which are no words by
    /// themselves.
    fn unit(&self, i: usize) -> usize {
        let is_month = |i: Option<usize>| {
            let span = i.and_then(|i| self.spans.get(i));
            span.is_some_and(|span| span.kind == Kind::Month)
        };
        let span = &self.spans[i];
        let rest = &self.source[span.range.end..];
        if span.kind != Kind::Number {
            return 0;
        }
        let next = self.spans.get(i + 1).map_or(0, |next| next.range.start);
        let year = rest.starts_with('年')
            && is_month(Some(i + 1))
            && next == span.range.end + '年'.len_utf8();
        let before = i
            .checked_sub(1)
            .filter(|&i| self.spans[i].range.end == span.range.start);
        let day = rest.starts_with(['日', '号']) && is_month(before);
        if year || day { '日'.len_utf8() } else { 0 }
    }

    /// Cuts it around brackets with words in them.
    pub(crate) fn brackets(&self) -> Option<Vec<Part>> {
        let mut cuts = Vec::new();
        for pair in brackets::pairs(self.source) {
            let inside = |span: &Span| span.range.start < pair.end && pair.start < span.range.end;
            let crossed = self.spans.iter().any(|span| {
                inside(span) && (span.range.start <= pair.start || span.range.end >= pair.end)
            });
            if !crossed {
                let width = |c: Option<char>| c.map_or(0, char::len_utf8);
                let text = &self.source[pair.clone()];
                let open = pair.start + width(text.chars().next());
                let close = pair.end - width(text.chars().next_back());
                cuts.extend([pair.start, open, close, pair.end]);
            }
        }
        (!cuts.is_empty()).then(|| self.cut(cuts))
    }

    /// Cuts it at all punctuation between clauses, or at other inner punctuation near its middle.
    pub(crate) fn clauses(&self) -> Option<Vec<Part>> {
        let mut cuts = self.places(&['，', '；', '：', ',', ';', '。', '！', '？', '…', '—']);
        if cuts.is_empty() {
            let places = self.places(&['、', ' ', '\u{3000}', '/']);
            let middle = |at: &usize| at.abs_diff(self.source.len() / 2);
            cuts.extend(places.into_iter().min_by_key(middle));
        }
        (!cuts.is_empty()).then(|| self.cut(cuts))
    }

    /// Cuts it near its middle, behind a word of grammar if there is one: the last resort for what the
    /// model finds no end to.
    pub(crate) fn halves(&self) -> Option<Vec<Part>> {
        const GRAMMAR: &str = "的了着过是在和与或就都也把被对从到给";
        let source = self.source;
        let han = |text: &str| text.chars().filter(|&c| is_han(c)).count();
        let inside = |at: usize| {
            let within = |span: &Span| span.range.start < at && at < span.range.end;
            self.spans.iter().any(within)
        };
        let places = source.char_indices().skip(1).map(|(at, _)| at);
        let places =
            places.filter(|&at| !inside(at) && han(&source[..at]) > 0 && han(&source[at..]) > 0);
        let cost = |at: &usize| {
            let distance = at.abs_diff(source.len() / 2) * 2;
            let grammar = source[..*at].ends_with(|c| GRAMMAR.contains(c));
            if grammar { distance / 2 } else { distance + 1 }
        };
        let place = places.min_by_key(cost)?;
        Some(self.cut(vec![place]))
    }

    fn cut(&self, cuts: Vec<usize>) -> Vec<Part> {
        let mut parts = Vec::new();
        let (mut start, mut first) = (0, 0);
        for cut in cuts.into_iter().chain([self.source.len()]) {
            let before = |span: &&Span| span.range.end <= cut;
            let end = self.spans.iter().take_while(before).count();
            self.push_text(&mut parts, start..cut, first..end);
            (start, first) = (cut, end);
        }
        parts
    }

    /// The places behind the marks, with Chinese between them.
    fn places(&self, marks: &[char]) -> Vec<usize> {
        let free = |at: usize| {
            self.spans
                .iter()
                .all(|span| at <= span.range.start || at >= span.range.end)
        };
        let mut places = Vec::new();
        let mut start = 0;
        for (at, c) in self
            .source
            .char_indices()
            .filter(|(_, c)| marks.contains(c))
        {
            let place = at + c.len_utf8();
            let (left, right) = (&self.source[start..place], &self.source[place..]);
            if free(place) && left.contains(is_han) && right.contains(is_han) {
                places.push(place);
                start = place;
            }
        }
        places
    }

    /// Adds the text of a range: marks at its ends by themselves, and the rest to be translated.
    fn push_text(&self, parts: &mut Vec<Part>, range: Range<usize>, spans: Range<usize>) {
        let source = self.source;
        let masked = &self.masked[spans.clone()];
        let spans = &self.spans[spans];
        let text = &source[range.clone()];
        let is_mark = |c: char| !c.is_alphanumeric();
        // Marks that belong to a span are not at the ends.
        let start = range.start + text.len() - text.trim_start_matches(is_mark).len();
        let start = spans
            .first()
            .map_or(start, |span| start.min(span.range.start));
        let end = range.start + text.trim_end_matches(is_mark).len();
        let end = spans
            .last()
            .map_or(end, |span| end.max(span.range.end))
            .max(start);
        let end = with_closing(source, start, end, range.end);
        // The sentence's own end belongs to it, unless it closes what was opened before.
        let closes = source[end..range.end].contains(CLOSING);
        let end = if range.end == source.len() && !closes {
            range.end
        } else {
            end
        };
        push_marks(parts, source, range.start..start);
        if start < end && source[start..end].contains(char::is_alphanumeric) || !spans.is_empty() {
            let spans = spans
                .iter()
                .map(|span| Span {
                    range: span.range.start - start..span.range.end - start,
                    ..span.clone()
                })
                .collect();
            let original = source[start..end].to_owned();
            let mut text = Text::new(original, spans, self.guards, self.depth);
            text.mask(masked);
            parts.push(Part::Text(text));
        } else {
            push_marks(parts, source, start..end);
        }
        push_marks(parts, source, end..range.end);
    }
}

/// How a mark of structure keeps to its neighbours: brackets to what is in them, the marks of
/// emphasis to what they emphasise, data to its text.
fn glue(source: &str, span: &Span) -> (bool, bool) {
    let text = &source[span.range.clone()];
    if span.kind != Kind::Mark {
        return (false, false);
    }
    match text.chars().next() {
        Some('{' | '}' | '"' | ',') => (true, true),
        Some('[' | '【' | '!') => (false, true),
        Some(']' | '】') => (true, false),
        Some('*' | '~' | '_' | '=' | '-' | '+' | '#')
            if text.len() > 1 && text.bytes().all(|b| b == text.as_bytes()[0]) =>
        {
            let is_open = source[..span.range.start].matches(text).count() % 2 == 1;
            (is_open, !is_open)
        }
        // A bullet has a space behind it.
        Some('*') => {
            let closes = source[..span.range.start].ends_with(|c: char| !c.is_whitespace())
                && is_open_before(source, span.range.start);
            let opens = !closes && !source[span.range.end..].starts_with(' ');
            (closes, opens)
        }
        _ => (false, false),
    }
}

/// Whether a single `*` before a place has no partner yet.
fn is_open_before(source: &str, at: usize) -> bool {
    let mut open = false;
    for (star, _) in source[..at].match_indices('*') {
        let (before, behind) = (&source[..star], &source[star + 1..]);
        if !before.ends_with('*') && !behind.starts_with(['*', ' ']) || open {
            open = !open;
        }
    }
    open
}

/// Marks that close what others open; the straight ones do both.
const CLOSING: [char; 10] = ['”', '’', '」', '』', '》', '〉', '）', ')', '"', '\''];
const OPENING: [char; 10] = ['“', '‘', '「', '『', '《', '〈', '（', '(', '"', '\''];

/// The end of a stretch with the marks that close what was opened in it.
fn with_closing(source: &str, start: usize, mut end: usize, limit: usize) -> usize {
    while let Some(c) = source[end..limit].chars().next() {
        let Some(kind) = CLOSING.iter().position(|&close| close == c) else {
            break;
        };
        let inside = &source[start..end];
        let opened = inside.matches(OPENING[kind]).count();
        let is_open = if OPENING[kind] == c {
            opened % 2 == 1
        } else {
            opened > inside.matches(c).count()
        };
        if !is_open {
            break;
        }
        end += c.len_utf8();
    }
    end
}

fn push_marks(parts: &mut Vec<Part>, source: &str, range: Range<usize>) {
    let marks = &source[range.clone()];
    if marks.is_empty() {
        return;
    }
    // Straight quotation marks keep to what they enclose, where each has its partner.
    let straight = |c: Option<char>| {
        c.filter(|&c| matches!(c, '"' | '\'') && source.matches(c).count() % 2 == 0)
    };
    let odd = |c: char, end: usize| source[..end].matches(c).count() % 2 == 1;
    let first = straight(marks.chars().next());
    let last = straight(marks.chars().next_back());
    parts.push(Part::Fixed(Fixed {
        source: marks.to_owned(),
        text: punctuation(marks.trim()),
        kind: None,
        glue: (
            first.is_some_and(|c| odd(c, range.start)),
            last.is_some_and(|c| odd(c, range.end)),
        ),
    }));
}
