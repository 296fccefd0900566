//! Addresses: URLs, e-mail, handles, tags, paths, hosts.

use super::{Kind, at_word_start, run, window};
use crate::script::is_han;

/// Longest address looked for.
const MAX_BYTES: usize = 2048;
/// Longest local part of an e-mail address.
const MAX_LOCAL: usize = 64;

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let first = text.as_bytes()[at];
    if !first.is_ascii() || !(first.is_ascii_alphanumeric() || b"@#/\\.~+:[".contains(&first)) {
        return None;
    }
    if !at_word_start(text, at) {
        return None;
    }
    let rest = window(text, at, MAX_BYTES);
    let found = match first {
        b'@' => handle(rest).map(|len| (len, Kind::Handle)),
        b'#' => hashtag(rest).map(|len| (len, Kind::Hashtag)),
        b'/' | b'.' | b'~' => path(rest, starts_after_space(text, at)).map(|len| (len, Kind::Path)),
        b'[' => bracketed_host(rest).map(|len| (len, Kind::Host)),
        b'\\' => network_path(rest).map(|len| (len, Kind::Path)),
        _ => url(rest)
            .map(|len| (len, Kind::Url))
            .or_else(|| email(rest).map(|len| (len, Kind::Email)))
            .or_else(|| drive_path(rest).map(|len| (len, Kind::Path)))
            .or_else(|| host(rest).map(|len| (len, Kind::Host))),
    };
    found.map(|(len, kind)| (at + len, kind))
}

fn starts_after_space(text: &str, at: usize) -> bool {
    let previous = text[..at].chars().next_back();
    previous.is_none_or(|c| {
        c.is_whitespace() || matches!(c, '"' | '“' | '(' | '（' | '：' | ':' | '「' | '`')
    })
}

/// Punctuation at the very end belongs to the sentence.
fn without_stops(address: &str) -> usize {
    let mut end = address.len();
    loop {
        let kept =
            address[..end].trim_end_matches(['.', ',', '!', '?', ';', ':', '\'', '*', '_', '~']);
        let kept = match kept.strip_suffix([')', ']', '}']) {
            // A bracket that was opened within the address stays.
            Some(inner)
                if inner.matches(['(', '[', '{']).count()
                    <= inner.matches([')', ']', '}']).count() =>
            {
                inner
            }
            _ => kept,
        };
        if kept.len() == end {
            return end;
        }
        end = kept.len();
    }
}

fn url(rest: &str) -> Option<usize> {
    let scheme = run(rest, |b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let prefix = if rest[scheme..].starts_with("://") && scheme <= 20 {
        scheme + 3
    } else if rest[..scheme]
        .get(..4)
        .is_some_and(|w| w.eq_ignore_ascii_case("www."))
    {
        4
    } else if rest.starts_with("mailto:") {
        7
    } else {
        let domain = domain(rest)?;
        let next = rest.as_bytes().get(domain);
        return match next {
            Some(b'/') => {
                Some(domain + without_stops(&rest[domain..domain + address_run(&rest[domain..])]))
            }
            // a.b.c:8080
            Some(b':') if run(&rest[domain + 1..], |b| b.is_ascii_digit()) > 1 => {
                let port = domain + 1 + run(&rest[domain + 1..], |b| b.is_ascii_digit());
                let path = &rest[port..port + address_run(&rest[port..])];
                Some(
                    port + if path.starts_with('/') {
                        without_stops(path)
                    } else {
                        0
                    },
                )
            }
            _ => Some(domain),
        };
    };
    let host = prefix + chinese_domain(&rest[prefix..]);
    let end = host + address_run(&rest[host..]);
    let length = without_stops(&rest[..end]);
    (length > prefix).then_some(length)
}

/// The characters an address can hold. Chinese letters can be part of a path, but behind the
/// host name they must have been introduced by a slash or query: 见example.com查询 ends at 查.
fn address_run(rest: &str) -> usize {
    let mut in_path = false;
    let mut after_separator = false;
    for (at, c) in rest.char_indices() {
        let keeps = match c {
            '/' | '?' | '#' | '=' => {
                in_path |= c != '=' || in_path;
                after_separator = true;
                true
            }
            _ if is_han(c) => in_path && after_separator,
            _ if c.is_ascii() => {
                let keeps =
                    c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '`' | '|' | '^' | '\\');
                after_separator &= matches!(c, '-' | '_' | '.' | '%') || c.is_ascii_digit();
                keeps
            }
            _ => c.is_alphanumeric(),
        };
        if !keeps {
            return at;
        }
    }
    rest.len()
}

/// Names of top-level domains common enough to be told from the end of a sentence or file name.
const TOP_LEVEL: [&str; 30] = [
    "com", "org", "net", "cn", "edu", "gov", "io", "info", "tv", "app", "dev", "ai", "hk", "tw",
    "jp", "uk", "de", "fr", "ru", "eu", "us", "co", "cc", "me", "top", "xyz", "biz", "site",
    "example", "local",
];

/// `example.com` without a scheme.
fn domain(rest: &str) -> Option<usize> {
    let length = run(rest, |b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    let name = rest[..length].trim_end_matches(['.', '-']);
    let (front, last) = name.rsplit_once('.')?;
    let lower = last.to_ascii_lowercase();
    let known = TOP_LEVEL.contains(&lower.as_str());
    (known
        && front.contains(|c: char| c.is_ascii_alphabetic())
        && !front.contains("..")
        && name.len() <= 253)
        .then_some(name.len())
}

/// Length of a host name in Chinese, 0 if there is none: 例子.测试.
fn chinese_domain(rest: &str) -> usize {
    const TOP: [&str; 12] = [
        "中国",
        "公司",
        "网络",
        "测试",
        "政务",
        "公益",
        "在线",
        "中文网",
        "商城",
        "手机",
        "网址",
        "香港",
    ];
    let label = |text: &str| -> usize {
        text.chars()
            .take(63)
            .take_while(|&c| is_han(c) || c.is_ascii_alphanumeric() || c == '-')
            .map(char::len_utf8)
            .sum()
    };
    let mut end = label(rest);
    while end > 0 && rest[end..].starts_with('.') {
        let next = &rest[end + 1..];
        if let Some(top) = TOP.into_iter().find(|top| next.starts_with(top)) {
            return end + 1 + top.len();
        }
        match label(next) {
            0 => return 0,
            len => end += 1 + len,
        }
    }
    0
}

fn email(rest: &str) -> Option<usize> {
    let local = run(rest, |b| b.is_ascii_alphanumeric() || b"._%+-".contains(&b));
    if !(1..=MAX_LOCAL).contains(&local) || !rest[local..].starts_with('@') {
        return None;
    }
    let domain = &rest[local + 1..];
    match chinese_domain(domain) {
        0 => {}
        len => return Some(local + 1 + len),
    }
    let length = run(domain, |b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    let domain = domain[..length].trim_end_matches(['.', '-']);
    let dotted = domain.split('.').count() > 1 && domain.split('.').all(|label| !label.is_empty());
    dotted.then(|| local + 1 + domain.len())
}

fn handle(rest: &str) -> Option<usize> {
    let name = &rest[1..1 + run(&rest[1..], |b| {
        b.is_ascii_alphanumeric() || b"_.-".contains(&b)
    })];
    let name = name.trim_end_matches(['.', '-']);
    if !name.is_empty() {
        return Some(1 + name.len());
    }
    chinese_name(&rest[1..]).map(|len| 1 + len)
}

/// A name in Chinese up to the next space or mark, or to a word that no name has.
fn chinese_name(rest: &str) -> Option<usize> {
    const MOST: usize = 12;
    let in_name = |c: char| is_han(c) || c.is_ascii_alphanumeric() || matches!(c, '_' | '·');
    let name: String = rest
        .chars()
        .take(MOST + 1)
        .take_while(|&c| in_name(c))
        .collect();
    let count = name.chars().count();
    let word = name
        .char_indices()
        .skip(2)
        .find(|(_, c)| "的和与跟或在是说请了吗吧呢都也".contains(*c))
        .filter(|_| count > 4);
    let len = word.map_or(name.len(), |(at, _)| at);
    (name.starts_with(is_han) && (count <= MOST || word.is_some())).then_some(len)
}

/// `#今日话题#`, and `#话题` before a space or the end.
fn topic(rest: &str) -> Option<usize> {
    const MOST: usize = 32;
    let in_topic = |c: char| c.is_alphanumeric() || matches!(c, '_' | '·' | '-');
    let len: usize = rest[1..]
        .chars()
        .take(MOST)
        .take_while(|&c| in_topic(c))
        .map(char::len_utf8)
        .sum();
    let behind = &rest[1 + len..];
    if len == 0 || !rest[1..1 + len].contains(is_han) {
        return None;
    }
    if behind.starts_with('#') {
        return Some(len + 2);
    }
    let ends = behind.is_empty() || behind.starts_with(' ');
    (ends && rest[1..].starts_with(is_han)).then_some(len + 1)
}

fn hashtag(rest: &str) -> Option<usize> {
    if let Some(len) = topic(rest) {
        return Some(len);
    }
    let mut end = 1 + run(&rest[1..], |b| b.is_ascii_alphanumeric() || b == b'_');
    // #20240315-0001 is the number of something.
    while rest[1..].starts_with(|c: char| c.is_ascii_digit()) && rest[end..].starts_with('-') {
        match run(&rest[end + 1..], |b| b.is_ascii_alphanumeric()) {
            0 => break,
            len => end += 1 + len,
        }
    }
    (end > 1).then_some(end)
}

/// Characters of a component of a path.
fn in_component(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"._-+@%~$#=*".contains(&b)
}

/// `/usr/bin`, `./a`, `../a`, `~/a`. A lone `/a` only counts where a word may begin.
fn path(rest: &str, free: bool) -> Option<usize> {
    let lead = ["../", "./", "~/", "/"]
        .into_iter()
        .find(|lead| rest.starts_with(lead))?;
    let mut end = lead.len();
    let mut components = 0;
    loop {
        let length = match run(&rest[end..], in_component) {
            0 if lead != "/" => chinese_component(&rest[end..]),
            length => length,
        };
        if length == 0 {
            break;
        }
        components += 1;
        end += length;
        if !rest[end..].starts_with('/') {
            break;
        }
        end += 1;
    }
    let named = rest[lead.len()..end].contains(char::is_alphabetic);
    let enough = components > usize::from(lead == "/" && !free);
    let length = rest[..end].trim_end_matches(['.', '-', '*', '~']).len();
    (named && enough && length > lead.len()).then_some(length)
}

/// A component in Chinese, where another follows, an extension or nothing at all.
fn chinese_component(rest: &str) -> usize {
    let han: usize = rest
        .chars()
        .take(32)
        .take_while(|&c| is_han(c) || c.is_ascii_alphanumeric())
        .map(char::len_utf8)
        .sum();
    let tail = &rest[han..];
    match tail.bytes().next() {
        None | Some(b'/') => han,
        Some(b'.') => han + run(tail, in_component),
        _ => 0,
    }
}

/// `C:\dir\file.txt`, `C:/dir`. Chinese names count when a backslash follows or introduces them.
fn drive_path(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let drive = bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    if !drive
        || !matches!(bytes[2], b'\\' | b'/')
        || (bytes[2] == b'/' && bytes.get(3) == Some(&b'/'))
    {
        return None;
    }
    Some(components(rest, 3))
}

/// `\\server\share`
fn network_path(rest: &str) -> Option<usize> {
    let named = rest
        .strip_prefix("\\\\")?
        .starts_with(|c: char| c.is_ascii_alphanumeric());
    named.then(|| components(rest, 2))
}

/// The end of components separated by backslashes (or slashes) from `start` on. The last one ends
/// at the first character that is neither ASCII nor within a component begun in Chinese.
fn components(rest: &str, start: usize) -> usize {
    let mut end = start;
    loop {
        let tail = &rest[end..];
        let ascii = run(tail, in_component);
        let component = if ascii > 0 {
            // `Program Files`: a space counts where another separator follows.
            let spaced = run(tail, |b| in_component(b) || b" ()".contains(&b));
            if tail[spaced..].starts_with('\\') && spaced < 64 {
                spaced
            } else {
                ascii
            }
        } else {
            let han: usize = tail
                .chars()
                .take(32)
                .take_while(|&c| is_han(c) || c.is_ascii_alphanumeric())
                .map(char::len_utf8)
                .sum();
            let last = tail[han..].is_empty() || tail[han..].starts_with(['”', '"', '」', '》']);
            if tail[han..].starts_with(['\\', '.']) {
                han + run(&tail[han..], in_component)
            } else if last {
                han
            } else {
                0
            }
        };
        if component == 0 {
            break;
        }
        end += component;
        if !rest[end..].starts_with(['\\', '/']) {
            break;
        }
        end += 1;
    }
    start.max(rest[..end].trim_end_matches('.').len())
}

/// `[::1]:443`
fn bracketed_host(rest: &str) -> Option<usize> {
    let address = colon_hexadecimal(&rest[1..])?;
    let close = 1 + address;
    let tail = rest[close..].strip_prefix(']')?;
    let port = match tail.strip_prefix(':') {
        Some(port) => 1 + run(port, |b| b.is_ascii_digit()),
        None => 0,
    };
    let v6 = rest[1..close].contains(':');
    v6.then_some(close + 1 + if port > 1 { port } else { 0 })
}

/// IPv4 with port or prefix length, IPv6, MAC.
fn host(rest: &str) -> Option<usize> {
    ipv4(rest).or_else(|| colon_hexadecimal(rest))
}

fn ipv4(rest: &str) -> Option<usize> {
    let mut end = 0;
    for octet in 0..4 {
        if octet > 0 {
            end += usize::from(rest[end..].starts_with('.'));
        }
        let digits = run(&rest[end..], |b| b.is_ascii_digit());
        let value = rest[end..end + digits]
            .parse::<u32>()
            .ok()
            .filter(|_| digits <= 3)?;
        if value > 255 || (octet > 0 && !rest[..end].ends_with('.')) {
            return None;
        }
        end += digits;
    }
    let tail = &rest[end..];
    if tail.starts_with('.') && tail[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let suffix = if tail.starts_with([':', '/']) {
        run(&tail[1..], |b| b.is_ascii_digit())
    } else {
        0
    };
    Some(end + if suffix > 0 { suffix + 1 } else { 0 })
}

/// IPv6 and MAC addresses: groups of hexadecimal digits with colons (or, for MAC, hyphens).
fn colon_hexadecimal(rest: &str) -> Option<usize> {
    let length = run(window(rest, 0, 48), |b| {
        b.is_ascii_hexdigit() || b":-.".contains(&b)
    });
    let text = rest[..length].trim_end_matches(['-', '.']);
    let text = if text.ends_with("::") {
        text
    } else {
        text.trim_end_matches(':')
    };
    let is_mac = |separator| {
        let groups: Vec<&str> = text.split(separator).collect();
        groups.len() == 6 && groups.iter().all(|group| group.len() == 2)
    };
    let v6 = text.matches(':').count() >= 2 && text.parse::<std::net::Ipv6Addr>().is_ok();
    if !(is_mac(':') || is_mac('-') || v6) {
        return None;
    }
    let tail = &rest[text.len()..];
    let prefix = if v6 && tail.starts_with('/') {
        run(&tail[1..], |b| b.is_ascii_digit())
    } else if v6 && tail.starts_with('%') {
        run(&tail[1..], |b| b.is_ascii_alphanumeric())
    } else {
        0
    };
    Some(text.len() + if prefix > 0 { prefix + 1 } else { 0 })
}
