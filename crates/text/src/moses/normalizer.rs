//! Punctuation normaliser: one spelling for quotes, dashes and the spaces around punctuation.

use super::classes::is_digit;
use crate::whitespace;

/// Which quote and number conventions the language has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conventions {
    /// `",` becomes `,"`; a no-break space between digits is a decimal point.
    English,
    /// `,"` becomes `",`; a no-break space between digits is a comma.
    Continental,
    /// Quotes stay; a no-break space between digits is a decimal point.
    Other,
}

/// `MosesPunctNormalizer(lang)`.
#[derive(Debug, Clone)]
pub struct Normalizer {
    conventions: Conventions,
}

impl Normalizer {
    /// The normaliser for a two-letter language code.
    #[must_use]
    pub fn new(language: &str) -> Self {
        let conventions = match language {
            "en" => Conventions::English,
            "de" | "es" | "fr" => Conventions::Continental,
            _ => Conventions::Other,
        };
        Self { conventions }
    }

    /// `text` with normalised punctuation, without white space at the ends.
    #[must_use]
    pub fn normalize(&self, text: &str) -> String {
        let mut text = text.to_owned();
        space_brackets_and_signs(&mut text);
        plain_quotes_and_dashes(&mut text);
        no_break_spaces(&mut text);
        match self.conventions {
            Conventions::English => {
                text = stops_before_quotes(&text);
                text = join_digits(&text, '.');
            }
            Conventions::Continental => {
                replace(&mut text, ",\"", "\",");
                text = stops_after_quotes(&text);
                text = join_digits(&text, ',');
            }
            Conventions::Other => text = join_digits(&text, '.'),
        }
        whitespace::trim(&text).to_owned()
    }
}

fn space_brackets_and_signs(text: &mut String) {
    replace(text, "\r", "");
    replace(text, "(", " (");
    replace(text, ")", ") ");
    single_spaces(text);
    for sign in [".", "!", ":", "?", ";", ","] {
        // `) .` for every sign; the pieces replaced never overlap.
        replace_joined(text, ") ", sign, ")");
    }
    replace(text, "( ", "(");
    replace(text, " )", ")");
    drop_space_before_percent(text);
    replace(text, " :", ":");
    replace(text, " ;", ";");
}

fn plain_quotes_and_dashes(text: &mut String) {
    replace(text, "`", "'");
    replace(text, "''", " \" ");
    replace(text, "„", "\"");
    replace(text, "“", "\"");
    replace(text, "”", "\"");
    replace(text, "–", "-");
    replace(text, "—", " - ");
    single_spaces(text);
    replace(text, "´", "'");
    replace(text, "‘", "'");
    replace(text, "‚", "'");
    replace(text, "’", "'");
    replace(text, "''", "\"");
    replace(text, "…", "...");
    for guillemet in [
        "\u{a0}«\u{a0}",
        "«\u{a0}",
        "«",
        "\u{a0}»\u{a0}",
        "\u{a0}»",
        "»",
    ] {
        replace(text, guillemet, "\"");
    }
}

fn no_break_spaces(text: &mut String) {
    if text.contains('\u{a0}') {
        replace(text, "\u{a0}%", "%");
        replace(text, "nº\u{a0}", "nº ");
        replace(text, "\u{a0}:", ":");
        replace(text, "\u{a0}ºC", " ºC");
        replace(text, "\u{a0}cm", " cm");
        replace(text, "\u{a0}?", "?");
        replace(text, "\u{a0}!", "!");
        replace(text, "\u{a0};", ";");
        replace(text, ",\u{a0}", ", ");
    }
    single_spaces(text);
}

/// Replaces every `from`, from the left, without a new string when there is none.
fn replace(text: &mut String, from: &str, to: &str) {
    if text.contains(from) {
        *text = text.replace(from, to);
    }
}

/// Replaces `head` by `new_head` where `tail` follows.
fn replace_joined(text: &mut String, head: &str, tail: &str, new_head: &str) {
    replace(text, &[head, tail].concat(), &[new_head, tail].concat());
}

/// ` +` → one space.
fn single_spaces(text: &mut String) {
    if text.contains("  ") {
        let mut after_space = false;
        text.retain(|c| {
            let keep = c != ' ' || !after_space;
            after_space = c == ' ';
            keep
        });
    }
}

/// `(\d) %` → `\1%`.
fn drop_space_before_percent(text: &mut String) {
    if !text.contains(" %") {
        return;
    }
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split(" %");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let after_digit = out.chars().next_back().is_some_and(is_digit);
        out.push_str(if after_digit { "%" } else { " %" });
        out.push_str(piece);
    }
    *text = out;
}

/// `"([,.]+)` → `\1"`.
fn stops_before_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        let (before, after) = (&rest[..quote], &rest[quote + 1..]);
        let stops = after.len() - after.trim_start_matches([',', '.']).len();
        out.push_str(before);
        out.push_str(&after[..stops]);
        out.push('"');
        rest = &after[stops..];
    }
    out.push_str(rest);
    out
}

/// `(\.+)"(\s*[^<])` → `"\1\2`: full stops move behind the quote unless it ends the text.
///
/// The white space and character behind the quote belong to the match, so they start no other.
fn stops_after_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(quote) = rest.find(".\"").map(|dot| dot + 1) {
        let before = rest[..quote].trim_end_matches('.');
        let after = &rest[quote + 1..];
        let consumed = consumed_behind_quote(after);
        if consumed == 0 {
            out.push_str(&rest[..=quote]);
        } else {
            out.push_str(before);
            out.push('"');
            out.push_str(&rest[before.len()..quote]);
            out.push_str(&after[..consumed]);
        }
        rest = &after[consumed..];
    }
    out.push_str(rest);
    out
}

/// Bytes that `\s*[^<]` takes at the start of `after`, 0 if it does not match.
fn consumed_behind_quote(after: &str) -> usize {
    let spaces = after.len() - after.trim_start_matches(whitespace::is_space).len();
    match after[spaces..].chars().next() {
        Some(c) if c != '<' => spaces + c.len_utf8(),
        // `\s*` gives its last space back to `[^<]`.
        _ => spaces,
    }
}

/// `(\d)<no-break space>(\d)` → `\1<mark>\2`; the second digit starts no other match.
fn join_digits(text: &str, mark: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous_is_free_digit = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next_digit = chars.peek().copied().filter(|&next| is_digit(next));
        match next_digit {
            Some(next) if c == '\u{a0}' && previous_is_free_digit => {
                out.push(mark);
                out.push(next);
                chars.next();
                previous_is_free_digit = false;
            }
            _ => {
                out.push(c);
                previous_is_free_digit = is_digit(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalize(language: &str, text: &str) -> String {
        Normalizer::new(language).normalize(text)
    }

    #[test]
    fn quotes_and_stops_by_language() {
        assert_eq!(normalize("en", "“Yes”, he said."), "\"Yes,\" he said.");
        assert_eq!(normalize("fr", "« Oui,» dit-il."), "\" Oui\", dit-il.");
        assert_eq!(normalize("es", "Dijo \"no.\" Y"), "Dijo \"no\". Y");
        assert_eq!(normalize("es", "Dijo \"no.\""), "Dijo \"no.\"");
        assert_eq!(normalize("de", ".\".\".\" x"), "\"..\"\". x");
    }

    #[test]
    fn no_break_space_between_digits() {
        assert_eq!(normalize("en", "1\u{a0}2\u{a0}3"), "1.2\u{a0}3");
        assert_eq!(normalize("fr", "1\u{a0}234"), "1,234");
    }

    #[test]
    fn spaces_around_brackets_and_signs() {
        assert_eq!(
            normalize("en", "a(b)c ( d ) . 5 % x ;"),
            "a (b) c (d). 5% x;"
        );
    }
}
