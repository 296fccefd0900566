//! The parts of a sentence that is translated piece by piece, and how they are joined again.

use csanmt_text::protect::{Kind, Span};

use super::candidate::capitalized;
use super::items;
use super::text::Text;

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
    pub(super) source: String,
    pub(super) text: String,
    /// None for punctuation.
    pub(super) kind: Option<Kind>,
    /// Nothing separates it from what is before it, and from what is behind it.
    pub(super) glue: (bool, bool),
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
    // &lt;br&gt; as in the source
    let foreign = |part: &Part| matches!(part, Part::Fixed(Fixed { kind: Some(kind), .. }) if matches!(kind, Kind::Markup | Kind::Placeholder));
    let touching = left.source().ends_with(|c: char| c.is_ascii_graphic())
        && right.source().starts_with(|c: char| c.is_ascii_graphic());
    if touching && (foreign(left) || foreign(right)) {
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
