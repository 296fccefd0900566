//! Tags of HTML among the words of a paragraph.

use crate::markup::html::elements::{Role, is_void};
use crate::markup::html::token::{self, Kind};

/// What an HTML tag does in a paragraph.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// An element begins whose content is part of the sentence.
    Open(String),
    /// An element begins whose content is not to be translated.
    Kept(String),
    Close(String),
    /// A sentence ends here, as at `<br>`.
    Break,
    /// Stands for itself: comments, images, what is no tag.
    Alone,
}

impl Tag {
    pub(crate) fn parse(html: &str) -> Self {
        let mut tag = Self::Alone;
        token::each(html, &mut |token| {
            if token.range.start > 0 {
                return;
            }
            tag = match token.kind {
                Kind::Start { name, .. } if Role::of(&name).breaks() => Self::Break,
                Kind::Start { name, .. } if is_void(&name) || html.ends_with("/>") => {
                    drop(name);
                    Self::Alone
                }
                Kind::Start { name, kept } => match Role::of(&name) {
                    Role::Inline if !kept => Self::Open(name),
                    _ => Self::Kept(name),
                },
                Kind::End { name } if Role::of(&name).breaks() => Self::Break,
                Kind::End { name } => Self::Close(name),
                _ => Self::Alone,
            };
        });
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn tags_are_told_apart() {
        for (html, tag) in [
            ("<b>", Tag::Open("b".into())),
            ("<SPAN translate='no'>", Tag::Kept("span".into())),
            ("<kbd>", Tag::Kept("kbd".into())),
            ("</kbd>", Tag::Close("kbd".into())),
            ("<br/>", Tag::Break),
            ("<!-- x -->", Tag::Alone),
            ("<img src=a>", Tag::Alone),
            ("<my-mark/>", Tag::Alone),
        ] {
            assert_eq!(Tag::parse(html), tag, "{html}");
        }
    }
}
