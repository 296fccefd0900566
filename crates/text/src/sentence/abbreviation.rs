//! Full stops and semicolons that belong to the word before them.

use super::characters::{is_cjk, is_opening};
use crate::invisible;
use crate::moses::Prefixes;

/// Longest word that is looked at, in characters.
const LONGEST: usize = 24;

/// Whether the full stop behind `sentence` (the text of the sentence so far) ends no sentence
/// because the last word is an abbreviation or a list number.
pub(super) fn keeps_stop(sentence: &str, abbreviations: &Prefixes) -> bool {
    let word = last_word(sentence);
    if word.is_empty() {
        return false;
    }
    let opens_sentence = sentence.len() == word.len();
    (opens_sentence && is_list_number(word))
        || abbreviations.always(word)
        || abbreviations.before_digits(word)
        || (word.contains('.')
            && word
                .split('.')
                .all(|part| part.chars().all(char::is_alphabetic) && part.chars().nth(2).is_none()))
}

/// Whether a full stop directly between `sentence` and a CJK character can end the sentence: 好.你
/// and OK.你, but not 3.你, U.S.你 or etc.你.
pub(super) fn ends_unspaced(sentence: &str) -> bool {
    const MID_SENTENCE: [&str; 8] = ["etc", "vs", "Inc", "Ltd", "Co", "Corp", "al", "vol"];
    let word = last_word(sentence);
    if word.is_empty() {
        return sentence.chars().next_back().is_some_and(is_cjk);
    }
    word.chars().nth(1).is_some()
        && word.chars().all(char::is_alphabetic)
        && !MID_SENTENCE.contains(&word)
}

/// Whether the text ends like a character reference without its semicolon: `&nbsp`, `&#39`.
pub(super) fn is_entity(sentence: &str) -> bool {
    last_word(sentence)
        .rsplit_once('&')
        .is_some_and(|(_, name)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#')
        })
}

fn last_word(sentence: &str) -> &str {
    let start = sentence
        .char_indices()
        .rev()
        .take(LONGEST)
        .take_while(|&(_, c)| !invisible::is_gap(c) && !is_cjk(c) && !is_opening(c))
        .last()
        .map_or(sentence.len(), |(at, _)| at);
    &sentence[start..]
}

/// `1`, `12`, `a`, `IV`: numbers of list items, which stay with the item.
fn is_list_number(word: &str) -> bool {
    let digits = word.len() <= 4 && word.bytes().all(|b| b.is_ascii_digit());
    let letter = word.len() == 1 && word.bytes().all(|b| b.is_ascii_alphabetic());
    let roman = word.len() <= 5 && word.bytes().all(|b| b"IVXivx".contains(&b));
    digits || letter || roman
}
