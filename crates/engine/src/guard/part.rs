//! The parts of a sentence that is translated piece by piece, and how they are joined again.

use std::ops::Range;

use csanmt_text::protect::{Kind, Span, render};
use csanmt_text::script::is_han;

use super::candidate::capitalized;
use super::items;
use super::text::Text;
use crate::guards::Guards;

/// A part of a sentence.
#[derive(Debug)]
pub(crate) enum Part {
    /// Copied, or punctuation in its English form.
    Fixed(Fixed),
    /// Translated.
    Text(Text),
}

/// A part that the model does not see.
#[derive(Debug)]
pub(crate) struct Fixed {
    /// With the white space around it.
    source: String,
    text: String,
    /// None for punctuation.
    kind: Option<Kind>,
    /// Nothing separates it from what is before it, and from what is behind it.
    glue: (bool, bool),
}

impl Part {
    /// Text that is not the model's to translate.
    pub(crate) fn fixed(text: String) -> Self {
        Self::Fixed(Fixed {
            source: text.clone(),
            text,
            kind: None,
            glue: (false, false),
        })
    }

    fn source(&self) -> &str {
        match self {
            Self::Fixed(fixed) => &fixed.source,
            Self::Text(text) => text.source(),
        }
    }

    fn output(&self) -> &str {
        match self {
            Self::Fixed(fixed) => &fixed.text,
            Self::Text(text) => text.output(),
        }
    }
}

/// The stretches with which translation need not begin: pictures beside punctuation, and addresses,
/// code … at either end of the sentence.
pub(crate) fn outside(source: &str, spans: &[Span]) -> Vec<bool> {
    let is_language = |c: char| c.is_alphanumeric();
    let items = items::items(source, spans);
    let mut chosen = vec![false; spans.len()];
    let outer_start = spans_from_edge(source, spans.iter());
    let outer_end = spans_from_edge(source, spans.iter().rev());
    for (i, span) in spans.iter().enumerate() {
        let before = source[..span.range.start].chars().next_back();
        let behind = source[span.range.end..].chars().next();
        let free = |c: Option<char>| !c.is_some_and(is_language);
        chosen[i] = span.kind.is_foreign()
            && match span.kind {
                Kind::Mark => true,
                _ if items[i] => true,
                Kind::Emoji | Kind::Symbol => {
                    // ① 项目, 20㎡ and A→B: the neighbours are not pictures.
                    free(before) && (span.kind == Kind::Emoji || free(behind) || before.is_none())
                        || (span.kind == Kind::Emoji && free(behind))
                }
                _ => {
                    (i < outer_start && free(behind))
                        || (i + outer_end >= spans.len() && free(before))
                }
            };
    }
    chosen
}

/// How many spans stand at an end of the sentence with nothing but marks between them.
fn spans_from_edge<'s>(source: &str, spans: impl Iterator<Item = &'s Span>) -> usize {
    let mut covered: Option<std::ops::Range<usize>> = None;
    let mut count = 0;
    for span in spans {
        let between = match &covered {
            None if count == 0 => {
                // The nearer end of the sentence.
                let (head, tail) = (&source[..span.range.start], &source[span.range.end..]);
                if !head.contains(char::is_alphanumeric) {
                    head
                } else {
                    tail
                }
            }
            Some(last) if last.end <= span.range.start => &source[last.end..span.range.start],
            Some(last) => &source[span.range.end..last.start],
            None => return count,
        };
        if between.contains(char::is_alphanumeric) || !span.kind.is_foreign() {
            break;
        }
        covered = Some(span.range.clone());
        count += 1;
    }
    count
}

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
            start = span.range.end;
            first = i + 1;
        }
        self.push_text(
            &mut parts,
            start..self.source.len(),
            first..self.spans.len(),
        );
        parts
    }

    /// Cuts it at all punctuation between clauses, or at other inner punctuation near its middle.
    pub(crate) fn clauses(&self) -> Option<Vec<Part>> {
        let mut cuts = self.places(&['，', '；', '：', ',', ';', '。', '！', '？', '…', '—']);
        if cuts.is_empty() {
            let places = self.places(&['、', ' ', '\u{3000}', '/']);
            let middle = |at: &usize| at.abs_diff(self.source.len() / 2);
            cuts.extend(places.into_iter().min_by_key(middle));
        }
        if cuts.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        let (mut start, mut first) = (0, 0);
        for cut in cuts.into_iter().chain([self.source.len()]) {
            let before = |span: &&Span| span.range.end <= cut;
            let end = self.spans.iter().take_while(before).count();
            self.push_text(&mut parts, start..cut, first..end);
            (start, first) = (cut, end);
        }
        Some(parts)
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
        // The sentence's own end belongs to it, and so do quotes and brackets closed in it.
        let end = if range.end == source.len() {
            range.end
        } else {
            end
        };
        push_marks(parts, &source[range.start..start]);
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
            push_marks(parts, &source[start..end]);
        }
        push_marks(parts, &source[end..range.end]);
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
        Some('*' | '~' | '_') if text.len() > 1 => {
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

fn push_marks(parts: &mut Vec<Part>, marks: &str) {
    if !marks.is_empty() {
        parts.push(Part::Fixed(Fixed {
            source: marks.to_owned(),
            text: punctuation(marks.trim()),
            kind: None,
            glue: (false, false),
        }));
    }
}

/// Chinese punctuation as English.
pub(crate) fn punctuation(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        out.push_str(match c {
            '，' | '、' => ",",
            '。' | '｡' => ".",
            '：' => ":",
            '；' => ";",
            '！' => "!",
            '？' => "?",
            '（' => "(",
            '）' => ")",
            '【' | '〔' | '［' => "[",
            '】' | '〕' | '］' => "]",
            '《' | '》' | '「' | '」' | '『' | '』' | '〈' | '〉' => "\"",
            '～' => "~",
            '／' => "/",
            '＋' => "+",
            '－' => "-",
            '＝' => "=",
            '\u{3000}' => " ",
            _ => {
                out.push(c);
                continue;
            }
        });
    }
    out
}

/// The parts as one text.
pub(crate) fn join(parts: &[Part]) -> String {
    let mut out = String::new();
    let mut last: Option<&Part> = None;
    // White space of parts that leave nothing.
    let mut space = false;
    for part in parts {
        if part.output().is_empty() {
            space |= part.source().contains(char::is_whitespace);
            continue;
        }
        if let Some(last) = last
            && (space || spaced(last, part))
            && !out.ends_with(' ')
        {
            out.push(' ');
        }
        let text = part.output().trim();
        match part {
            // A term at the beginning of a sentence.
            Part::Fixed(fixed)
                if fixed.kind == Some(Kind::Prescribed)
                    && fixed.text != fixed.source
                    && out.is_empty()
                    && parts.len() > 1 =>
            {
                out.push_str(&capitalized(text));
            }
            _ => out.push_str(text),
        }
        space = false;
        last = Some(part);
    }
    out
}

/// Whether a space stands between two neighbours.
fn spaced(left: &Part, right: &Part) -> bool {
    if left.source().ends_with(char::is_whitespace)
        || right.source().starts_with(char::is_whitespace)
    {
        return true;
    }
    let glued_by = |part: &Part, side: fn((bool, bool)) -> bool| match part {
        Part::Fixed(fixed) => side(fixed.glue),
        Part::Text(_) => false,
    };
    if glued_by(left, |glue| glue.1) || glued_by(right, |glue| glue.0) {
        return false;
    }
    if let (
        Part::Fixed(Fixed {
            kind: Some(left), ..
        }),
        Part::Fixed(Fixed {
            kind: Some(right), ..
        }),
    ) = (left, right)
        && (left.is_foreign() || right.is_foreign())
    {
        return false;
    }
    // 客户/供应商, €9/£8
    let slash = |part: &Part| part.source() == "/";
    if slash(left) || slash(right) {
        return false;
    }
    let closes = |c: char| ",.:;!?)]}>”’…%".contains(c);
    let opens = |c: char| "([{<“‘".contains(c);
    let is_mark = |part: &Part| matches!(part, Part::Fixed(Fixed { kind: None, .. }));
    let glued = |part: &Part| match part {
        Part::Fixed(Fixed {
            kind: Some(Kind::Placeholder),
            text,
            ..
        }) => text.starts_with('\\'),
        _ => false,
    };
    let tag = |part: &Part, closing: bool| match part {
        Part::Fixed(Fixed {
            kind: Some(Kind::Markup),
            text,
            ..
        }) => text.starts_with("</") == closing,
        _ => false,
    };
    if glued(left) || glued(right) || tag(left, false) || tag(right, true) {
        return false;
    }
    let quote = |part: &Part, marks: &[char]| is_mark(part) && part.source().contains(marks);
    let begins = right.output().chars().next();
    let ends = left.output().chars().next_back();
    let is_span = |part: &Part| matches!(part, Part::Fixed(Fixed { kind: Some(_), .. }));
    let closed =
        !is_span(right) && begins.is_some_and(closes) || quote(right, &['》', '」', '』', '〉']);
    let opened =
        !is_span(left) && ends.is_some_and(opens) || quote(left, &['《', '「', '『', '〈']);
    !closed && !opened
}
