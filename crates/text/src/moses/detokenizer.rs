//! Moses detokenizer: tokens back to running text.

use super::classes::{is_cjk, is_currency, is_letter};
use crate::whitespace;
use std::collections::HashMap;

/// `MosesDetokenizer(lang)`.
#[derive(Debug, Clone)]
pub struct Detokenizer {
    english: bool,
    french: bool,
    /// Contractions keep their apostrophe on the left word (`l' homme` → `l'homme`).
    elisions: bool,
    korean: bool,
}

impl Detokenizer {
    /// The detokenizer for a two-letter language code.
    #[must_use]
    pub fn new(language: &str) -> Self {
        Self {
            english: language == "en",
            french: language == "fr",
            elisions: matches!(language, "fr" | "it" | "ga"),
            korean: language == "ko",
        }
    }

    /// The text of `tokens` (any white space between them), with XML characters unescaped.
    #[must_use]
    pub fn detokenize(&self, tokens: &str) -> String {
        let mut text = String::with_capacity(tokens.len() + 2);
        text.push(' ');
        for token in whitespace::split(tokens) {
            text.push_str(token);
            text.push(' ');
        }
        if text.contains(" @-@ ") {
            text = text.replace(" @-@ ", "-");
        }
        let text = unescape(text);
        let tokens: Vec<&str> = whitespace::split(&text).collect();
        whitespace::trim(&self.join(&tokens)).to_owned()
    }

    fn join(&self, tokens: &[&str]) -> String {
        let mut out = Joined::default();
        let mut quotes: HashMap<&str, u32> = HashMap::new();
        for (i, &token) in tokens.iter().enumerate() {
            let previous = i.checked_sub(1).map(|p| tokens[p]);
            let next = tokens.get(i + 1).copied();
            if starts_with(token, is_cjk) && !self.korean {
                if previous.is_some_and(|p| p.chars().next_back().is_some_and(is_cjk)) {
                    out.glue(token);
                } else {
                    out.word(token);
                }
            } else if token.chars().all(opens_right) {
                out.prefix(token);
            } else if token.chars().all(is_closing_mark) {
                if self.french && matches!(token, "?" | "!" | ":" | ";" | "\\" | "%") {
                    out.glue(" ");
                }
                out.glue(token);
            } else if self.english && i > 0 && is_english_contraction(token) {
                out.glue(token);
            } else if self.elisions
                && ends_in_elision(token)
                && next.is_some_and(|next| starts_with(next, is_letter))
            {
                out.prefix(token);
            } else if token
                .chars()
                .all(|c| matches!(c, '\'' | '"' | '„' | '“' | '`'))
            {
                let plain = token.chars().all(|c| matches!(c, '„' | '“'));
                let count = quotes.entry(if plain { "\"" } else { token }).or_default();
                let closes = *count % 2 == 1;
                let possessive = self.english
                    && token == "'"
                    && previous.is_some_and(|previous| previous.ends_with('s'));
                if closes {
                    out.glue(token);
                    *count += 1;
                } else if possessive {
                    out.glue(token);
                } else {
                    out.prefix(token);
                    *count += 1;
                }
            } else {
                out.word(token);
            }
        }
        out.text
    }
}

/// Text under construction; at most one space is ever written in a row.
#[derive(Default)]
struct Joined {
    text: String,
    glue_next: bool,
}

impl Joined {
    /// `token` as a word of its own.
    fn word(&mut self, token: &str) {
        self.prefix(token);
        self.glue_next = false;
    }

    /// `token` after a space, with the next one glued to it.
    fn prefix(&mut self, token: &str) {
        if !self.glue_next && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
        self.text.push_str(token);
        self.glue_next = true;
    }

    /// `token` glued to what is before it.
    fn glue(&mut self, token: &str) {
        if token != " " || !self.text.ends_with(' ') {
            self.text.push_str(token);
        }
        self.glue_next = false;
    }
}

fn starts_with(token: &str, class: impl Fn(char) -> bool) -> bool {
    token.chars().next().is_some_and(class)
}

/// Currency signs and other characters that stand before a word.
fn opens_right(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '¿' | '¡') || is_currency(c)
}

fn is_closing_mark(c: char) -> bool {
    matches!(
        c,
        ',' | '.' | '?' | '!' | ':' | ';' | '\\' | '%' | '}' | ']' | ')'
    )
}

/// `^['][IsAlpha]`
fn is_english_contraction(token: &str) -> bool {
    token
        .strip_prefix('\'')
        .is_some_and(|rest| starts_with(rest, is_letter))
}

/// `[IsAlpha][']$`
fn ends_in_elision(token: &str) -> bool {
    token
        .strip_suffix('\'')
        .is_some_and(|rest| rest.chars().next_back().is_some_and(is_letter))
}

/// XML characters in the order of the original, `&amp;` last, so that `&amp;lt;` becomes `&lt;`.
fn unescape(mut text: String) -> String {
    if text.contains('&') {
        for (from, to) in [
            ("&bar;", "|"),
            ("&#124;", "|"),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&bra;", "["),
            ("&ket;", "]"),
            ("&quot;", "\""),
            ("&apos;", "'"),
            ("&#91;", "["),
            ("&#93;", "]"),
            ("&amp;", "&"),
        ] {
            if text.contains(from) {
                text = text.replace(from, to);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glues_punctuation_quotes_and_contractions() {
        let english = Detokenizer::new("en");
        assert_eq!(
            english.detokenize("Hello , &quot; world &quot; !"),
            "Hello, \"world\"!"
        );
        assert_eq!(
            english.detokenize("I can &apos;t pay $ 5 ( now )"),
            "I can't pay $5 (now)"
        );
        assert_eq!(
            english.detokenize("a well @-@ known Jones &apos; house"),
            "a well-known Jones' house"
        );
        let french = Detokenizer::new("fr");
        assert_eq!(
            french.detokenize("l&apos; homme , quoi ?"),
            "l'homme, quoi ?"
        );
    }

    #[test]
    fn cjk_words_are_joined() {
        assert_eq!(
            Detokenizer::new("zh").detokenize("我们 去 学校 now 吧"),
            "我们去学校 now 吧"
        );
    }
}
