//! Translated text written so that it means nothing but itself.

use crate::markup::template::{Place, Syntax};

/// The text of a paragraph, heading, list item or table cell.
#[derive(Debug)]
pub(crate) struct Markdown {
    in_cell: bool,
    /// There are dollar signs in what is copied from the source: another one could pair with them.
    dollars: bool,
}

impl Markdown {
    pub(crate) fn new(in_cell: bool, dollars: bool) -> &'static Self {
        match (in_cell, dollars) {
            (false, false) => &Self {
                in_cell: false,
                dollars: false,
            },
            (false, true) => &Self {
                in_cell: false,
                dollars: true,
            },
            (true, false) => &Self {
                in_cell: true,
                dollars: false,
            },
            (true, true) => &Self {
                in_cell: true,
                dollars: true,
            },
        }
    }
}

impl Syntax for Markdown {
    fn push_text(&self, text: &str, place: Place, out: &mut String) {
        let escapes = Escapes {
            brackets: has_link(text),
            tildes: text.matches('~').count() > 1,
            dollars: self.dollars || out.contains('$') || text.matches('$').count() > 1,
            bars: self.in_cell,
        };
        push(text, place, escapes, out);
    }

    /// Code beside code would be one piece of code, and so with formulas.
    fn push_kept(&self, content: &str, out: &mut String) {
        if ['`', '$']
            .iter()
            .any(|&mark| content.starts_with(mark) && out.ends_with(mark))
        {
            out.push(' ');
        }
        out.push_str(content);
    }

    fn push_open(&self, tag: &str, place: Place, next: Option<char>, out: &mut String) {
        push_open(tag, place, next, out);
    }

    /// Emphasis in emphasis of the same kind would be another kind.
    fn between(&self, tag: &str, next: &str) -> &'static str {
        if is_emphasis(tag) && tag == next {
            SEPARATOR
        } else {
            ""
        }
    }

    /// Emphasis of nothing would be a row of marks.
    fn push_nothing(&self, tag: &str, out: &mut String) {
        if is_emphasis(tag) {
            out.push_str(SEPARATOR);
        }
    }
}

/// Adds the beginning of an element. `!` before a link would make an image of it; emphasis cannot
/// begin between a letter and a mark (`Tom*'s*`), but the letter can be written as a reference.
fn push_open(tag: &str, place: Place, next: Option<char>, out: &mut String) {
    if tag.starts_with('[') && out.ends_with('!') && !out.ends_with("\\!") {
        out.insert(out.len() - 1, '\\');
    }
    if tag.starts_with('[') && out.ends_with(']') {
        out.push_str(SEPARATOR);
    }
    if is_emphasis(tag) {
        let blocked = if tag.starts_with('_') {
            next.is_some()
        } else {
            next.is_some_and(is_mark)
        };
        let last = out.chars().next_back();
        if place == Place::AfterClose && out.ends_with(['*', '_', '~']) {
            // The end of one emphasis and the beginning of the next would be one row of marks.
            out.push_str(SEPARATOR);
        } else if let Some(last) = last.filter(|last| blocked && last.is_alphanumeric()) {
            out.truncate(out.len() - last.len_utf8());
            push_reference(last, out);
        }
        keep_open(tag, out);
    }
    out.push_str(tag);
}

/// Between two separators the second of three beginnings of one kind would be the end of the first.
/// Before a letter it is not, and this one prints nothing.
fn keep_open(tag: &str, out: &mut String) {
    let outer = out.strip_suffix(SEPARATOR).filter(|outer| {
        let outermost = outer.strip_suffix(tag);
        outermost.is_some_and(|outermost| outermost.ends_with(SEPARATOR))
    });
    if let Some(at) = outer.map(str::len) {
        out.insert(at, WORD_JOINER);
    }
}

/// Prints nothing and keeps two marks apart.
const SEPARATOR: &str = "<!-- -->";

/// Prints nothing, and is a letter to Markdown.
const WORD_JOINER: char = '\u{2060}';

fn push_reference(c: char, out: &mut String) {
    out.push_str(&format!("&#{};", u32::from(c)));
}

fn is_emphasis(tag: &str) -> bool {
    !tag.is_empty() && tag.chars().all(|c| matches!(c, '*' | '_' | '~'))
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

fn push(mut text: &str, place: Place, mut escapes: Escapes, out: &mut String) {
    match place {
        Place::LineStart => {
            // That of the element which has begun the line.
            text = text.trim_start_matches(['\n', '\r']);
            if let Some(at) = block_marker(text) {
                escapes.push(&text[..at], out);
                out.push('\\');
                let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&text[at..end]);
                text = &text[end..];
            }
        }
        // Emphasis cannot end between a mark and a letter either.
        Place::AfterClose => {
            let content = out.trim_end_matches(['*', '_', '~']);
            let underscore = out.ends_with('_');
            let closes = content.len() < out.len();
            let blocked = underscore || content.ends_with(is_mark);
            if let Some(first) = text.chars().next()
                && closes
                && blocked
                && first.is_alphanumeric()
            {
                push_reference(first, out);
                text = &text[first.len_utf8()..];
            }
        }
        Place::Inside => {}
    }
    // Behind a footnote's mark or a link they would be its address.
    if out.ends_with(']') && text.starts_with(['(', '[', ':']) {
        escapes.brackets |= text.starts_with('[');
        out.push('\\');
        out.push_str(&text[..1]);
        text = &text[1..];
    }
    escapes.push(text, out);
}

/// Which characters of a text need a back-slash.
struct Escapes {
    brackets: bool,
    tildes: bool,
    dollars: bool,
    bars: bool,
}

impl Escapes {
    fn push(&self, text: &str, out: &mut String) {
        let mut before = out.chars().next_back();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            let spaced = is_space(before) && is_space(next);
            let escaped = match c {
                // The line break itself is written by the element that stands for it.
                '\n' | '\r' => continue,
                '`' => true,
                '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
                '*' => !spaced,
                '_' => !(spaced || is_word(before) && is_word(next)),
                '[' | ']' => self.brackets,
                '~' => self.tildes,
                '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
                '&' => is_entity(&text[at..]),
                '$' => self.dollars,
                '|' => self.bars,
                _ => false,
            };
            if escaped {
                out.push('\\');
            }
            out.push(c);
            before = Some(c);
        }
    }
}

fn is_space(c: Option<char>) -> bool {
    c.is_none_or(char::is_whitespace)
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

/// The brackets of a text could be read as a link, or do not match.
fn has_link(text: &str) -> bool {
    let mut depth = 0_i32;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => continue,
        }
        if depth < 0 {
            return true;
        }
    }
    depth != 0
        || ["](", "][", "]:", "[^"]
            .iter()
            .any(|link| text.contains(link))
}

/// `&amp;`, `&#39;`, `&#x27;`.
fn is_entity(text: &str) -> bool {
    let inner = text[1..].split(';').next().unwrap_or_default();
    let closed = text[1 + inner.len()..].starts_with(';');
    let name = inner.strip_prefix('#').unwrap_or(inner);
    closed && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The place of the character that would make a heading, list, quotation or rule of a line.
fn block_marker(text: &str) -> Option<usize> {
    let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
    let rest = &text[indent..];
    let first = rest.chars().next()?;
    let spaced = |len: usize| is_space(rest[len..].chars().next());
    match first {
        '#' => {
            let len = rest.len() - rest.trim_start_matches('#').len();
            spaced(len).then_some(indent)
        }
        '>' => Some(indent),
        '-' | '+' | '*' => spaced(1)
            .then_some(indent)
            .or_else(|| is_rule(rest).then_some(indent)),
        '=' | '_' | '~' => is_rule(rest).then_some(indent),
        ':' => (spaced(1) || is_rule(rest)).then_some(indent),
        '0'..='9' => {
            let len = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let marked = rest[len..].starts_with(['.', ')']);
            (marked && len < 10 && spaced(len + 1)).then_some(indent + len)
        }
        _ => None,
    }
}

/// Nothing but one mark and spaces, or a fence.
fn is_rule(line: &str) -> bool {
    let line = line.trim_end();
    let mark = line.chars().next();
    line.chars()
        .all(|c| Some(c) == mark || matches!(c, ' ' | '|' | ':' | '-'))
        || line.starts_with("~~~")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &Markdown = &Markdown {
        in_cell: false,
        dollars: false,
    };

    fn written(text: &str) -> String {
        let mut out = String::new();
        PROSE.push_text(text, Place::LineStart, &mut out);
        out
    }

    #[test]
    fn text_is_not_read_as_marks() {
        for (text, expected) in [
            ("1. One", "1\\. One"),
            ("2025. ", "2025\\. "),
            ("3.5 litres", "3.5 litres"),
            ("# heading", "\\# heading"),
            ("#tag", "#tag"),
            ("\n* a", "\\* a"),
            ("- a - b", "\\- a - b"),
            ("a *b* `c` 2 * 3 = 6", "a \\*b\\* \\`c\\` 2 * 3 = 6"),
            ("snake_case _x_", "snake_case \\_x\\_"),
            ("see [1] and {0}", "see [1] and {0}"),
            ("[a](b)", "\\[a\\](b)"),
            ("a < b <0/> <b>", "a < b <0/> \\<b>"),
            ("R&D &amp; A&B;", "R&D \\&amp; A\\&B;"),
            ("C:\\dir \\*", "C:\\dir \\\\\\*"),
            ("3~5", "3~5"),
            ("$5 each", "$5 each"),
            ("$5-$6", "\\$5-\\$6"),
            ("a|b", "a|b"),
        ] {
            assert_eq!(written(text), expected);
        }
        let mut cell = String::new();
        Markdown::new(true, false).push_text("a|b", Place::LineStart, &mut cell);
        assert_eq!(cell, "a\\|b");
        let mut footnote = String::from("[^1]");
        PROSE.push_text("[1] a", Place::Inside, &mut footnote);
        assert_eq!(footnote, "[^1]\\[1\\] a");
        let mut out = String::from("Great!");
        PROSE.push_open("[", Place::Inside, Some('x'), &mut out);
        assert_eq!(out, "Great\\![");
    }

    #[test]
    fn emphasis_stands_where_markdown_wants_it() {
        let mut out = String::from("Tom");
        PROSE.push_open("**", Place::Inside, Some('\''), &mut out);
        assert_eq!(out, "To&#109;**");
        out.push_str("'s.**");
        PROSE.push_text("x", Place::AfterClose, &mut out);
        assert_eq!(out, "To&#109;**'s.**&#120;");
        let mut out = String::from("*Tom*");
        PROSE.push_open("**", Place::AfterClose, Some('.'), &mut out);
        assert_eq!(out, "*Tom*<!-- -->**");
        let mut out = String::from("*Tom*");
        PROSE.push_open("*", Place::AfterClose, Some('a'), &mut out);
        assert_eq!(out, "*Tom*<!-- -->*");
    }
}
