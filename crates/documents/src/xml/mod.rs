//! XML as a sequence of tokens with their bytes.

mod character;

use quick_xml::Reader;
use quick_xml::events::Event;

pub(crate) use self::character::{decode_reference, push_escaped};
use crate::DocumentError;

/// Elements inside each other. Deeper files are refused: no editor makes them.
const MAX_DEPTH: usize = 512;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Start,
    End,
    /// `<a/>`
    Empty,
    /// Characters without references.
    Text,
    CData,
    /// `&amp;`
    Reference,
    /// Comments, processing instructions, declarations.
    Other,
}

/// A piece of a file. Tokens in order are the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    /// The bytes.
    pub(crate) raw: &'a str,
    /// Where they begin.
    pub(crate) start: usize,
}

impl<'a> Token<'a> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.raw.len()
    }

    /// The name of an element with its prefix; empty for other tokens.
    pub(crate) fn name(&self) -> &'a str {
        let inner = match self.kind {
            Kind::Start | Kind::Empty => &self.raw[1..],
            Kind::End => &self.raw[2..],
            _ => return "",
        };
        let end = inner.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'));
        &inner[..end.unwrap_or(inner.len())]
    }

    /// The name without its prefix.
    pub(crate) fn local_name(&self) -> &'a str {
        let name = self.name();
        name.rsplit_once(':').map_or(name, |(_, local)| local)
    }

    /// The value of an attribute as it stands in the file.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// Names and values of the attributes, as they stand in the file.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let inner = match self.kind {
            Kind::Start | Kind::Empty => &self.raw[1 + self.name().len()..],
            _ => "",
        };
        let mut rest = inner;
        std::iter::from_fn(move || {
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, after) = after[1..].split_once(quote)?;
            rest = after;
            Some((key.trim(), value))
        })
    }
}

/// Reads a file token by token.
pub(crate) struct Tokens<'a, 'p> {
    text: &'a str,
    /// The name of the file in its archive, for errors.
    part: &'p str,
    reader: Reader<&'a [u8]>,
    depth: usize,
}

impl<'a, 'p> Tokens<'a, 'p> {
    pub(crate) fn new(text: &'a str, part: &'p str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = true;
        config.allow_dangling_amp = false;
        Self {
            text,
            part,
            reader,
            depth: 0,
        }
    }

    /// The next token; `None` at the end of a complete file.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, DocumentError> {
        let start = self.position();
        let event = match self.reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(self.error(error.to_string())),
        };
        let end = self.position();
        let kind = match event {
            Event::Start(_) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(DocumentError::Limit {
                        what: format!("the depth of elements in {}", self.part),
                        found: self.depth as u64,
                        limit: MAX_DEPTH as u64,
                    });
                }
                Kind::Start
            }
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                Kind::End
            }
            Event::Empty(_) => Kind::Empty,
            Event::Text(_) => Kind::Text,
            Event::CData(_) => Kind::CData,
            Event::GeneralRef(_) => Kind::Reference,
            Event::DocType(declaration) => {
                // An internal subset is where entities are declared.
                if declaration.contains('[') {
                    let part = self.part.to_owned();
                    return Err(DocumentError::Entities { part });
                }
                Kind::Other
            }
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => Kind::Other,
            Event::Eof if self.depth > 0 => {
                return Err(self.error("it ends inside an element".to_owned()));
            }
            Event::Eof => return Ok(None),
        };
        match self.text.get(start..end) {
            Some(raw) => Ok(Some(Token { kind, raw, start })),
            None => Err(self.error("broken markup".to_owned())),
        }
    }

    fn position(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    fn error(&self, reason: String) -> DocumentError {
        DocumentError::Xml {
            part: self.part.to_owned(),
            position: self.reader.error_position(),
            reason,
        }
    }
}

/// The tokens of the element that begins with the first token, and how many they are: up to its
/// end, or all where the end is missing.
pub(crate) fn element<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Start => depth += 1,
            Kind::End => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return &tokens[..=i];
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::{Kind, Token, Tokens};
    use crate::DocumentError;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, DocumentError> {
        let mut reader = Tokens::new(text, "part.xml");
        let mut tokens = Vec::new();
        while let Some(token) = reader.next()? {
            tokens.push(token);
        }
        Ok(tokens)
    }

    #[test]
    fn tokens_are_the_file() {
        let file = "<?xml version=\"1.0\"?>\r\n<!DOCTYPE html>\n<w:a b = 'c>d' e=\"f\"><!-- & -->x &amp; y\
            <![CDATA[<]]><g/ ></w:a >\n";
        let file = file.replace("<g/ >", "<g />");
        let tokens = tokens(&file).unwrap();
        assert_eq!(
            tokens.iter().map(|token| token.raw).collect::<String>(),
            file
        );
        let kinds: Vec<Kind> = tokens.iter().map(|token| token.kind).collect();
        assert!(kinds.contains(&Kind::CData) && kinds.contains(&Kind::Reference));
        let start = tokens
            .iter()
            .find(|token| token.kind == Kind::Start)
            .unwrap();
        assert_eq!((start.name(), start.local_name()), ("w:a", "a"));
        assert_eq!(start.attribute("b"), Some("c>d"));
        assert_eq!(start.attribute("e"), Some("f"));
        assert_eq!(start.attribute("x"), None);
        let end = tokens.iter().find(|token| token.kind == Kind::End).unwrap();
        assert_eq!(end.name(), "w:a");
    }

    #[test]
    fn entities_depth_and_broken_markup_are_refused() {
        let laughs = "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
        assert!(matches!(
            tokens(laughs),
            Err(DocumentError::Entities { .. })
        ));
        let deep = "<a>".repeat(1000) + &"</a>".repeat(1000);
        assert!(matches!(tokens(&deep), Err(DocumentError::Limit { .. })));
        for broken in [
            "<a>",
            "<a></b>",
            "<a",
            "</a>",
            "<a>&</a>",
            "<a><!--",
            "<![CDATA[",
        ] {
            let error = tokens(broken).unwrap_err();
            assert!(
                matches!(error, DocumentError::Xml { .. }),
                "{broken}: {error}"
            );
        }
    }
}
