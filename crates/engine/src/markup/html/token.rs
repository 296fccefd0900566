//! Tokens with their bytes.

use std::ops::Range;

use html5gum::{DefaultEmitter, Tokenizer};

/// A token of a document.
#[derive(Debug)]
pub(crate) struct Token {
    /// Its bytes. What is between two tokens belongs to none: half tags, for example.
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Start {
        /// In lower case.
        name: String,
        /// It is told not to be translated.
        kept: bool,
    },
    End {
        name: String,
    },
    /// With character references decoded.
    Text(String),
    /// Comments and what counts as one.
    Comment,
    Doctype,
}

/// Calls `take` with every token, first to last. The bytes of tokens never overlap.
pub(crate) fn each(source: &str, take: &mut dyn FnMut(Token)) {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut done = 0;
    for token in Tokenizer::new_with_emitter(source, emitter) {
        let Ok(token) = token;
        let (span, kind) = match token {
            html5gum::Token::StartTag(tag) => {
                let attribute = |name: &[u8]| {
                    let value = tag.attributes.get(name)?;
                    Some(String::from_utf8_lossy(value).to_ascii_lowercase())
                };
                let kept = attribute(b"translate").is_some_and(|value| value.trim() == "no")
                    || attribute(b"class").is_some_and(|value| {
                        value
                            .split_ascii_whitespace()
                            .any(|class| class == "notranslate")
                    });
                let name = text(&tag.name);
                (tag.span, Kind::Start { name, kept })
            }
            html5gum::Token::EndTag(tag) => {
                let name = text(&tag.name);
                (tag.span, Kind::End { name })
            }
            html5gum::Token::String(string) => (string.span, Kind::Text(text(&string))),
            html5gum::Token::Comment(comment) => (comment.span, Kind::Comment),
            html5gum::Token::Doctype(doctype) => (doctype.span, Kind::Doctype),
            html5gum::Token::Error(_) => continue,
        };
        let start = boundary(source, span.start.max(done));
        let end = boundary(source, span.end.max(start));
        done = end;
        take(Token {
            range: start..end,
            kind,
        });
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The nearest place at or behind `at` that is not inside a character.
fn boundary(source: &str, at: usize) -> usize {
    (at..source.len())
        .find(|&at| source.is_char_boundary(at))
        .unwrap_or(source.len())
}
