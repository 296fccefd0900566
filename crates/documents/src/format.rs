//! What kind of file it is.

use std::fmt;
use std::str::FromStr;

use crate::DocumentError;
use crate::encoding;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
    /// SubRip subtitles.
    Srt,
    /// WebVTT subtitles.
    WebVtt,
    /// JSON, also several values after each other (JSON lines).
    Json,
    /// A table of separated values.
    Csv,
    /// A Word document.
    #[cfg(feature = "packages")]
    Docx,
    /// A PowerPoint presentation.
    #[cfg(feature = "packages")]
    Pptx,
    /// An Excel workbook.
    #[cfg(feature = "packages")]
    Xlsx,
    /// A book.
    #[cfg(feature = "packages")]
    Epub,
}

/// Formats with their names and extensions.
const ALL: &[(Format, &str, &[&str])] = &[
    (Format::Text, "txt", &["txt", "text", "log"]),
    (Format::Markdown, "md", &["md", "markdown"]),
    (Format::Html, "html", &["html", "htm", "xhtml"]),
    (Format::Srt, "srt", &["srt"]),
    (Format::WebVtt, "vtt", &["vtt", "webvtt"]),
    (Format::Json, "json", &["json", "jsonl", "ndjson"]),
    (Format::Csv, "csv", &["csv", "tsv", "tab"]),
    #[cfg(feature = "packages")]
    (Format::Docx, "docx", &["docx", "docm", "dotx"]),
    #[cfg(feature = "packages")]
    (Format::Pptx, "pptx", &["pptx", "ppsx"]),
    #[cfg(feature = "packages")]
    (Format::Xlsx, "xlsx", &["xlsx", "xltx"]),
    #[cfg(feature = "packages")]
    (Format::Epub, "epub", &["epub"]),
];

/// Bytes at the beginning that decide when the name does not.
const PROBE: usize = 4096;

impl Format {
    /// Finds out the format from the name of a file (its extension) and its bytes. What is no text
    /// is known by its bytes whatever it is called.
    ///
    /// # Errors
    /// [`DocumentError::Unsupported`] when it is none of the formats, and
    /// [`DocumentError::Encrypted`] for an office document with a password.
    pub fn detect(name: &str, bytes: &[u8]) -> Result<Self, DocumentError> {
        refuse_others(bytes)?;
        let extension = match name.rsplit_once('.') {
            Some((_, extension)) => extension.to_ascii_lowercase(),
            None => String::new(),
        };
        #[cfg(feature = "packages")]
        if bytes.starts_with(b"PK\x03\x04") {
            let found = crate::archived::detect(bytes)?;
            return found.ok_or_else(|| {
                let other = OTHERS.iter().find(|(other, _)| *other == extension);
                unsupported(other.map_or("an archive", |(_, found)| *found))
            });
        }
        if let Some(format) = Self::of_extension(&extension) {
            return Ok(format);
        }
        if let Some(found) = OTHERS.iter().find(|(other, _)| *other == extension) {
            return Err(unsupported(found.1));
        }
        Self::sniff(bytes)
    }

    /// The format that an extension (without its dot) names.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        let known = ALL
            .iter()
            .find(|(_, _, extensions)| extensions.contains(&extension));
        known.map(|(format, _, _)| *format)
    }

    /// The short name, which is also the usual extension.
    #[must_use]
    pub fn name(self) -> &'static str {
        ALL.iter()
            .find(|(format, _, _)| *format == self)
            .map_or("txt", |(_, name, _)| name)
    }

    /// All formats that this build reads.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(|(format, _, _)| *format)
    }

    /// The format of text that no extension names.
    fn sniff(bytes: &[u8]) -> Result<Self, DocumentError> {
        let (text, _) = encoding::decode(bytes)?;
        if text.contains('\0') {
            return Err(unsupported("a binary file"));
        }
        let start = text.trim_start();
        if start.starts_with("WEBVTT") {
            return Ok(Self::WebVtt);
        }
        let mut lines = start.lines();
        let number = lines.next().unwrap_or_default().trim();
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if digits && lines.next().is_some_and(|line| line.contains("-->")) {
            return Ok(Self::Srt);
        }
        let head: String = start.chars().take(PROBE).collect();
        let head = head.to_ascii_lowercase();
        if head.starts_with("<!doctype html") || head.starts_with("<html") {
            return Ok(Self::Html);
        }
        let json = head.starts_with(['{', '['])
            && crate::json::read(&text, &mut crate::passage::Units::default()).is_ok();
        Ok(if json { Self::Json } else { Self::Text })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let name = name.trim_start_matches('.').to_ascii_lowercase();
        Self::of_extension(&name).ok_or_else(|| {
            let names: Vec<&str> = Self::all().map(Self::name).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

/// Extensions of what people try to translate.
const OTHERS: [(&str, &str); 9] = [
    ("pdf", "PDF"),
    ("doc", "the binary Word format"),
    ("xls", "the binary Excel format"),
    ("ppt", "the binary PowerPoint format"),
    ("odt", "OpenDocument"),
    ("ods", "OpenDocument"),
    ("rtf", "rich text"),
    ("mobi", "Mobipocket"),
    ("azw3", "Kindle"),
];

fn unsupported(found: &str) -> DocumentError {
    let names: Vec<&str> = Format::all().map(Format::name).collect();
    DocumentError::Unsupported {
        found: found.to_owned(),
        advice: format!("save it in one of these formats: {}", names.join(", ")),
    }
}

/// Refuses what can be told by its first bytes.
fn refuse_others(bytes: &[u8]) -> Result<(), DocumentError> {
    const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    if bytes.starts_with(COMPOUND) {
        // Office puts an encrypted document into the container of its old formats.
        let encrypted = utf16("EncryptedPackage");
        if bytes.windows(encrypted.len()).any(|name| name == encrypted) {
            return Err(DocumentError::Encrypted {
                found: "an office document with a password".to_owned(),
            });
        }
        return Err(unsupported("a binary office document"));
    }
    if bytes.starts_with(b"%PDF-") {
        return Err(unsupported("PDF"));
    }
    if bytes.starts_with(b"{\\rtf") {
        return Err(unsupported("rich text"));
    }
    Ok(())
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn n1_names_decide_and_contents_when_they_do_not() {
        let cases: [(&str, &[u8], Format); 11] = [
            ("a.TXT", b"", Format::Text),
            ("dir.csv/film.SRT", b"", Format::Srt),
            ("a.tsv", b"", Format::Csv),
            ("noname", b"WEBVTT\n", Format::WebVtt),
            (
                "noname",
                b"\xef\xbb\xbf\r\n1\r\n00:00:01,000 --> 00:00:02,000\r\nx",
                Format::Srt,
            ),
            ("a.unknown", "{\"a\": [\"你\"]}".as_bytes(), Format::Json),
            ("a", b"{ not json", Format::Text),
            ("a.md", b"", Format::Markdown),
            ("a", b" <!DOCTYPE HTML>", Format::Html),
            ("a", "你好".as_bytes(), Format::Text),
            ("a", b"", Format::Text),
        ];
        for (name, bytes, format) in cases {
            assert_eq!(Format::detect(name, bytes).unwrap(), format, "{name}");
        }
    }

    #[test]
    fn others_are_refused_by_name() {
        let mut encrypted = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....".to_vec();
        let old = encrypted.clone();
        encrypted.extend(super::utf16("EncryptedPackage"));
        let cases: [(&str, &[u8], &str); 6] = [
            ("a.txt", b"%PDF-1.7", "PDF is not supported: save it"),
            ("a.docx", &encrypted, "the file is encrypted"),
            ("a.doc", &old, "a binary office document"),
            ("a.odt", b"PK", "OpenDocument"),
            ("a", b"\x7fELF\0\0\0", "a binary file"),
            ("a", b"{\\rtf1", "rich text"),
        ];
        for (name, bytes, start) in cases {
            let error = Format::detect(name, bytes).unwrap_err().to_string();
            assert!(error.starts_with(start), "{error}");
        }
    }

    #[test]
    fn formats_are_read_from_their_names() {
        for format in Format::all() {
            assert_eq!(format.name().parse::<Format>().unwrap(), format);
        }
        let error = "exe".parse::<Format>().unwrap_err();
        assert!(
            error.starts_with("expected one of txt, md, html, srt"),
            "{error}"
        );
    }
}
