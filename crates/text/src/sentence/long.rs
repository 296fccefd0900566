//! Over-long sentences: cut at the best inner punctuation, nothing dropped.

use super::characters::{closes, ends_sentence, is_cjk};
use crate::invisible;
use std::ops::Range;

/// Weight of a CJK character; any other weighs 1, since about two Latin letters carry as much.
pub(super) const WIDE: usize = 2;

/// The share of `c` in the length of a sentence.
pub(super) fn weight(c: char) -> usize {
    if is_cjk(c) { WIDE } else { 1 }
}

/// How good a place is to cut, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Quality {
    Sentence,
    Clause,
    Phrase,
    Word,
}

/// Pushes `sentence` onto `out`, in pieces of at most `max_chars` CJK characters each.
pub(super) fn cut(
    line: &str,
    sentence: Range<usize>,
    max_chars: usize,
    out: &mut Vec<Range<usize>>,
) {
    // Room for a few words, so that every cut makes progress.
    let limit = max_chars.max(4) * WIDE;
    let mut left: usize = line[sentence.clone()].chars().map(weight).sum();
    let mut start = sentence.start;
    while left > limit {
        // The last two pieces share what is left evenly.
        let aim = if left < 2 * limit {
            left.div_ceil(2)
        } else {
            limit
        };
        let length = best_cut(&line[start..sentence.end], limit, aim);
        push(line, start..start + length, out);
        left -= line[start..start + length]
            .chars()
            .map(weight)
            .sum::<usize>();
        start += length;
    }
    push(line, start..sentence.end, out);
}

fn push(line: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    let text = &line[range.clone()];
    let trimmed = invisible::trim(text);
    if !trimmed.is_empty() {
        let start = range.start + text.len() - text.trim_start_matches(invisible::is_gap).len();
        out.push(start..start + trimmed.len());
    }
}

/// Bytes of `text` (which weighs more than `limit`) for the first piece.
fn best_cut(text: &str, limit: usize, aim: usize) -> usize {
    let mut best: Option<(Quality, usize, usize)> = None;
    let mut sum = 0;
    let mut fallback = 0;
    let mut chars = text.char_indices().peekable();
    let mut before_closing: Option<Quality> = None;
    let mut previous = None;
    while let Some((at, c)) = chars.next() {
        sum += weight(c);
        if sum > limit {
            break;
        }
        let end = at + c.len_utf8();
        fallback = end;
        let next = chars.peek().map(|&(_, next)| next);
        // Closing marks stay with the punctuation before them.
        let quality = match before_closing {
            Some(quality) if closes(c) => Some(quality),
            _ => quality_behind(previous, c, next),
        };
        before_closing = quality.filter(|&quality| quality < Quality::Word);
        previous = Some(c);
        let stays = next.is_some_and(|next| closes(next) && next != '"' || ends_sentence(next));
        if let Some(quality) = quality
            && !stays
            && sum * 4 >= limit
        {
            let candidate = (quality, sum.abs_diff(aim), end);
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
    }
    best.map_or(fallback, |(_, _, end)| end)
}

/// How good a cut between `c` and `next` is, `None` inside a word, number or cluster.
fn quality_behind(previous: Option<char>, c: char, next: Option<char>) -> Option<Quality> {
    let next = next?;
    let free = invisible::is_gap(next) || is_cjk(next);
    match c {
        '。' | '！' | '？' | '；' | '｡' | '…' => Some(Quality::Sentence),
        '!' | '?' | ';' if free => Some(Quality::Sentence),
        '，' | '：' => Some(Quality::Clause),
        ',' | ':' if free && !(digit(previous) && digit(Some(next))) => Some(Quality::Clause),
        '、' | '—' => Some(Quality::Phrase),
        _ if invisible::is_gap(c) => Some(Quality::Phrase),
        _ if joins(next) || joins(c) => None,
        _ if invisible::is_gap(next) => Some(Quality::Phrase),
        _ if is_cjk(c) && is_cjk(next) && !super::characters::is_opening(c) => Some(Quality::Word),
        _ if is_cjk(c) != is_cjk(next) && !c.is_numeric() && !next.is_numeric() => {
            Some(Quality::Word)
        }
        _ => None,
    }
}

fn digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

/// Characters that form one cluster with a neighbour: joiners, variation selectors, combining and
/// emoji modifiers.
fn joins(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0300..=0x036f | 0x200c | 0x200d | 0x20d0..=0x20ff | 0x3099 | 0x309a | 0xfe00..=0xfe0f
            | 0x1_f3fb..=0x1_f3ff | 0xe_0000..=0xe_01ef
    )
}
