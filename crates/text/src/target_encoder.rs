//! Target side, the other way: the text of a translation to token ids and their place in it.
//!
//! A translation may have been altered since it was decoded (a number put right, a name put in, a
//! cached text), so its ids are not kept but found again. Models have no merge rules for the
//! language they write; every word is cut into the longest tokens that the vocabulary has, which
//! gives the original ids nearly always.

use crate::moses::Tokenizer;
use crate::vocabulary::Vocabulary;
use crate::whitespace;
use std::ops::Range;

/// XML characters as the Moses tokenizer writes them.
const ESCAPES: [(&str, char); 9] = [
    ("&amp;", '&'),
    ("&#124;", '|'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&apos;", '\''),
    ("&quot;", '"'),
    ("&#91;", '['),
    ("&#93;", ']'),
    ("@-@", '-'),
];

/// How far a character of a token may be from the one before it.
const MAX_SKIP: usize = 16;

/// Most ways in which a half-written word is continued.
const MAX_WAYS: usize = 3;

/// Finds the token ids of text in the language that a model writes.
#[derive(Debug, Clone)]
pub struct TargetEncoder {
    vocabulary: Vocabulary,
    tokenizer: Tokenizer,
    longest: usize,
}

/// A word of a translation, or a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetWord {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its token ids, at least one.
    pub ids: Vec<u32>,
}

impl TargetEncoder {
    /// An encoder for the two-letter code of the language written.
    #[must_use]
    pub fn new(tgt_lang: &str, vocabulary: Vocabulary) -> Self {
        let tokens = (0..).map_while(|id| vocabulary.token(id));
        Self {
            longest: tokens.map(str::len).max().unwrap_or(0),
            tokenizer: Tokenizer::new(tgt_lang, true),
            vocabulary,
        }
    }

    /// The words of `text` in order.
    #[must_use]
    pub fn words(&self, text: &str) -> Vec<TargetWord> {
        let tokens = self.tokenizer.tokenize(text);
        let mut words = Vec::new();
        let mut at = 0;
        for token in whitespace::split(&tokens) {
            let Some(range) = find(text, at, token) else {
                continue;
            };
            at = range.end;
            let mut ids = Vec::new();
            self.cut(token, &mut ids);
            words.push(TargetWord { range, ids });
        }
        words
    }

    /// The tokens of a text that is the beginning of a translation, in each of the ways that it may
    /// have been written; there is at least one. When nothing separates the last word from what comes
    /// next, that word may be half written: then it is left to the second list, the tokens of which one
    /// has to come next.
    #[must_use]
    pub fn beginnings(&self, text: &str) -> Vec<(Vec<u32>, Vec<u32>)> {
        let (ids, next, rest) = self.beginning(text);
        let mut all = vec![(ids.clone(), next)];
        // `Priva` begins the token `Private`, but `Privacy` may be `Priv@@ acy`.
        let lengths = rest.char_indices().map(|(at, _)| at).skip(1);
        let parts = lengths.collect::<Vec<_>>().into_iter().rev();
        let others = parts.filter_map(|len| {
            let id = self.vocabulary.id(&format!("{}@@", &rest[..len]))?;
            let next = self.going_on(&rest[len..]);
            let ids = ids.iter().copied().chain([id]).collect();
            (!next.is_empty()).then_some((ids, next))
        });
        all.extend(others.take(MAX_WAYS - 1));
        all
    }

    /// The way with the longest tokens, and what of the last word is left to the second list.
    fn beginning(&self, text: &str) -> (Vec<u32>, Vec<u32>, String) {
        // A hyphen behind a word is one within a word: something follows.
        let hyphenated = text
            .strip_suffix('-')
            .is_some_and(|text| text.ends_with(|c: char| c.is_alphanumeric()));
        let mut words = if hyphenated {
            let mut words = self.words(&format!("{text}a"));
            words.pop();
            words
        } else {
            self.words(text)
        };
        let open = text.ends_with(|c: char| c.is_alphanumeric());
        let last = if open { words.pop() } else { None };
        let mut ids: Vec<u32> = words.into_iter().flat_map(|word| word.ids).collect();
        let Some(last) = last else {
            return (ids, Vec::new(), String::new());
        };
        let word = escaped(&text[last.range]);
        let mut rest = &word[..];
        loop {
            let next = self.going_on(rest);
            if !next.is_empty() {
                return (ids, next, rest.to_owned());
            }
            // No token begins with all of it: the longest part that goes on comes first.
            let Some((id, len)) = self.longest_part(rest) else {
                let tail = self.tokens_of(rest);
                ids.extend(tail);
                return (ids, Vec::new(), String::new());
            };
            ids.push(id);
            rest = &rest[len..];
        }
    }

    /// The tokens that begin with `text`.
    fn going_on(&self, text: &str) -> Vec<u32> {
        let begins = |id: &u32| {
            let token = self.vocabulary.token(*id).unwrap_or_default();
            *id != crate::EOS && token.starts_with(text)
        };
        let ids = 0..u32::try_from(self.vocabulary.len()).unwrap_or(0);
        ids.filter(begins).collect()
    }

    /// The longest token that a word goes on after, at the beginning of `text` but not all of it.
    fn longest_part(&self, text: &str) -> Option<(u32, usize)> {
        let lengths = text.char_indices().map(|(at, _)| at).skip(1);
        let known = |len: usize| Some((self.vocabulary.id(&format!("{}@@", &text[..len]))?, len));
        lengths
            .filter(|&len| len <= self.longest)
            .filter_map(known)
            .last()
    }

    fn tokens_of(&self, word: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.cut(word, &mut ids);
        ids
    }

    /// The tokens of a word, each as long as possible.
    fn cut(&self, word: &str, ids: &mut Vec<u32>) {
        if let Some(id) = self.vocabulary.id(word) {
            ids.push(id);
            return;
        }
        let mut rest = word;
        let mut key = String::new();
        while !rest.is_empty() {
            let lengths = rest
                .char_indices()
                .map(|(at, c)| at + c.len_utf8())
                .take_while(|&len| len <= self.longest);
            let found = lengths
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .find_map(|len| {
                    key.clear();
                    key.push_str(&rest[..len]);
                    if len < rest.len() {
                        key.push_str("@@");
                    }
                    self.vocabulary.id(&key).map(|id| (id, len))
                });
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let (id, len) = found.unwrap_or((self.vocabulary.unk(), first));
            ids.push(id);
            rest = &rest[len..];
        }
    }
}

/// A word as the Moses tokenizer writes it.
fn escaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match ESCAPES.iter().find(|(_, character)| *character == c) {
            Some((escape, _)) => out.push_str(escape),
            None => out.push(c),
        }
    }
    out
}

/// The bytes of a token in the text it was made of, at or soon behind `at`.
fn find(text: &str, at: usize, token: &str) -> Option<Range<usize>> {
    let (mut start, mut end) = (None, at);
    let mut rest = token;
    while let Some(first) = rest.chars().next() {
        let escape = ESCAPES.iter().find(|(escape, _)| rest.starts_with(escape));
        let (len, wanted) =
            escape.map_or((first.len_utf8(), first), |(escape, c)| (escape.len(), *c));
        rest = &rest[len..];
        let place = text[end..]
            .char_indices()
            .take(MAX_SKIP)
            .find(|(_, c)| *c == wanted);
        if let Some((skipped, c)) = place {
            start = start.or(Some(end + skipped));
            end += skipped + c.len_utf8();
        }
    }
    start.map(|start| start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoder(tokens: &str) -> TargetEncoder {
        let size = tokens.lines().count() + 1;
        TargetEncoder::new("en", Vocabulary::parse(tokens.as_bytes(), size).unwrap())
    }

    #[test]
    fn words_know_their_place_and_their_tokens() {
        let encoder = encoder("</s>\nwell\n@-@\nknown\n&apos;s\nun@@\nkno@@\nwn\n&quot;\n.");
        let text = "  \"well-known's\" unknown… ";
        let words = encoder.words(text);
        let found: Vec<(&str, &[u32])> = words
            .iter()
            .map(|word| (&text[word.range.clone()], &word.ids[..]))
            .collect();
        let expected: [(&str, &[u32]); 7] = [
            ("\"", &[8]),
            ("well", &[1]),
            ("-", &[2]),
            ("known", &[3]),
            ("'s", &[4]),
            ("\"", &[8]),
            ("unknown", &[5, 3]),
        ];
        assert_eq!(found[..7], expected);
        assert_eq!(found[7], ("…", &[10][..]));
    }

    #[test]
    fn a_half_written_word_leaves_a_choice() {
        let encoder = encoder("</s>\nwe\ntrans@@\ntransport\nlate\nl@@\nate\nlove");
        let one = |text: &str| {
            let mut all = encoder.beginnings(text);
            assert_eq!(all.len(), 1, "{text}: {all:?}");
            all.remove(0)
        };
        assert_eq!(one(""), (vec![], vec![]));
        assert_eq!(one("we "), (vec![1], vec![]));
        assert_eq!(one("we tr"), (vec![1], vec![2, 3]));
        assert_eq!(one("we transl"), (vec![1, 2], vec![4, 5, 7]));
        assert_eq!(one("we xy"), (vec![1, 8, 8], vec![]));
        // late, and l@@ ate
        let found = encoder.beginnings("translat");
        assert_eq!(found, [(vec![2], vec![4]), (vec![2, 5], vec![6])]);
    }

    #[test]
    fn a_hyphen_behind_a_word_is_one_within_it() {
        let encoder = encoder("</s>\nwell\n@-@\nknown\n-");
        assert_eq!(encoder.beginnings("well-"), [(vec![1, 2], vec![])]);
        assert_eq!(encoder.beginnings("well -"), [(vec![1, 4], vec![])]);
    }

    #[test]
    fn places_are_in_order_whatever_the_text() {
        let encoder = encoder("</s>\na");
        for text in [
            "",
            " ",
            "a.b.c...d",
            "&amp;&lt; a&b",
            "x'y''z",
            "1,000,000.5 @-@ 好a\u{0}b",
            "@@ <unk>",
        ] {
            let mut end = 0;
            for word in encoder.words(text) {
                assert!(word.range.start >= end && !text[word.range.clone()].is_empty());
                assert!(!word.ids.is_empty());
                end = word.range.end;
            }
        }
    }
}
