//! Brackets and quotation marks that have lost their partner in a translation.

use std::ops::Range;

use csanmt_text::protect::Span;
use csanmt_text::script::is_han;

/// A mark of a text without its partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Torn {
    at: usize,
    opens: bool,
    mark: char,
}

/// Whether a text has a bracket or quotation mark without its partner, while the source has none.
pub(crate) fn are_torn(source: &str, text: &str) -> bool {
    text.contains(['(', ')', '"', '“', '”']) && !torn(text).is_empty() && is_whole(source)
}

/// The brackets around words that the first level of a text has, from the opening one to
/// behind the closing one.
pub(crate) fn pairs(source: &str) -> Vec<Range<usize>> {
    let mut pairs = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in source.char_indices() {
        match c {
            '(' | '（' => {
                start = if depth == 0 { at } else { start };
                depth += 1;
            }
            ')' | '）' if depth == 1 => {
                depth = 0;
                // 刚果（金） and （男） are words of their own, （12） and （一） are numbers.
                let inner = &source[start..at];
                let han = inner.chars().filter(|&c| is_han(c)).count();
                if han > 1 || inner.contains(|c: char| c.is_ascii_alphabetic()) {
                    pairs.push(start..at + c.len_utf8());
                }
            }
            ')' | '）' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    pairs
}

/// The number of brackets around words that are no part of what is protected.
pub(crate) fn count(source: &str, spans: &[Span]) -> usize {
    let free = |pair: &Range<usize>| {
        let within = |span: &Span| span.range.start <= pair.start && pair.end <= span.range.end;
        !spans.iter().any(within)
    };
    pairs(source).iter().filter(|pair| free(pair)).count()
}

/// Whether a translation lacks some of the `count` brackets that its source has, or one of a pair.
pub(crate) fn are_lost(source: &str, count: usize, text: &str) -> bool {
    let whole = source.matches(['(', '（']).count() == source.matches([')', '）']).count();
    if count == 0 || !whole {
        return false;
    }
    let (open, close) = (text.matches('(').count(), text.matches(')').count());
    let filled = text.split('(').skip(1).filter(|rest| {
        let inner = rest.split(')').next().unwrap_or_default();
        inner.contains(char::is_alphanumeric)
    });
    open != close || filled.count() < count
}

/// The text with a partner for each mark where the source shows that it stands at the end, and
/// without the mark elsewhere.
pub(crate) fn mended(source: &str, text: &str) -> String {
    let mut out = text.to_owned();
    let stops = |c: char| matches!(c, '。' | '.' | '！' | '!' | '？' | '?' | '…' | ' ');
    let last = source.trim_end_matches(stops).chars().next_back();
    let closes_bracket = matches!(last, Some('）' | ')'));
    let closes_quote = matches!(last, Some('”' | '"' | '」' | '』' | '》'));
    for Torn { at, opens, mark } in torn(text).into_iter().rev() {
        let is_last = !text[at + mark.len_utf8()..].contains(['"', '“', '”']);
        let says_something = text[at + mark.len_utf8()..].contains(char::is_alphanumeric);
        match mark {
            '(' if closes_bracket && says_something => {
                let end = out.trim_end_matches(stops).len();
                out.insert(end, ')');
            }
            '"' | '“' if opens && closes_quote && says_something && is_last => {
                out.push(if mark == '“' { '”' } else { '"' });
            }
            _ => remove(&mut out, at, mark),
        }
    }
    out
}

/// Takes a mark out, with one of two spaces that meet then.
fn remove(text: &mut String, at: usize, mark: char) {
    text.replace_range(at..at + mark.len_utf8(), "");
    let before = at == 0 || text[..at].ends_with(' ');
    if before && text[at..].starts_with(' ') {
        text.remove(at);
    }
}

/// Whether all brackets and quotation marks of a Chinese text have their partners.
fn is_whole(source: &str) -> bool {
    const PAIRS: [(char, char); 6] = [
        ('(', ')'),
        ('（', '）'),
        ('“', '”'),
        ('「', '」'),
        ('『', '』'),
        ('《', '》'),
    ];
    let count = |mark: char| source.matches(mark).count();
    // （a) mixes both widths.
    let mixed = count('(') + count('（') == count(')') + count('）');
    let pairs = PAIRS[2..]
        .iter()
        .all(|&(open, close)| count(open) == count(close));
    mixed && pairs && count('"') % 2 == 0
}

/// The marks without partners, in order.
fn torn(text: &str) -> Vec<Torn> {
    let mut torn = Vec::new();
    let mut brackets: Vec<usize> = Vec::new();
    // At most one of each kind of quotation mark is open.
    let (mut straight, mut curly) = (None, None);
    for (at, mark) in text.char_indices() {
        let lone = |at, opens| Torn { at, opens, mark };
        match mark {
            '(' => brackets.push(at),
            ')' => {
                let alone = brackets.pop().is_none();
                torn.extend(alone.then(|| lone(at, false)));
            }
            '"' => {
                let opens = may_open(text, at);
                match straight {
                    // Two in a row that can only open: the first has no partner.
                    Some(first) if opens => {
                        torn.push(lone(first, true));
                        straight = Some(at);
                    }
                    Some(_) => straight = None,
                    None if may_close(text, at) => torn.push(lone(at, false)),
                    None => straight = Some(at),
                }
            }
            '“' => torn.extend(curly.replace(at).map(|first| lone(first, true))),
            '”' => {
                let alone = curly.take().is_none();
                torn.extend(alone.then(|| lone(at, false)));
            }
            _ => {}
        }
    }
    let open = [(straight, '"'), (curly, '“')];
    let open = open.into_iter().filter_map(|(at, mark)| Some((at?, mark)));
    let open = open.chain(brackets.into_iter().map(|at| (at, '(')));
    torn.extend(open.map(|(at, mark)| Torn {
        at,
        opens: true,
        mark,
    }));
    torn.sort_unstable_by_key(|torn| torn.at);
    torn
}

/// A straight mark that can only open: nothing before it and a word behind it.
fn may_open(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let behind = text[at + 1..].chars().next();
    before.is_none_or(|c| c.is_whitespace() || c == '(')
        && behind.is_some_and(char::is_alphanumeric)
}

/// A straight mark that can only close: a word or stop before it, and none behind it.
fn may_close(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let behind = text[at + 1..].chars().next();
    before.is_some_and(|c| !c.is_whitespace() && c != '(')
        && behind.is_none_or(|c| c.is_whitespace() || ",.;:!?)".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_without_partners_get_one_or_go() {
        for (source, text, expected) in [
            ("甲（乙）丙", "A (B C", "A B C"),
            ("甲（乙）。", "A (B.", "A (B)."),
            ("甲（乙）", "A) B", "A B"),
            ("他说：“走吧。”", "He said, \"Go.", "He said, \"Go.\""),
            ("“甲”和“乙”", "\"A and \"B\"", "A and \"B\""),
            ("《甲》和乙", "\"A\" and B\"", "\"A\" and B"),
            ("“甲”乙", "“A B", "A B"),
            ("甲（乙）丙", "A ( C", "A C"),
        ] {
            assert!(are_torn(source, text), "{text}");
            let mended = mended(source, text);
            assert_eq!(mended, expected, "{source}");
            assert!(!are_torn(source, &mended), "{mended}");
        }
    }

    #[test]
    fn brackets_with_words_are_missed() {
        for (text, lost) in [
            ("A (B) C", false),
            ("A B C", true),
            ("A (B C", true),
            ("A (\") C", true),
        ] {
            assert_eq!(are_lost("甲（乙丙）丁", 1, text), lost, "{text}");
        }
        assert!(!are_lost("甲（乙丙", 0, "A (B"));
        for (source, expected) in [
            ("（1）甲（男）", 0),
            ("刚果（金）", 0),
            ("网址（a.cn）和f(x)", 1),
            ("甲（（乙丙））(1)（丁）", 1),
        ] {
            let spans = csanmt_text::protect::spans(source);
            assert_eq!(count(source, &spans), expected, "{source}");
        }
    }

    #[test]
    fn whole_ones_and_those_of_the_source_stay() {
        for (source, text) in [
            ("甲（乙）", "A (B)"),
            ("1)甲", "1) A"),
            ("5\"屏幕", "a 5\" screen"),
            ("“甲”", "\"A,\" and \"B\""),
            ("甲（（乙）丙）", "A ((B) C)"),
            ("好:)", "Good :)"),
        ] {
            assert!(!are_torn(source, text), "{text}");
        }
    }
}
