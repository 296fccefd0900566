//! What programs and formulas are made of: expressions, calls, command line flags, signed numbers,
//! amounts of money, words in other alphabets.

use super::{Kind, at_word_start, file_name, quantity, run, window};
use crate::script::{is_han, is_hangul, is_kana};

/// Longest expression.
const MAX_BYTES: usize = 512;

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let first = text[at..].chars().next()?;
    let rest = window(text, at, MAX_BYTES);
    let before = text[..at].chars().next_back();
    let found = match first {
        _ if emoticon(rest) > 0 => Some((emoticon(rest), Kind::Symbol)),
        '$' | '¥' | '￥' | '€' | '£' | '₩' | '₹' | '₽' | '￡' => price(rest, 0),
        'A'..='Z' if at_word_start(text, at) => price(rest, run(rest, |b| b.is_ascii_uppercase())),
        '-' | '−' | '+' | '±' | '~' | '≥' | '≤' | '≈' | '>' | '<' => {
            signed(rest, &text[..at]).or_else(|| flag(rest, before))
        }
        '*' | '.' => pattern(rest, before),
        '\\' => bracketed_formula(rest),
        '^' => pattern_of_text(rest),
        '@' | ':' => named(rest, before),
        _ => None,
    };
    found
        .or_else(|| spaced_operator(rest, before))
        .or_else(|| marks(rest, before))
        .or_else(|| syllables(rest, before))
        .or_else(|| expression(text, at, rest))
        .map(|(len, kind)| (at + len, kind))
}

/// `¥399`, `HK$128`, `$3.5万`; `letters` is the length of the letters before the sign.
fn price(rest: &str, letters: usize) -> Option<(usize, Kind)> {
    if letters > 3 {
        return None;
    }
    let sign = rest[letters..].chars().next()?;
    if !matches!(sign, '$' | '¥' | '￥' | '€' | '£' | '₩' | '₹' | '₽' | '￡') {
        return None;
    }
    let start = letters + sign.len_utf8();
    let number = quantity::number(&rest[start..]);
    let end = start + number;
    // A placeholder: $1$s.
    let goes_on = rest[end..].starts_with(|c: char| c == '$' || c.is_ascii_alphabetic());
    (number > 0 && !goes_on).then(|| {
        let scale = quantity::scale(&rest[end..]).map_or(0, |(_, length)| length);
        (end + scale, Kind::Price)
    })
}

/// `-5`, `+1`, `±0.05`, `~5`, `≥99.5%`, `+86 138-0013-8000`.
fn signed(rest: &str, before: &str) -> Option<(usize, Kind)> {
    let sign = rest.chars().next()?;
    let mut previous = before.chars().rev();
    let (last, second) = (previous.next(), previous.next());
    let digit = |c: Option<char>| c.is_some_and(|c| quantity::digit(c).is_some());
    // 1日-5日, 3~5: between two numbers it is no sign.
    let joins =
        last.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, ')' | ']' | '%' | '℃'));
    if joins || (digit(second) && last.is_some_and(is_han)) {
        return None;
    }
    let start = sign.len_utf8();
    if sign == '+' {
        let dial = run(&rest[1..], |b| b.is_ascii_digit());
        if let Some((len, Kind::Digits)) = super::chunk::digit_groups(&rest[1..]) {
            return Some((1 + len, Kind::Digits));
        }
        if (1..=3).contains(&dial) && rest[1 + dial..].starts_with([' ', '-']) {
            let number = super::chunk::digit_groups(&rest[2 + dial..]);
            if let Some((len, Kind::Digits)) = number {
                return Some((2 + dial + len, Kind::Digits));
            }
        }
    }
    let number = quantity::number(&rest[start..]);
    if number == 0 {
        return None;
    }
    let mut end = start + number;
    end += run(&rest[end..], |b| b == b'%');
    // <10ms
    let unit = run(&rest[end..], |b| b.is_ascii_alphabetic());
    let goes_on = rest[end + unit..].starts_with(|c: char| c.is_ascii_digit());
    end += if unit < 5 && !goes_on { unit } else { 0 };
    // -3.2%~+5.6%
    if let Some(mark) = rest[end..]
        .chars()
        .next()
        .filter(|c| matches!(c, '~' | '～'))
    {
        let second = end + mark.len_utf8();
        let second = second + run(&rest[second..], |b| b == b'+' || b == b'-').min(1);
        let number = quantity::number(&rest[second..]);
        if number > 0 {
            let end = second + number;
            return Some((end + run(&rest[end..], |b| b == b'%'), Kind::Signed));
        }
    }
    let range = rest[end..].starts_with(['-', '~', '～', ':', '/', '×', '*', '^', '÷']);
    (!range && quantity::scale(&rest[end..]).is_none()).then_some((end, Kind::Signed))
}

/// `-m`, `-xzvf`, `--no-cache`, `--level=3`.
fn flag(rest: &str, before: Option<char>) -> Option<(usize, Kind)> {
    if before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-') {
        return None;
    }
    let hyphens = run(rest, |b| b == b'-');
    let name = &rest[hyphens..];
    let len = run(name, |b| b.is_ascii_alphanumeric() || b"-_=./".contains(&b));
    let len = name[..len].trim_end_matches(['.', '-', '/', '=']).len();
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic());
    // A dash before a word is longer than one letter or touches Chinese: `-Tom` is rather a list.
    let short = hyphens == 1 && len <= 5;
    (named && len > 0 && (hyphens == 2 || short)).then_some((hyphens + len, Kind::Identifier))
}

/// `*.txt`, and the end of a file name in Chinese: `.pdf`.
fn pattern(rest: &str, before: Option<char>) -> Option<(usize, Kind)> {
    let stars = run(rest, |b| b == b'*');
    let name = rest[stars..].strip_prefix('.')?;
    let len = run(name, |b| b.is_ascii_alphanumeric());
    let known = file_name::EXTENSIONS.contains(&name[..len].to_ascii_lowercase().as_str());
    let end = stars + 1 + len;
    if stars > 0 {
        return (len > 0).then_some((end, Kind::Path));
    }
    (known && before.is_some_and(is_han)).then_some((end, Kind::Term))
}

/// A regular expression: `^1[3-9]\d{9}$`.
fn pattern_of_text(rest: &str) -> Option<(usize, Kind)> {
    let len = run(rest, |b| b.is_ascii_graphic());
    let len = rest[..len].rfind('$')? + 1;
    (len > 2).then_some((len, Kind::Code))
}

/// `\(a+b\)`, `\[a+b\]`.
fn bracketed_formula(rest: &str) -> Option<(usize, Kind)> {
    let close = match rest.as_bytes().get(1)? {
        b'(' => "\\)",
        b'[' => "\\]",
        _ => return None,
    };
    rest.find(close).map(|at| (at + close.len(), Kind::Formula))
}

/// `:)`, `^_^`, `T_T`.
fn emoticon(rest: &str) -> usize {
    const FACES: [&str; 22] = [
        "^_^", "^-^", "^o^", "T_T", "T.T", ">_<", "=_=", "-_-", "o_o", ":-)", ":-(", ":-D", ":)",
        ":(", ":D", ":P", ";)", ";-)", "=)", ":'(", "(:", "^^",
    ];
    let face = FACES.into_iter().find(|face| rest.starts_with(face));
    let joins = |face: &&str| {
        let ends = face.ends_with(|c: char| c.is_ascii_alphabetic());
        ends && rest[face.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
    };
    face.filter(|face| !joins(face)).map_or(0, str::len)
}

/// `:name` where a word may begin, `@:message.hello`.
fn named(rest: &str, before: Option<char>) -> Option<(usize, Kind)> {
    let marks = if rest.starts_with("@:") { 2 } else { 1 };
    let free = before.is_none_or(char::is_whitespace);
    if !(rest.starts_with(':') && free || marks == 2) {
        return None;
    }
    let name = &rest[marks..];
    let len = run(name, |b| b.is_ascii_alphanumeric() || b"_.".contains(&b));
    let len = name[..len].trim_end_matches('.').len();
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic());
    named.then_some((marks + len, Kind::Placeholder))
}

/// The marks of Markdown: `# `, `- `, `> `, `1. ` where a sentence begins, `**`, `~~`, `__`.
fn marks(rest: &str, before: Option<char>) -> Option<(usize, Kind)> {
    let len = match rest.as_bytes().first()? {
        b'#' if before.is_none() => run(rest, |b| b == b'#'),
        b'-' | b'*' | b'+' if before.is_none() && task(rest) > 0 => task(rest),
        b'-' | b'*' | b'+' | b'>' if before.is_none() && rest[1..].starts_with(' ') => 1,
        b'0'..=b'9' if before.is_none() => {
            let digits = run(rest, |b| b.is_ascii_digit());
            let point = rest[digits..].starts_with(['.', ')']);
            // 1.5, but also 1.第一步
            let ends = rest
                .get(digits + 1..)
                .is_some_and(|tail| tail.starts_with(|c: char| c == ' ' || is_han(c)));
            return (digits <= 3 && point && ends).then_some((digits + 1, Kind::Mark));
        }
        b'*' | b'~' | b'_' | b'=' | b'-' | b'+' | b'#' => {
            let mark = rest.as_bytes()[0];
            let len = run(rest, |b| b == mark);
            // Of emphasis, or of many that draw a line: =====
            let emphasis = b"*~_".contains(&mark) && len > 1;
            let line = len > 3 && before.is_none_or(|c| !c.is_ascii_alphanumeric());
            return (emphasis || line).then_some((len, Kind::Mark));
        }
        _ => 0,
    };
    let ends = rest[len..].starts_with(' ');
    ((1..=6).contains(&len) && ends).then_some((len, Kind::Mark))
}

/// An operator between spaces, as programs and menus have them: `a && b`, `文件 > 新建`.
fn spaced_operator(rest: &str, before: Option<char>) -> Option<(usize, Kind)> {
    const OPERATORS: [&str; 16] = [
        "&&", "||", "=>", "->", "==", "!=", ">=", "<=", ":=", "+=", "-=", ">>", "=", ">", "<", "|",
    ];
    if before != Some(' ') {
        return None;
    }
    let found = OPERATORS.into_iter().find(|operator| {
        let tail = rest.strip_prefix(operator);
        tail.is_some_and(|tail| tail.starts_with(' '))
    })?;
    Some((found.len(), Kind::Mark))
}

/// The box of a task in a list: `- [x]`.
fn task(rest: &str) -> usize {
    let boxed = ["[ ]", "[x]", "[X]"]
        .iter()
        .any(|mark| rest[1..].starts_with(' ') && rest[2..].starts_with(mark));
    if boxed { 5 } else { 0 }
}

/// A word in Hangul, or in kana: one kana may be an ornament (鲜の每日).
fn syllables(rest: &str, before: Option<char>) -> Option<(usize, Kind)> {
    let length = |class: fn(char) -> bool| -> usize {
        let characters = rest.chars().take(64).take_while(|&c| class(c));
        characters.map(char::len_utf8).sum()
    };
    let (hangul, kana) = (length(is_hangul), length(is_kana));
    let begins = |class: fn(char) -> bool| !before.is_some_and(class);
    if hangul > 0 && begins(is_hangul) {
        return Some((hangul, Kind::Identifier));
    }
    let least = 2 * 'あ'.len_utf8();
    (kana >= least && begins(is_kana)).then_some((kana, Kind::Identifier))
}

/// A run of letters, digits and marks that is more than a word or number: it has an operator, a
/// call, an index, letters of other alphabets.
fn expression(text: &str, at: usize, rest: &str) -> Option<(usize, Kind)> {
    let first = rest.chars().next()?;
    let before = text[..at].chars().next_back();
    let begins = first.is_ascii_alphanumeric() || is_foreign_letter(first) || is_script(first);
    if !begins || before.is_some_and(|c| c.is_ascii_alphanumeric() || is_foreign_letter(c)) {
        return None;
    }
    let mut end = operand(rest);
    let word = &rest[..end];
    let tail = &rest[end..];
    // 100+人
    let open = word.bytes().all(|b| b.is_ascii_digit()) && tail.starts_with('+');
    if open && !tail[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || "+-".contains(c)) {
        return Some((end + 1, Kind::Signed));
    }
    // PATH=/usr/bin:$PATH
    if tail.starts_with('=') && tail[1..].starts_with(['/', '$', '"', '\'', '~', '.']) {
        let value = run(tail, |b| b.is_ascii_graphic() && !b"<>|,;".contains(&b));
        return Some((end + value, Kind::Identifier));
    }
    let mut technical =
        word.contains(|c| is_foreign_letter(c) || is_script(c) || matches!(c, '′' | '″'));
    while let Some((operator, next)) = operator(&rest[end..]) {
        end += operator + next;
        technical = true;
    }
    // 3×10⁸m/s
    if technical && rest[end..].starts_with('/') {
        let unit = run(&rest[end + 1..], |b| b.is_ascii_alphabetic());
        end += if unit > 0 { unit + 1 } else { 0 };
    }
    let called = word.len() < end || rest[..end].ends_with([')', ']']);
    (technical || called).then_some((end, Kind::Identifier))
}

/// Letters of alphabets that no Chinese text is written in.
fn is_foreign_letter(c: char) -> bool {
    !c.is_ascii()
        && (c.is_alphabetic() || is_combining(c))
        && !is_han(c)
        && !is_kana(c)
        && !is_hangul(c)
        && !matches!(u32::from(c), 0x2070..=0x24ff | 0x3000..=0x33ff | 0xff00..=0xffef)
}

/// Marks that stand on or between letters: accents, tones, vowel points, the joiners of Indic scripts.
fn is_combining(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0300..=0x036f | 0x0483..=0x0487 | 0x0591..=0x05bd | 0x05bf | 0x05c1 | 0x05c2 | 0x05c4
            | 0x05c5 | 0x05c7 | 0x0610..=0x061a | 0x064b..=0x065f | 0x0670 | 0x06d6..=0x06dc
            | 0x093c | 0x094d | 0x0951..=0x0954 | 0x09bc | 0x09cd | 0x0a3c | 0x0a4d | 0x0abc
            | 0x0acd | 0x0b3c | 0x0b4d | 0x0bcd | 0x0c4d | 0x0cbc | 0x0ccd | 0x0d4d | 0x0dca
            | 0x0e38..=0x0e3a | 0x0e47..=0x0e4e | 0x0eba | 0x0ec8..=0x0ece | 0x0f0b | 0x0f39
            | 0x0f84 | 0x1037 | 0x1039 | 0x103a | 0x17c9..=0x17d3 | 0x1dc0..=0x1dff
            | 0x20d0..=0x20dc
    )
}

/// Superscripts and subscripts.
fn is_script(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '⁺' | '⁻' | 'ⁿ' | '₀'..='₉')
}

/// A word or number with marks inside it, and calls and indices behind it.
fn operand(rest: &str) -> usize {
    let mut end = 0;
    loop {
        let tail = &rest[end..];
        let Some(c) = tail.chars().next() else {
            return end;
        };
        let next = tail[c.len_utf8()..].chars().next();
        let goes_on = next.is_some_and(|c| c.is_ascii_alphanumeric() || is_foreign_letter(c));
        if end > 0
            && ["http://", "https://", "www."]
                .iter()
                .any(|url| tail.starts_with(url))
        {
            return end;
        }
        if c.is_ascii_alphanumeric() || c == '_' || is_foreign_letter(c) || is_script(c) {
            end += c.len_utf8();
        } else if matches!(c, '.' | '\'') && end > 0 && goes_on {
            end += 1;
        } else if matches!(c, '°' | '′' | '″')
            && rest[..end].ends_with(|c: char| c.is_ascii_digit())
        {
            // N39°54′20″
            end += c.len_utf8();
        } else if matches!(c, '(' | '[') && end > 0 {
            match enclosed(tail, c) {
                Some(len) => end += len,
                None => return end,
            }
        } else {
            return end;
        }
    }
}

/// The length of brackets without Chinese in them, as of a call or an index.
fn enclosed(rest: &str, open: char) -> Option<usize> {
    let close = if open == '(' { ')' } else { ']' };
    let mut depth = 0_usize;
    // Chinese in a string of a program: print("你好")
    let mut quote = None;
    for (at, c) in rest.char_indices().take(80) {
        match c {
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => quote = quote.filter(|&open| open != c),
            _ if c == open => depth += 1,
            _ if c == close => depth -= 1,
            _ if !c.is_ascii() && !is_foreign_letter(c) && !is_script(c) => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// An operator with what follows it: their lengths. Spaces on both sides or on none.
fn operator(rest: &str) -> Option<(usize, usize)> {
    let spaces = run(rest, |b| b == b' ').min(1);
    let tail = &rest[spaces..];
    let is_mark = |c: char| "=<>!*^|&+".contains(c) || "×÷≤≥≠≈±".contains(c);
    let mark: usize = tail
        .chars()
        .take(3)
        .take_while(|&c| is_mark(c))
        .map(char::len_utf8)
        .sum();
    // A tag, or the marks of emphasis.
    if mark == 0 || matches!(&tail[..mark], "!" | "**" | "&" | "!!" | "***" | "***!") {
        return None;
    }
    let behind = &tail[mark..];
    let spaces_behind = run(behind, |b| b == b' ').min(1);
    let operand_text = &behind[spaces_behind..];
    let sign = run(operand_text, |b| b == b'-').min(1);
    let next = operand(&operand_text[sign..]);
    (next > 0 && spaces == spaces_behind).then_some((spaces + mark + spaces_behind, sign + next))
}
