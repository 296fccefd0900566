//! Tags in the text of cues.

use super::Dialect;

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    Tag(&'a str),
}

/// Cuts a line into text and tags: `<i>`, `</i>`, `<v Name>`, `<00:01.000>`, and `{\an8}` in
/// SubRip.
pub(super) fn tokens(line: &str, dialect: Dialect) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(found) = line[at..].find(['<', '{']) {
        let begin = at + found;
        let Some(length) = tag_length(&line[begin..], dialect) else {
            at = begin + 1;
            continue;
        };
        if start < begin {
            tokens.push(Token::Text(&line[start..begin]));
        }
        tokens.push(Token::Tag(&line[begin..begin + length]));
        at = begin + length;
        start = at;
    }
    if start < line.len() {
        tokens.push(Token::Text(&line[start..]));
    }
    tokens
}

fn tag_length(text: &str, dialect: Dialect) -> Option<usize> {
    if let Some(inner) = text.strip_prefix('<') {
        let name = inner.strip_prefix('/').unwrap_or(inner);
        // A cue may say 3 < 5.
        if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        let end = inner.find(['>', '<'])?;
        return inner[end..].starts_with('>').then_some(end + 2);
    }
    if dialect == Dialect::SubRip && text.starts_with("{\\") {
        return Some(text.find('}')? + 1);
    }
    None
}

/// What the tags of a cue do to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Begins a stretch whose end is the tag with this index.
    Open(usize),
    Close,
    Alone,
}

/// Finds the pairs among the tags.
pub(super) fn roles(tags: &[&str]) -> Vec<Role> {
    let mut roles = vec![Role::Alone; tags.len()];
    let mut open: Vec<usize> = Vec::new();
    for (i, tag) in tags.iter().enumerate() {
        match closes(tag) {
            Some(closed) => {
                let partner = open
                    .iter()
                    .rposition(|&partner| name(tags[partner]).eq_ignore_ascii_case(closed));
                if let Some(depth) = partner {
                    roles[open[depth]] = Role::Open(i);
                    roles[i] = Role::Close;
                    // What was not closed inside stands alone.
                    open.truncate(depth);
                }
            }
            None if !name(tag).is_empty() => open.push(i),
            None => {}
        }
    }
    roles
}

/// The name of the tag that this one closes.
fn closes(tag: &str) -> Option<&str> {
    tag.strip_prefix("</").map(word)
}

/// The name of an opening tag; empty when it opens nothing.
fn name(tag: &str) -> &str {
    let name = tag.strip_prefix('<').map(word).unwrap_or_default();
    if name.starts_with(|c: char| c.is_ascii_digit()) || tag.ends_with("/>") {
        return "";
    }
    name
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric());
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Role, Token, roles, tokens};

    #[test]
    fn d6_tags_are_told_from_text() {
        use Token::{Tag, Text};
        assert_eq!(
            tokens(
                "{\\an8}<i>甲</i> 3 < 5 <font color=\"#fff\">乙",
                Dialect::SubRip
            ),
            [
                Tag("{\\an8}"),
                Tag("<i>"),
                Text("甲"),
                Tag("</i>"),
                Text(" 3 < 5 "),
                Tag("<font color=\"#fff\">"),
                Text("乙"),
            ]
        );
        assert_eq!(tokens("{\\x}<3 <b", Dialect::WebVtt), [Text("{\\x}<3 <b")]);
        assert_eq!(
            tokens("<v.loud 玛丽>甲<00:01.000>", Dialect::WebVtt),
            [Tag("<v.loud 玛丽>"), Text("甲"), Tag("<00:01.000>")]
        );
    }

    #[test]
    fn pairs_nest_and_the_rest_stands_alone() {
        use Role::{Alone, Close, Open};
        assert_eq!(
            roles(&["<i>", "<b>", "</b>", "</i>"]),
            [Open(3), Open(2), Close, Close]
        );
        assert_eq!(
            roles(&["<i>", "<b>", "</i>", "</b>"]),
            [Open(2), Alone, Close, Alone]
        );
        assert_eq!(
            roles(&["<v 甲>", "{\\an8}", "<00:01.000>", "<br/>"]),
            [Alone; 4]
        );
    }
}
