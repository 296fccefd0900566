//! Token ↔ id tables.

use crate::error::TextError;
use crate::string_table::StringTable;
use crate::whitespace;

/// Id of `</s>`: the end of a sentence and the padding after it.
pub const EOS: u32 = 0;

/// The tokens of one language, numbered by the line they stand on.
///
/// A file has one line fewer than the embedding table has rows; the last row belongs to all
/// unknown tokens.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    tokens: StringTable,
    unk: u32,
}

impl Vocabulary {
    /// Reads a vocabulary file for a model with `size` embedding rows.
    ///
    /// Lines end at `\n` only, white space around a token is dropped, and of equal tokens the last
    /// one counts. Blank lines after row `size` are ignored.
    ///
    /// # Errors
    /// If the bytes are not UTF-8, `size` is 0, or there are more than `size` tokens.
    pub fn parse(bytes: &[u8], size: usize) -> Result<Self, TextError> {
        let text = utf8(bytes, "vocabulary")?;
        let unk = u32::try_from(size.checked_sub(1).ok_or(TextError::EmptyVocabulary)?).map_err(
            |_| TextError::TooLarge {
                what: "vocabulary size",
                bytes: size,
            },
        )?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let lines = text.split('\n').count();
        let mut tokens = StringTable::with_capacity(lines.min(size), text.len());
        if !text.is_empty() {
            for (row, line) in text.split('\n').enumerate() {
                let token = whitespace::trim(line);
                if row < size {
                    tokens.push(token);
                } else if !token.is_empty() {
                    return Err(TextError::TooManyTokens { lines, size });
                }
            }
        }
        Ok(Self { tokens, unk })
    }

    /// The id of `token`, if it has one of its own.
    #[must_use]
    pub fn id(&self, token: &str) -> Option<u32> {
        self.tokens.find(token)
    }

    /// Whether a token is a single character, alone or in a word (`x@@`): with all of those every word
    /// can be spelt.
    #[must_use]
    pub fn is_single_character(&self, id: u32) -> bool {
        let token = self.token(id);
        token.is_some_and(|token| token.trim_end_matches("@@").chars().count() <= 1)
    }

    /// The token on line `id`.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        self.tokens.get(id)
    }

    /// The id of every token that has none of its own: the last row of the embedding table.
    #[must_use]
    pub fn unk(&self) -> u32 {
        self.unk
    }

    /// Number of lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no token at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.len() == 0
    }
}

/// `bytes` as text below 4 GiB.
pub(crate) fn utf8<'b>(bytes: &'b [u8], what: &'static str) -> Result<&'b str, TextError> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(TextError::TooLarge {
            what,
            bytes: bytes.len(),
        });
    }
    std::str::from_utf8(bytes).map_err(|error| TextError::NotUtf8 {
        what,
        offset: error.valid_up_to(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lines_and_leaves_the_last_row_to_unknown_tokens() {
        let vocabulary = Vocabulary::parse("</s>\n我们\r\n\u{3000}a@@ \n".as_bytes(), 5).unwrap();
        assert_eq!(vocabulary.id("</s>"), Some(EOS));
        assert_eq!(vocabulary.id("我们"), Some(1));
        assert_eq!(vocabulary.id("a@@"), Some(2));
        assert_eq!(vocabulary.id("b"), None);
        assert_eq!(vocabulary.unk(), 4);
        assert_eq!(vocabulary.token(2), Some("a@@"));
        assert_eq!(vocabulary.token(3), None);
        assert_eq!(vocabulary.len(), 3);
    }

    #[test]
    fn last_duplicate_wins() {
        let vocabulary = Vocabulary::parse(b"a\nb\na", 4).unwrap();
        assert_eq!(vocabulary.id("a"), Some(2));
        assert_eq!(vocabulary.token(0), Some("a"));
    }

    #[test]
    fn only_line_feeds_end_a_line() {
        let vocabulary = Vocabulary::parse("a\u{2028}b\nc\u{85}d".as_bytes(), 3).unwrap();
        assert_eq!(vocabulary.len(), 2);
        assert_eq!(vocabulary.id("a\u{2028}b"), Some(0));
    }

    #[test]
    fn rejects_what_does_not_fit_the_model() {
        assert!(Vocabulary::parse(b"a\nb\n", 2).is_ok());
        assert!(Vocabulary::parse(b"a\nb\n\n \n", 2).is_ok());
        assert_eq!(
            Vocabulary::parse(b"a\nb\nc\n", 2).unwrap_err(),
            TextError::TooManyTokens { lines: 3, size: 2 }
        );
        assert_eq!(
            Vocabulary::parse(b"a", 0).unwrap_err(),
            TextError::EmptyVocabulary
        );
        assert!(matches!(
            Vocabulary::parse(b"a\n\xff", 3).unwrap_err(),
            TextError::NotUtf8 { offset: 2, .. }
        ));
        assert!(Vocabulary::parse(b"", 3).unwrap().is_empty());
    }
}
