//! Moses tokenizer: words and punctuation set apart by single spaces, XML characters escaped.

use super::classes::{is_alnum, is_alpha, is_lower, is_number};
use super::prefixes::Prefixes;
use crate::whitespace;

/// On which side of an apostrophe between two letters the word is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Apostrophe {
    /// `can 't`
    BeforeIt,
    /// `l' homme`
    AfterIt,
    /// `a ' b`
    Alone,
}

/// `MosesTokenizer(lang)`.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    apostrophe: Apostrophe,
    prefixes: Prefixes,
    han_is_alpha: bool,
    split_dashes: bool,
}

impl Tokenizer {
    /// The tokenizer for a two-letter code; `split_dashes` turns `a-b` into `a @-@ b`.
    #[must_use]
    pub fn new(language: &str, split_dashes: bool) -> Self {
        let apostrophe = match language {
            "en" => Apostrophe::BeforeIt,
            "fr" | "it" => Apostrophe::AfterIt,
            _ => Apostrophe::Alone,
        };
        Self {
            apostrophe,
            prefixes: Prefixes::new(language),
            han_is_alpha: language == "zh",
            split_dashes,
        }
    }

    /// The tokens of `text` with spaces between them.
    #[must_use]
    pub fn tokenize(&self, text: &str) -> String {
        let text = self.clean_and_pad(text);
        let text = self.mark_dashes_and_dots(&text);
        let text = self.split_commas(&text);
        let text = self.split_apostrophes(text);
        let mut text = self.split_full_stops(&text);
        if text.ends_with(".'") {
            text.truncate(text.len() - 2);
            text.push_str(" . ' ");
        }
        escape(&restore_dots(&text))
    }

    /// White space to single spaces, control characters out, and a space on either side of
    /// everything but letters, digits and ``.'`,-``.
    fn clean_and_pad(&self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        for c in text.chars() {
            if whitespace::is_space(c) {
                if !clean.ends_with(' ') {
                    clean.push(' ');
                }
            } else if c > '\u{1f}' {
                clean.push(c);
            }
        }
        let mut out = String::with_capacity(text.len() + text.len() / 4);
        for c in clean.trim_matches(' ').chars() {
            if matches!(c, ' ' | '.' | '\'' | '`' | ',' | '-') || is_alnum(c, self.han_is_alpha) {
                out.push(c);
            } else {
                out.extend([' ', c, ' ']);
            }
        }
        out
    }

    /// `a-b` → `a @-@ b`, and a run of k ≥ 2 full stops → ` DOT…DOTMULTI` with k times `DOT`, which
    /// no later rule takes apart.
    fn mark_dashes_and_dots(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        let mut rest = text;
        let mut previous = None;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            rest = after;
            match c {
                '-' if self.split_dashes
                    && previous.is_some_and(|p| is_alnum(p, self.han_is_alpha))
                    && after
                        .chars()
                        .next()
                        .is_some_and(|n| is_alnum(n, self.han_is_alpha)) =>
                {
                    out.push_str(" @-@ ");
                }
                '.' if after.starts_with('.') => {
                    rest = after.trim_start_matches('.');
                    out.push(' ');
                    for _ in 0..=after.len() - rest.len() {
                        out.push_str("DOT");
                    }
                    out.push_str("MULTI");
                    if !rest.is_empty() {
                        out.push(' ');
                    }
                }
                _ => out.push(c),
            }
            previous = Some(c);
        }
        out
    }

    /// Splits off commas except between numbers. Three rules in turn, each of which takes the
    /// character beside the comma with it, so that it starts no other match of the same rule.
    fn split_commas(&self, text: &str) -> String {
        let mut before = String::with_capacity(text.len() + 16);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            before.push(c);
            if !is_number(c) && chars.next_if_eq(&',').is_some() {
                before.push_str(" , ");
            }
        }
        let mut out = String::with_capacity(before.len() + 16);
        let mut chars = before.chars().peekable();
        while let Some(c) = chars.next() {
            match chars.peek() {
                Some(&next) if c == ',' && !is_number(next) => {
                    out.push_str(" , ");
                    out.push(next);
                    chars.next();
                }
                _ => out.push(c),
            }
        }
        let mut from_end = out.chars().rev();
        if from_end.next() == Some(',') && from_end.next().is_some_and(is_number) {
            out.pop();
            out.push_str(" , ");
        }
        out
    }

    fn split_apostrophes(&self, mut text: String) -> String {
        if !text.contains('\'') {
            return text;
        }
        let alpha = |c| is_alpha(c, self.han_is_alpha);
        let other = |c| !is_alpha(c, self.han_is_alpha);
        match self.apostrophe {
            Apostrophe::Alone => text.replace('\'', " ' "),
            Apostrophe::BeforeIt => {
                text = split_between(&text, other, other, " ' ");
                text = split_between(&text, |c| other(c) && !is_number(c), alpha, " ' ");
                text = split_between(&text, alpha, other, " ' ");
                text = split_between(&text, alpha, alpha, " '");
                split_between(&text, is_number, |c| c == 's', " '")
            }
            Apostrophe::AfterIt => {
                text = split_between(&text, other, other, " ' ");
                text = split_between(&text, other, alpha, " ' ");
                text = split_between(&text, alpha, other, " ' ");
                split_between(&text, alpha, alpha, "' ")
            }
        }
    }

    /// Splits off the full stop at a word's end unless the word is an abbreviation or a lower-case
    /// word follows; leaves single spaces.
    fn split_full_stops(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 8);
        let mut words = whitespace::split(text).peekable();
        while let Some(word) = words.next() {
            if !out.is_empty() {
                out.push(' ');
            }
            match word.strip_suffix('.') {
                Some(prefix)
                    if !prefix.is_empty() && !self.keeps_stop(prefix, words.peek().copied()) =>
                {
                    out.push_str(prefix);
                    out.push_str(" .");
                }
                _ => out.push_str(word),
            }
        }
        out
    }

    fn keeps_stop(&self, prefix: &str, next: Option<&str>) -> bool {
        let next = next.and_then(|word| word.chars().next());
        (prefix.contains('.') && prefix.chars().any(|c| is_alpha(c, self.han_is_alpha)))
            || self.prefixes.always(prefix)
            || next.is_some_and(is_lower)
            || (self.prefixes.before_digits(prefix) && next.is_some_and(|c| c.is_ascii_digit()))
    }
}

/// Replaces `'` by `spaced` where the character before satisfies `left` and the one behind
/// `right`. The character behind belongs to the match and is not the left side of another.
fn split_between(
    text: &str,
    left: impl Fn(char) -> bool,
    right: impl Fn(char) -> bool,
    spaced: &str,
) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut free_left: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let matched = (c == '\'' && free_left.is_some_and(&left))
            .then(|| chars.next_if(|&next| right(next)))
            .flatten();
        match matched {
            Some(next) => {
                out.push_str(spaced);
                out.push(next);
                free_left = None;
            }
            None => {
                out.push(c);
                free_left = Some(c);
            }
        }
    }
    out
}

/// `(DOT)+MULTI` → as many full stops.
fn restore_dots(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(marker) = rest.find("DOTMULTI") {
        // `find` gives the last DOT of a run; the ones before it belong to the marker as well.
        let before = rest[..marker].trim_end_matches("DOT");
        out.push_str(before);
        for _ in 0..=(marker - before.len()) / 3 {
            out.push('.');
        }
        rest = &rest[marker + "DOTMULTI".len()..];
    }
    out.push_str(rest);
    out
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '|' => out.push_str("&#124;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            '[' => out.push_str("&#91;"),
            ']' => out.push_str("&#93;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apostrophes_by_language() {
        assert_eq!(Tokenizer::new("en", true).tokenize("can't"), "can &apos;t");
        assert_eq!(
            Tokenizer::new("fr", true).tokenize("l'homme"),
            "l&apos; homme"
        );
        assert_eq!(
            Tokenizer::new("es", true).tokenize("l'homme"),
            "l &apos; homme"
        );
    }

    #[test]
    fn dashes_dots_commas_and_stops() {
        let tokenizer = Tokenizer::new("en", true);
        assert_eq!(
            tokenizer.tokenize("a-b-c, 1,000... Mr. X."),
            "a @-@ b @-@ c , 1,000 ... Mr. X."
        );
        assert_eq!(Tokenizer::new("en", false).tokenize("a-b"), "a-b");
        assert_eq!(tokenizer.tokenize("No. 5 No. x. Y"), "No. 5 No. x . Y");
    }
}
