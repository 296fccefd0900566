//! What gives a text its structure: numbers of paragraphs, brackets, cells of tables, links, and the
//! braces of messages and data with Chinese in them. A translation goes piece by piece around them.

use super::{Kind, numeral, run, window};
use crate::script::is_han;

/// How far the other bracket is looked for.
const MAX_BYTES: usize = 400;

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let first = text[at..].chars().next()?;
    let rest = window(text, at, MAX_BYTES);
    let len = match first {
        '(' | '（' | '0'..='9' | 'a'..='z' | 'A'..='Z' | '一'..='龥' => {
            enumerator(text, at, rest)?
        }
        '[' => return opening(rest).map(|(len, kind)| (at + len, kind)),
        ']' => closing(text, at, rest)?,
        '【' if rest.contains('】') => first.len_utf8(),
        '】' if text[..at].contains('【') => first.len_utf8(),
        '|' if text.matches('|').take(3).count() > 2 => 1,
        '!' if rest[1..].starts_with('[') && rest.contains("](") => 2,
        '*' => emphasis(text, at)?,
        '_' if rest
            .trim_start_matches('_')
            .starts_with(|c: char| c.is_ascii_alphanumeric()) =>
        {
            let len = run(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
            return Some((at + len, Kind::Identifier));
        }
        '{' | '}' | '"' | ',' => braces(text, at)?,
        _ => return None,
    };
    Some((at + len, Kind::Mark))
}

/// `(1)`, `（一）`, `1)`, `a)`, `1、`, `一、` where an item may begin.
fn enumerator(text: &str, at: usize, rest: &str) -> Option<usize> {
    let before = text[..at].trim_end().chars().next_back();
    let begins = before.is_none_or(|c| "；;。：:！？\n".contains(c))
        || (text[..at].ends_with(char::is_whitespace)
            && (rest.starts_with(['(', '（'])
                || rest.get(1..).is_some_and(|tail| tail.starts_with('.'))));
    if !begins {
        return None;
    }
    let inner = rest.strip_prefix(['(', '（']);
    let number = inner.unwrap_or(rest);
    let digits = run(number, |b| b.is_ascii_digit());
    let chinese: usize = number
        .chars()
        .take(4)
        .take_while(|&c| numeral::small(c))
        .map(char::len_utf8)
        .sum();
    let letter = number.len()
        - number
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .len();
    let len = match (digits, chinese, letter) {
        (1..=3, _, _) => digits,
        (_, 3..=9, _) => chinese,
        (_, _, 1) => 1,
        _ => return None,
    };
    let close = number[len..].chars().next()?;
    let fits = match close {
        ')' | '）' => inner.is_some() || digits + letter > 0,
        '、' => inner.is_none() && letter == 0,
        // 1.打开 2.保存
        '.' => inner.is_none() && digits + letter > 0 && number[len + 1..].starts_with(is_han),
        _ => false,
    };
    // 1、2、3: a list of numbers.
    let tail = &number[len + close.len_utf8()..];
    let goes_on = tail
        .trim_start()
        .starts_with(|c: char| !numeral::small(c) && !c.is_ascii_digit() && c.is_alphabetic());
    let lead = rest.len() - number.len();
    (fits && goes_on).then_some(lead + len + close.len_utf8())
}

/// `[`, with `](…)` or `]` behind, and tags in square brackets: `[b]`, `[/url]`, `[color=red]`.
fn opening(rest: &str) -> Option<(usize, Kind)> {
    const TAGS: [&str; 14] = [
        "b", "i", "u", "s", "url", "img", "quote", "code", "size", "color", "list", "center",
        "email", "font",
    ];
    let close = rest.find(']')?;
    let inner = &rest[1..close];
    let name = inner.trim_start_matches('/');
    let name = name.split('=').next().unwrap_or_default();
    if TAGS.contains(&name) {
        return Some((close + 1, Kind::Markup));
    }
    (!inner.contains('[')).then_some((1, Kind::Mark))
}

/// `]`, with the address of a link.
fn closing(text: &str, at: usize, rest: &str) -> Option<usize> {
    let start = at.saturating_sub(MAX_BYTES);
    let start = (start..=at).find(|&i| text.is_char_boundary(i))?;
    let before = &text[start..at];
    let open = before.rfind('[')?;
    if before[open..].contains(']') {
        return None;
    }
    Some(1 + address(&rest[1..]).unwrap_or(0))
}

/// `(https://example.com/a_(b))`, `(images/a b.png)`, `(/a "title")`: what a link leads to, with
/// its brackets.
fn address(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let close = rest.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let inner = rest[..close].strip_prefix('(')?;
    // With spaces it has to look like an address, since it may be a remark behind the brackets.
    let spaced = inner.contains(char::is_whitespace);
    let addressed = inner.is_ascii() && inner.contains(['/', '.']);
    (!inner.is_empty() && (!spaced || addressed)).then_some(close + 1)
}

/// `*` at either side of what it emphasises in Chinese.
fn emphasis(text: &str, at: usize) -> Option<usize> {
    const MOST: usize = 120;
    let alone = |i: usize| !text[..i].ends_with('*') && !text[i + 1..].starts_with('*');
    let encloses = |inner: &str| {
        inner.contains(is_han)
            && !inner.contains('\n')
            && !inner.starts_with(char::is_whitespace)
            && !inner.ends_with(char::is_whitespace)
    };
    if !alone(at) {
        return None;
    }
    let opens = |open: usize, close: usize| {
        let before = text[..open].chars().next_back();
        !before.is_some_and(|c| c.is_ascii_alphanumeric()) && encloses(&text[open + 1..close])
    };
    let behind = window(text, at + 1, MOST).find('*').map(|len| at + 1 + len);
    let start = (at.saturating_sub(MOST)..=at).find(|&i| text.is_char_boundary(i))?;
    let before = text[start..at].rfind('*').map(|i| start + i);
    let is_open = behind.is_some_and(|close| alone(close) && opens(at, close));
    let is_close = before.is_some_and(|open| alone(open) && opens(open, at));
    (is_open || is_close).then_some(1)
}

/// A run of ASCII in braces that hold Chinese, from a mark on: `{count, plural, one {# ` and `"}`.
fn braces(text: &str, at: usize) -> Option<usize> {
    let start = at.saturating_sub(MAX_BYTES);
    let start = (start..=at).find(|&i| text.is_char_boundary(i))?;
    // The outermost brace that is open here.
    let (mut open, mut outermost) = (0_usize, None);
    for (i, c) in text[start..at].char_indices() {
        match c {
            '{' => {
                outermost = outermost.filter(|_| open > 0).or(Some(start + i));
                open += 1;
            }
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    let begin = match outermost.filter(|_| open > 0) {
        Some(begin) => begin,
        None if text[at..].starts_with('{') => at,
        None => return None,
    };
    let mut depth = 0_usize;
    let mut end = None;
    for (i, c) in window(text, begin, 2 * MAX_BYTES).char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            end = Some(begin + i + 1);
            break;
        }
    }
    let whole = &text[begin..end?];
    if !whole.contains(is_han) || end? <= at {
        return None;
    }
    let len = run(&text[at..end?], |b| b.is_ascii());
    // A comma between Chinese words is none of it.
    let data = text[at..at + len].contains(['{', '}', '"']);
    data.then_some(len)
}

/// The mark in English: `（一）` is `(1)`, `二、` is `2.`.
pub(super) fn render(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let inner = text.trim_matches(|c| "()（）、".contains(c));
    let number = numeral::value_of_item(inner);
    for c in text.chars() {
        match c {
            '（' => out.push('('),
            '）' => out.push(')'),
            '【' => out.push('['),
            '】' => out.push(']'),
            '、' => out.push('.'),
            _ if number.is_some() && is_han(c) => {}
            _ => out.push(c),
        }
        if let (Some(number), true) = (number, matches!(c, '（' | '(')) {
            out.push_str(&number.to_string());
        }
    }
    match number {
        Some(number) if !text.starts_with(['（', '(']) => format!("{number}{out}"),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> Vec<&str> {
        let spans = crate::protect::spans(text);
        spans
            .into_iter()
            .filter(|span| matches!(span.kind, Kind::Mark | Kind::Markup))
            .map(|span| &text[span.range])
            .collect()
    }

    #[test]
    fn d4_numbers_of_paragraphs() {
        for (text, expected) in [
            ("（一）适用范围", vec!["（一）"]),
            ("一、总则", vec!["一、"]),
            ("(1)总则 (2)分则", vec!["(1)", "(2)"]),
            ("1、姓名；2、年龄", vec!["1、", "2、"]),
            ("1.打开 2.保存", vec!["1.", "2."]),
            ("A.苹果 B.香蕉", vec!["A.", "B."]),
            ("版本 2.5 和U.S.", vec![]),
            ("a) 中文", vec!["a)"]),
            ("十二、附则", vec!["十二、"]),
            ("1、2、3都可以", vec![]),
            ("一、二年级", vec![]),
            ("他（一）走", vec![]),
            ("f(1)的值", vec![]),
        ] {
            assert_eq!(marks(text), expected, "{text}");
        }
        for (text, expected) in [
            ("（一）", "(1)"),
            ("二、", "2."),
            ("(3)", "(3)"),
            ("十二、", "12."),
            ("（2）", "(2)"),
        ] {
            assert_eq!(render(text), expected);
        }
    }

    #[test]
    fn b8_links_tables_tags_and_data_keep_their_marks() {
        for (text, expected) in [
            (
                "[点击这里](https://a.example)查看",
                vec!["[", "](https://a.example)"],
            ),
            ("|姓名|年龄|", vec!["|", "|", "|"]),
            ("[b]粗体[/b]字", vec!["[b]", "[/b]"]),
            (
                "[甲](https://a.example/a_(b)?c=d)看",
                vec!["[", "](https://a.example/a_(b)?c=d)"],
            ),
            ("![图](images/a 1.png)", vec!["![", "](images/a 1.png)"]),
            ("[甲](见 附录)乙", vec!["[", "]"]),
            ("**粗**和*斜体*字", vec!["**", "**", "*", "*"]),
            ("3*4和甲*乙", vec![]),
            ("- [x] 已完成", vec!["- [x]"]),
            ("- [ ] 未完成", vec!["- [ ]"]),
            ("[微笑]好", vec!["[", "]"]),
            ("【重要】通知", vec!["【", "】"]),
            (
                "{\"code\": 0, \"msg\": \"成功\"}",
                vec!["{\"code\": 0, \"msg\": \"", "\"}"],
            ),
            (
                "{n, plural, one {# 个} other {# 件}}",
                vec!["{n, plural, one {# ", "} other {# ", "}}"],
            ),
            ("见[1]和a[0]", vec![]),
        ] {
            assert_eq!(marks(text), expected, "{text}");
        }
    }
}
