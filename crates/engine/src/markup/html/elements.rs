//! What each element is to a translation.

/// How an element takes part in the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Stands in a sentence; its content is part of it.
    Inline,
    /// Stands in a sentence and has no content.
    Void,
    /// Stands in a sentence; its content is a word that is copied.
    Code,
    /// Stands in a sentence; its content is no part of it.
    Hidden,
    /// Ends the sentence before it and behind it.
    Block,
    /// As a block, with white space and lines that count.
    Lines,
}

impl Role {
    /// The role of the element with a name in lower case. Unknown ones are inline, as in browsers.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "code" | "kbd" | "samp" | "var" | "tt" | "math" => Self::Code,
            "script" | "style" | "textarea" | "svg" | "noscript" | "iframe" | "noembed"
            | "noframes" | "xmp" | "template" | "object" | "audio" | "video" | "canvas" | "rt"
            | "rp" => Self::Hidden,
            "img" | "input" | "embed" | "wbr" | "source" | "track" | "area" | "base" | "link"
            | "meta" | "param" | "keygen" => Self::Void,
            "pre" | "listing" | "plaintext" => Self::Lines,
            "address" | "article" | "aside" | "blockquote" | "body" | "br" | "caption"
            | "center" | "col" | "colgroup" | "dd" | "details" | "dialog" | "dir" | "div"
            | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "frame"
            | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "head" | "header"
            | "hgroup" | "hr" | "html" | "legend" | "li" | "main" | "menu" | "nav" | "ol"
            | "optgroup" | "option" | "p" | "search" | "section" | "select" | "summary"
            | "table" | "tbody" | "td" | "tfoot" | "th" | "thead" | "title" | "tr" | "ul" => {
                Self::Block
            }
            _ => Self::Inline,
        }
    }

    /// Sentences do not go across it.
    pub(crate) fn breaks(self) -> bool {
        matches!(self, Self::Block | Self::Lines)
    }
}

/// The start of `next` ends an open element `name` whose end tag may be left out.
pub(crate) fn ends_at(name: &str, next: &str) -> bool {
    match name {
        "p" => Role::of(next).breaks() && next != "br",
        "li" => next == "li",
        "dt" | "dd" => matches!(next, "dt" | "dd"),
        "td" | "th" => matches!(next, "td" | "th" | "tr" | "tbody" | "tfoot"),
        "tr" => matches!(next, "tr" | "tbody" | "tfoot"),
        "option" => matches!(next, "option" | "optgroup"),
        "rt" | "rp" => matches!(next, "rt" | "rp"),
        _ => false,
    }
}

/// The element has no end tag.
pub(crate) fn is_void(name: &str) -> bool {
    Role::of(name) == Role::Void || matches!(name, "br" | "hr" | "col" | "frame")
}
