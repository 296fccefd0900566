//! Rows and fields with their bytes.

use std::borrow::Cow;

/// A field as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// With its quotes.
    pub(super) raw: &'a str,
    /// Where it begins in the file.
    pub(super) start: usize,
}

impl<'a> Field<'a> {
    pub(super) fn is_quoted(&self) -> bool {
        self.raw.starts_with('"')
    }

    /// What the field says. Characters between the closing quote and the separator, which no
    /// writer of tables makes, are part of it.
    pub(super) fn text(&self) -> Cow<'a, str> {
        let Some(quoted) = self.raw.strip_prefix('"') else {
            return Cow::Borrowed(self.raw);
        };
        match quoted.strip_suffix('"') {
            Some(inner) if inner.contains('"') => Cow::Owned(inner.replace("\"\"", "\"")),
            Some(inner) => Cow::Borrowed(inner),
            None => Cow::Owned(quoted.replace("\"\"", "\"")),
        }
    }
}

/// Reads rows one after the other.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    delimiter: u8,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, delimiter: u8) -> Self {
        Self {
            text,
            delimiter,
            at: 0,
        }
    }

    /// Appends the fields of the next row; none at the end of the text. A blank line is a row of
    /// one empty field.
    ///
    /// # Errors
    /// Where a quotation begins that is never closed.
    pub(super) fn row(&mut self, row: &mut Vec<Field<'a>>) -> Result<(), usize> {
        let bytes = self.text.as_bytes();
        if self.at >= bytes.len() {
            return Ok(());
        }
        loop {
            let start = self.at;
            let mut end = start;
            if bytes.get(end) == Some(&b'"') {
                end = self.closing_quote(start).ok_or(start)?;
            }
            while bytes
                .get(end)
                .is_some_and(|&byte| byte != self.delimiter && !matches!(byte, b'\r' | b'\n'))
            {
                end += 1;
            }
            row.push(Field {
                raw: &self.text[start..end],
                start,
            });
            self.at = end;
            match &bytes[end..] {
                [b'\r', b'\n', ..] => self.at += 2,
                [b'\r' | b'\n', ..] => self.at += 1,
                [_, ..] => {
                    self.at += 1;
                    continue;
                }
                [] => {}
            }
            return Ok(());
        }
    }

    /// Behind the quote that closes the one at `start`.
    fn closing_quote(&self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match (bytes.get(at)?, bytes.get(at + 1)) {
                (b'"', Some(b'"')) => at += 2,
                (b'"', _) => return Some(at + 1),
                _ => at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reader;

    fn rows(text: &str) -> Vec<Vec<String>> {
        let mut reader = Reader::new(text, b',');
        let mut rows = Vec::new();
        loop {
            let mut row = Vec::new();
            reader.row(&mut row).unwrap();
            if row.is_empty() {
                return rows;
            }
            rows.push(row.iter().map(|field| field.text().into_owned()).collect());
        }
    }

    #[test]
    fn rows_and_fields() {
        assert_eq!(
            rows("a,b\r\n\"c,\"\"d\"\"\n\",e\rf"),
            [vec!["a", "b"], vec!["c,\"d\"\n", "e"], vec!["f"]]
        );
        assert_eq!(rows(",\n\n"), [vec!["", ""], vec![""]]);
        assert_eq!(rows("\"\",\"a\"b"), [vec!["", "a\"b"]]);
        assert!(rows("").is_empty());
    }

    #[test]
    fn open_quotations_are_told() {
        let mut reader = Reader::new("a,\"b\"\"", b',');
        assert_eq!(reader.row(&mut Vec::new()), Err(2));
    }
}
