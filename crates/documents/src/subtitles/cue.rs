//! The text of one cue.

use csanmt::markup::{Piece, TaggedText};

use super::Dialect;
use super::breaking::breaks;
use super::tag::{Role, Token, roles, tokens};
use crate::DocumentError;
use crate::passage::{Passage, Sink};

/// A line of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Without its end.
    pub(super) text: &'a str,
    /// Where it begins in the file.
    pub(super) start: usize,
    /// Where the next one begins.
    pub(super) end: usize,
}

/// Lines that one sentence goes over. Nobody could read more; the work on each is bounded.
const MOST_LINES: usize = 8;

/// Reads the lines of a cue. Lines that one sentence goes over are one passage; a line that begins
/// a turn, or follows the end of a sentence, begins the next.
pub(super) fn payload<'a>(
    text: &'a str,
    dialect: Dialect,
    lines: &[Line<'a>],
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let mut start = 0;
    for i in 1..=lines.len() {
        let begins = i - start == MOST_LINES
            || lines.get(i).is_none_or(|line| {
                let before = lines[i - 1].text;
                begins_turn(&visible(line.text, dialect))
                    || ends_sentence(&visible(before, dialect))
            });
        if begins && start < i {
            passage(text, dialect, &lines[start..i], sink)?;
            start = i;
        }
    }
    Ok(())
}

/// A line without its tags.
fn visible(line: &str, dialect: Dialect) -> String {
    let mut visible = String::new();
    for token in tokens(line, dialect) {
        if let Token::Text(text) = token {
            visible.push_str(text);
        }
    }
    visible.trim().to_owned()
}

fn begins_turn(line: &str) -> bool {
    line.starts_with([
        '-', '–', '—', '‐', '－', '♪', '♫', '(', '（', '[', '［', '【', '>', '●',
    ])
}

/// The line without the sign of a turn, which is no part of the sentence. Two signs together are
/// something else.
fn without_turn(line: &str) -> &str {
    const SIGNS: [char; 6] = ['-', '–', '－', '♪', '♫', '●'];
    let line = line.trim_start();
    match line.strip_prefix(SIGNS) {
        Some(rest) if !rest.starts_with(SIGNS) && !rest.starts_with('>') => rest.trim_start(),
        _ => line,
    }
}

fn ends_sentence(line: &str) -> bool {
    let line = line.trim_end_matches(['”', '"', '’', '\'', '」', '』', '）', ')', '】', ']']);
    line.ends_with(['。', '！', '？', '!', '?', '.', '…', '；', ';', '♪', '♫'])
}

fn passage<'a>(
    text: &'a str,
    dialect: Dialect,
    lines: &[Line<'a>],
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let mut lines = lines.to_vec();
    let (Some(first), Some(last)) = (lines.first().copied(), lines.last().copied()) else {
        return Ok(());
    };
    let spoken = without_turn(first.text);
    let start = first.start + first.text.len() - spoken.len();
    let end = last.start + last.text.trim_end().len();
    sink.copy(&text[first.start..start])?;
    lines[0] = Line {
        text: spoken,
        start,
        ..first
    };
    let cue = Cue::read(text, dialect, &lines);
    let source = &text[start..end.max(start)];
    let Cue {
        unit,
        elements,
        ends,
    } = cue;
    sink.passage(Passage {
        source,
        unit,
        write: Box::new(move |translation, out| {
            // A cue of no text would be taken for the end of the cue.
            if translation.text().trim().is_empty() {
                out.push_str(source);
            } else {
                write(translation, dialect, &elements, &ends, out);
            }
        }),
    })?;
    sink.copy(&text[end.max(start)..last.end])
}

/// Lines as one text.
struct Cue<'a> {
    unit: TaggedText,
    /// The tags of each element.
    elements: Vec<(&'a str, &'a str)>,
    /// Line ends with what is around them, and how much of the text is before each.
    ends: Vec<(&'a str, (usize, usize))>,
}

impl<'a> Cue<'a> {
    fn read(text: &'a str, dialect: Dialect, lines: &[Line<'a>]) -> Self {
        let mut pieces: Vec<(usize, Token<'a>)> = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let tokens = tokens(line.text.trim(), dialect);
            pieces.extend(tokens.into_iter().map(|token| (number, token)));
        }
        let tags: Vec<&str> = pieces
            .iter()
            .filter_map(|(_, token)| match *token {
                Token::Tag(tag) => Some(tag),
                Token::Text(_) => None,
            })
            .collect();
        let mut roles = roles(&tags).into_iter();
        let mut builder = TaggedText::builder();
        let (mut elements, mut ends) = (Vec::new(), Vec::new());
        let mut line = 0;
        for (number, token) in pieces {
            while line < number {
                let (this, next) = (&lines[line], &lines[line + 1]);
                let indent = next.text.len() - next.text.trim_start().len();
                let end = this.start + this.text.trim_end().len();
                ends.push((&text[end..next.start + indent], builder.as_text().len()));
                if needs_space(&visible(this.text, dialect), &visible(next.text, dialect)) {
                    builder.text(" ");
                }
                line += 1;
            }
            match token {
                Token::Text(text) if dialect == Dialect::WebVtt => builder.text(&decode(text)),
                Token::Text(text) => builder.text(text),
                Token::Tag(tag) => match roles.next() {
                    Some(Role::Open(partner)) => {
                        elements.push((tag, tags[partner]));
                        builder.open();
                    }
                    Some(Role::Close) => builder.close(),
                    _ => {
                        elements.push((tag, ""));
                        builder.empty();
                    }
                },
            }
        }
        let unit = builder.build();
        let whole = unit.text().len();
        Self {
            unit,
            elements,
            ends: ends
                .into_iter()
                .map(|(end, at)| (end, (at, whole)))
                .collect(),
        }
    }
}

/// Chinese goes on without a space on the next line.
fn needs_space(before: &str, after: &str) -> bool {
    let narrow = |c: Option<char>| c.is_some_and(|c| c < '\u{2e80}');
    narrow(before.chars().next_back()) && narrow(after.chars().next())
}

fn write(
    translation: &TaggedText,
    dialect: Dialect,
    elements: &[(&str, &str)],
    ends: &[(&str, (usize, usize))],
    out: &mut String,
) {
    let shares: Vec<(usize, usize)> = ends.iter().map(|(_, share)| *share).collect();
    let breaks = breaks(translation.text(), &shares);
    let mut at = 0;
    for piece in translation.pieces() {
        match piece {
            Piece::Open(element) => out.push_str(elements[element].0),
            Piece::Close(element) => out.push_str(elements[element].1),
            Piece::Text(text) => {
                for (offset, char) in text.char_indices() {
                    match breaks.binary_search(&(at + offset)) {
                        Ok(line) => out.push_str(ends[line].0),
                        Err(_) => push(char, dialect, out),
                    }
                }
                at += text.len();
            }
        }
    }
}

fn push(char: char, dialect: Dialect, out: &mut String) {
    match char {
        '\r' | '\n' => out.push(' '),
        '&' if dialect == Dialect::WebVtt => out.push_str("&amp;"),
        '<' if dialect == Dialect::WebVtt => out.push_str("&lt;"),
        '>' if dialect == Dialect::WebVtt => out.push_str("&gt;"),
        char => out.push(char),
    }
}

/// Character references of WebVTT.
fn decode(text: &str) -> String {
    const NAMED: [(&str, &str); 6] = [
        ("amp", "&"),
        ("lt", "<"),
        ("gt", ">"),
        ("nbsp", "\u{a0}"),
        ("lrm", "\u{200e}"),
        ("rlm", "\u{200f}"),
    ];
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let known = NAMED.iter().find_map(|(name, char)| {
            let rest = rest.strip_prefix(name)?.strip_prefix(';')?;
            Some((*char, rest))
        });
        match known {
            Some((char, after)) => {
                decoded.push_str(char);
                rest = after;
            }
            None => decoded.push('&'),
        }
    }
    decoded + rest
}
