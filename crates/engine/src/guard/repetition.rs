//! Loops: a piece that a translation repeats more often than its source.

use std::ops::Range;

/// Longest piece of a loop, in words and in characters of one word.
const MAX_WORDS: usize = 4;
const MAX_CHARS: usize = 8;

/// How often a text repeats a piece of up to four characters in a row; at least 1. Digits and
/// marks do not count.
pub(crate) fn repeats(source: &str) -> usize {
    let chars: Vec<char> = source.chars().filter(|c| c.is_alphabetic()).collect();
    (1..=MAX_WORDS)
        .map(|period| longest(&chars, period) / period + 1)
        .max()
        .unwrap_or(1)
}

/// The first loop of `text`: what goes beyond the `allowed` repetitions. Words that occur in
/// `source` may look as they like.
pub(crate) fn find(text: &str, source: &str, allowed: usize) -> Option<Range<usize>> {
    let words: Vec<(usize, String)> = words(text);
    let phrases = (1..=MAX_WORDS).filter_map(|period| {
        let same = |i: usize| words[i].1 == words[i - period].1;
        let run = excess(words.len(), period, allowed.max(2), same)?;
        Some(words[run.start].0..words.get(run.end).map_or(text.len(), |word| word.0))
    });
    let within = words.iter().filter_map(|(at, word)| {
        if source.contains(word.as_str()) || source.contains(&text[*at..*at + word.len()]) {
            return None;
        }
        let chars: Vec<(usize, char)> = word.char_indices().collect();
        let runs = (1..=MAX_CHARS).filter_map(|period| {
            let least = if period == 1 { 3 } else { 2 };
            let same = |i: usize| chars[i].1 == chars[i - period].1 && chars[i].1.is_alphabetic();
            let run = excess(chars.len(), period, allowed.max(least), same)?;
            Some(at + chars[run.start].0..at + chars.get(run.end).map_or(word.len(), |c| c.0))
        });
        runs.min_by_key(|run| run.start)
    });
    phrases.chain(within).min_by_key(|run| run.start)
}

/// `text` without its loops.
pub(crate) fn collapse(text: &mut String, source: &str, allowed: usize) {
    while let Some(range) = find(text, source, allowed) {
        text.replace_range(range, "");
    }
    let kept = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '/'));
    text.truncate(kept.len());
}

/// Takes out the second of two equal words that never stand side by side: `of of`.
pub(crate) fn without_doubles(text: &mut String, source: &str) {
    const WORDS: [&str; 11] = [
        "the", "a", "an", "and", "of", "to", "in", "for", "with", "or", "but",
    ];
    let mut end = 0;
    while let Some(at) = text[end..].find(' ').map(|at| end + at) {
        let first = text[..at].rsplit(' ').next().unwrap_or_default();
        let len = text[at + 1..].find(' ').unwrap_or(text.len() - at - 1);
        let second = &text[at + 1..at + 1 + len];
        let same = first.eq_ignore_ascii_case(second)
            && WORDS.iter().any(|word| word.eq_ignore_ascii_case(first));
        if same && !source.contains(&text[at - first.len()..at + 1 + len]) {
            text.replace_range(at..at + 1 + len, "");
            end = at;
        } else {
            end = at + 1;
        }
    }
}

/// How many words begin with the same letters twice, as in `invinvitation`.
pub(crate) fn stutters(text: &str) -> usize {
    let doubled = |word: &str| {
        let bytes = word.as_bytes();
        word.is_ascii()
            && (3..=MAX_CHARS).any(|n| bytes.len() > 2 * n && bytes[..n] == bytes[n..2 * n])
    };
    words(text).iter().filter(|(_, word)| doubled(word)).count()
}

/// The elements of the first run beyond the allowed number of repetitions.
fn excess(
    len: usize,
    period: usize,
    allowed: usize,
    same: impl Fn(usize) -> bool,
) -> Option<Range<usize>> {
    let mut run = 0;
    for i in period..=len {
        if i < len && same(i) {
            run += 1;
        } else if run >= period * allowed {
            // Whole repetitions, so that what they end with stays.
            let start = i - run + period * (allowed - 1);
            return Some(start..start + (i - start) / period * period);
        } else {
            run = 0;
        }
    }
    None
}

/// Length of the longest run in which every character equals the one `period` before it.
fn longest(chars: &[char], period: usize) -> usize {
    let (mut run, mut most) = (0, 0);
    for i in period..chars.len() {
        run = if chars[i] == chars[i - period] {
            run + 1
        } else {
            0
        };
        most = most.max(run);
    }
    most
}

/// Words in lower case without the marks around them, and where they begin.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let mut at = 0;
    for part in text.split(|c: char| c.is_whitespace() || matches!(c, '-' | ',' | '/')) {
        let word = part.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            let start = at + (word.as_ptr() as usize - part.as_ptr() as usize);
            let lower = word.to_lowercase();
            // Lower case of a few letters has another length; offsets are for equal ones only.
            words.push((
                start,
                if lower.len() == word.len() {
                    lower
                } else {
                    word.to_owned()
                },
            ));
        }
        at += part.len()
            + text[at + part.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_words_and_within_words_are_found() {
        for (text, kept) in [
            ("go on and on and on and on and on", "go on and on and on"),
            ("the the the the cat", "the the cat"),
            ("he imusususustice", "he imusustice"),
            ("no no, no", "no no"),
        ] {
            let mut collapsed = text.to_owned();
            collapse(&mut collapsed, "", 1);
            assert_eq!(collapsed, kept);
        }
        for text in [
            "a very very good day",
            "Mississippi",
            "hahaha 2000 aaa@b",
            "one, two, one, two",
        ] {
            assert!(find(text, "hahaha aaa", 2).is_none(), "{text}");
        }
        assert!(find("no no no no no", "", 5).is_none());
    }

    #[test]
    fn the_source_says_how_often() {
        assert_eq!(repeats("哈哈哈哈哈"), 5);
        assert_eq!(repeats("好的好的好的"), 3);
        assert_eq!(repeats("你好，10000"), 1);
    }

    #[test]
    fn small_words_stand_once() {
        for (text, kept) in [
            ("The the cat and and and a dog", "The cat and a dog"),
            ("had had that that", "had had that that"),
            ("of of", "of"),
            ("他 in in", "他 in"),
        ] {
            let mut once = text.to_owned();
            without_doubles(&mut once, "");
            assert_eq!(once, kept);
        }
        let mut quoted = "the band the the".to_owned();
        without_doubles(&mut quoted, "the the乐队");
        assert_eq!(quoted, "the band the the");
    }

    #[test]
    fn stutters_are_counted() {
        assert_eq!(
            stutters("an invinvitation to seriserial Mississippi cancan"),
            2
        );
    }
}
