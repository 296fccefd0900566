//! Byte offsets of UTF-8 text to offsets in UTF-16 code units.

/// Converts offsets of one text. Rising offsets cost one walk over the text altogether; a smaller
/// one starts again at the beginning.
#[derive(Debug)]
pub(crate) struct Utf16Cursor<'a> {
    text: &'a str,
    byte: usize,
    units: usize,
}

impl<'a> Utf16Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            units: 0,
        }
    }

    /// The UTF-16 offset of the first character that starts at or after `byte`.
    pub(crate) fn offset_of(&mut self, byte: usize) -> usize {
        if byte < self.byte {
            (self.byte, self.units) = (0, 0);
        }
        let rest = self.text.get(self.byte..).unwrap_or_default();
        for character in rest.chars() {
            if self.byte >= byte {
                break;
            }
            self.byte += character.len_utf8();
            self.units += character.len_utf16();
        }
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::Utf16Cursor;

    #[test]
    fn every_offset_agrees_with_counting() {
        let text = "a好𠮷\u{301}🍚\r\nend";
        let mut cursor = Utf16Cursor::new(text);
        let mut boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        boundaries.push(text.len());
        let backwards = boundaries.clone().into_iter().rev();
        for byte in boundaries.into_iter().chain(backwards) {
            let expected = text[..byte].encode_utf16().count();
            assert_eq!(cursor.offset_of(byte), expected, "byte {byte}");
        }
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(Utf16Cursor::new("好🍚").offset_of(1000), 3);
    }
}
