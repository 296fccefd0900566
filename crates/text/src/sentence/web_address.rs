//! Web addresses in running text, whose punctuation ends no sentence.

/// Where the address that begins at byte `at` ends, if one begins there.
pub(super) fn end(line: &str, at: usize) -> Option<usize> {
    let rest = &line[at..];
    let first = rest.as_bytes().first()?.to_ascii_lowercase();
    if !matches!(first, b'h' | b'f' | b'w') || !begins(rest) {
        return None;
    }
    if line[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let length = rest.find(ends_address).unwrap_or(rest.len());
    // Punctuation at the very end belongs to the sentence.
    let address = rest[..length].trim_end_matches(['.', ',', '!', '?', ';', ':', ')', '\'']);
    Some(at + address.len())
}

fn begins(rest: &str) -> bool {
    ["http://", "https://", "ftp://", "www."]
        .iter()
        .any(|scheme| {
            rest.get(..scheme.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        })
}

/// White space, quotes, angle brackets and full-width punctuation; Chinese letters can be part of
/// a path.
fn ends_address(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '<' | '>' | '"' | '“' | '”' | '‘' | '’' | '…')
        || matches!(u32::from(c), 0x3000..=0x303f | 0xff01..=0xff0f | 0xff1a..=0xff20 | 0xff3b..=0xff65)
}
