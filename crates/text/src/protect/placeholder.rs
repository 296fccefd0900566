//! Placeholders of message catalogues, tags, code and formulas.

use super::{Kind, run, window};
use crate::script::is_han;

/// Longest of each that is looked for.
const MAX_PLACEHOLDER: usize = 160;
const MAX_TAG: usize = 600;
const MAX_CODE: usize = 600;

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let first = text.as_bytes()[at];
    let found = match first {
        b'%' => percent(text, at).map(|len| (len, Kind::Placeholder)),
        b'{' => braces(window(text, at, MAX_PLACEHOLDER)).map(|len| (len, Kind::Placeholder)),
        b'$' => dollar(text, at),
        b'[' => brackets(window(text, at, MAX_PLACEHOLDER)).map(|len| (len, Kind::Placeholder)),
        b'\\' => escape(window(text, at, MAX_PLACEHOLDER)).map(|len| (len, Kind::Placeholder)),
        b'<' => tag(window(text, at, MAX_TAG)).map(|len| (len, Kind::Markup)),
        b'`' => code(window(text, at, MAX_CODE)).map(|len| (len, Kind::Code)),
        b'&' => entity(window(text, at, 12)).map(|len| (len, Kind::Markup)),
        _ => None,
    };
    found.map(|(len, kind)| (at + len, kind))
}

/// `%s`, `%1$s`, `%-5.2f`, `%lld`, `%@`, `%(name)s`, `%{name}`; not the sign of 50%.
fn percent(text: &str, at: usize) -> Option<usize> {
    if text[..at].chars().next_back().is_some_and(char::is_numeric) {
        return None;
    }
    let rest = window(text, at, MAX_PLACEHOLDER);
    let mut end = 1;
    match rest.as_bytes().get(1)? {
        b'{' => return braces(&rest[1..]).map(|len| len + 1),
        b'(' => {
            end += rest[1..]
                .find(')')
                .filter(|&len| rest[2..1 + len].is_ascii())?
                + 1
        }
        _ => {}
    }
    let digits = run(&rest[end..], |b| b.is_ascii_digit());
    if digits > 0 && rest[end + digits..].starts_with('$') {
        end += digits + 1;
    }
    end += run(&rest[end..], |b| b"-+#0".contains(&b));
    end += run(&rest[end..], |b| {
        b.is_ascii_digit() || b == b'.' || b == b'*'
    });
    end += run(&rest[end..], |b| b"hlLqjzt".contains(&b));
    rest.as_bytes()
        .get(end)
        .filter(|b| b"diouxXeEfFgGaAcCsSpn@".contains(b))
        .map(|_| end + 1)
}

/// `{0}`, `{name}`, `{{x.y}}`, `{n, plural, …}` without Chinese in it.
fn braces(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ if is_han(c) => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn dollar(text: &str, at: usize) -> Option<(usize, Kind)> {
    let rest = window(text, at, MAX_CODE);
    if rest[1..].starts_with('{') {
        return braces(&rest[1..]).map(|len| (len + 1, Kind::Placeholder));
    }
    if let Some(len) = formula(rest) {
        return Some((len, Kind::Formula));
    }
    let name = run(&rest[1..], |b| b.is_ascii_alphanumeric() || b == b'_');
    let named = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    // $t('hello')
    let call = &rest[1 + name..];
    let arguments = call
        .find(')')
        .filter(|&end| call.starts_with('(') && call[..end].is_ascii());
    let arguments = arguments.map_or(0, |end| end + 1);
    named.then_some((1 + name + arguments, Kind::Placeholder))
}

/// `$…$` and `$$…$$` as TeX and Markdown understand them, so that prices are none.
fn formula(rest: &str) -> Option<usize> {
    let fence = if rest.starts_with("$$") { "$$" } else { "$" };
    let inner = rest[fence.len()..].split(fence).next()?;
    let end = fence.len() * 2 + inner.len();
    let closed = rest.get(end - fence.len()..end) == Some(fence);
    let spaced = fence == "$" && (inner.starts_with(' ') || inner.ends_with(' '));
    let price = rest[end.min(rest.len())..].starts_with(|c: char| c.is_ascii_digit());
    let says_something = inner.contains(|c: char| c.is_ascii_alphabetic() || "\\^_=+".contains(c));
    let is_text = inner.contains(is_han) && !inner.contains('\\');
    (closed && !inner.is_empty() && !spaced && !price && says_something && !is_text).then_some(end)
}

/// `[1]`, `[^2]`.
fn brackets(rest: &str) -> Option<usize> {
    let inner = &rest[1..];
    let mark = usize::from(inner.starts_with('^'));
    let digits = run(&inner[mark..], |b| b.is_ascii_digit());
    let closed = inner[mark + digits..].starts_with(']');
    (digits > 0 && closed).then_some(mark + digits + 2)
}

/// `\n`, `\u00e9`, `\"`, `\alpha`.
fn escape(rest: &str) -> Option<usize> {
    let name = run(&rest[1..], |b| b.is_ascii_alphabetic());
    match rest.as_bytes().get(1)? {
        b'u' | b'x' => Some(1 + run(&rest[1..], |b| b.is_ascii_alphanumeric())),
        b'"' | b'\'' | b'\\' | b'0' => Some(2),
        _ => (name > 0).then_some(name + 1),
    }
}

/// `<b>`, `</b>`, `<br/>`, `<0/>`, `<a href="…">`, `<!-- … -->`.
fn tag(rest: &str) -> Option<usize> {
    if rest.starts_with("<!--") {
        return rest.find("-->").map(|at| at + 3);
    }
    let name = rest[1..].trim_start_matches('/');
    // <姓名>…</姓名>
    let chinese: usize = name
        .chars()
        .take_while(|&c| is_han(c))
        .map(char::len_utf8)
        .sum();
    let paired = chinese > 0
        && (rest.starts_with("</") && name[chinese..].starts_with('>')
            || rest.contains(&format!("</{}>", &name[..chinese])));
    if !paired && !name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '!') {
        return None;
    }
    let mut quote = None;
    for (at, c) in rest.char_indices().skip(1) {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return Some(at + 1),
            (None, '<') => return None,
            (None, _) if is_han(c) && !paired => return None,
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// Text between equal runs of back-ticks.
fn code(rest: &str) -> Option<usize> {
    let fence = run(rest, |b| b == b'`');
    let mut at = fence;
    while let Some(next) = rest[at..].find('`') {
        let ticks = run(&rest[at + next..], |b| b == b'`');
        at += next + ticks;
        if ticks == fence {
            return Some(at);
        }
    }
    None
}

/// `&nbsp;`, `&#39;`
fn entity(rest: &str) -> Option<usize> {
    let name = run(&rest[1..], |b| b.is_ascii_alphanumeric() || b == b'#');
    (name > 1 && rest[1 + name..].starts_with(';')).then_some(name + 2)
}
