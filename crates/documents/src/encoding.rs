//! Bytes to text and back in the encoding that the file has.

use std::borrow::Cow;
use std::io::Write;

use crate::DocumentError;

/// How a file stores its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding {
    charset: Charset,
    /// Begins with a byte order mark.
    mark: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Utf8,
    Utf16Little,
    Utf16Big,
    #[cfg(feature = "gb18030")]
    Gb18030,
}

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const LITTLE_MARK: &[u8] = b"\xff\xfe";
const BIG_MARK: &[u8] = b"\xfe\xff";

/// How much of a file decides about encodings that nothing declares.
const PROBE: usize = 64 << 10;

/// Finds out the encoding and decodes. A byte order mark is not part of the text.
pub(crate) fn decode(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), DocumentError> {
    let marked = |charset, mark: &[u8]| {
        let encoding = Encoding {
            charset,
            mark: true,
        };
        Ok((encoding.text(&bytes[mark.len()..], mark.len())?, encoding))
    };
    if bytes.starts_with(UTF8_MARK) {
        return marked(Charset::Utf8, UTF8_MARK);
    }
    if bytes.starts_with(LITTLE_MARK) {
        return marked(Charset::Utf16Little, LITTLE_MARK);
    }
    if bytes.starts_with(BIG_MARK) {
        return marked(Charset::Utf16Big, BIG_MARK);
    }
    refuse_big5(bytes)?;
    let encoding = Encoding {
        charset: unmarked(bytes),
        mark: false,
    };
    Ok((encoding.text(bytes, 0)?, encoding))
}

/// The encoding of a file without a byte order mark.
fn unmarked(bytes: &[u8]) -> Charset {
    // No other text has NUL, and every line break in UTF-16 has one.
    let mut zeros = [0, 0];
    for pair in bytes[..bytes.len().min(PROBE)].chunks_exact(2) {
        zeros[0] += usize::from(pair[0] == 0);
        zeros[1] += usize::from(pair[1] == 0);
    }
    if zeros != [0, 0] && bytes.len().is_multiple_of(2) {
        if zeros[1] > zeros[0] * 4 {
            return Charset::Utf16Little;
        }
        if zeros[0] > zeros[1] * 4 {
            return Charset::Utf16Big;
        }
    }
    #[cfg(feature = "gb18030")]
    if std::str::from_utf8(bytes).is_err() {
        return Charset::Gb18030;
    }
    Charset::Utf8
}

/// Big5 is mostly valid GB18030 too, but reads as nonsense; pages declare it.
fn refuse_big5(bytes: &[u8]) -> Result<(), DocumentError> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let declares = |charset: &str| {
        [
            "charset=",
            "charset=\"",
            "encoding=\"",
            "charset='",
            "encoding='",
        ]
        .iter()
        .any(|start| head.contains(&format!("{start}{charset}")))
    };
    if std::str::from_utf8(bytes).is_err() && declares("big5") {
        return Err(DocumentError::Unsupported {
            found: "text in Big5".to_owned(),
            advice: "convert it first, for example with `iconv -f BIG5 -t UTF-8`".to_owned(),
        });
    }
    Ok(())
}

impl Encoding {
    /// `start` is where the bytes begin in the file.
    fn text(self, bytes: &[u8], start: usize) -> Result<Cow<'_, str>, DocumentError> {
        match self.charset {
            Charset::Utf8 => {
                let text = std::str::from_utf8(bytes).map_err(|error| DocumentError::Encoding {
                    encoding: "UTF-8",
                    position: start + error.valid_up_to(),
                    advice: "save the file as UTF-8",
                })?;
                Ok(Cow::Borrowed(text))
            }
            Charset::Utf16Little => utf16(bytes, start, u16::from_le_bytes).map(Cow::Owned),
            Charset::Utf16Big => utf16(bytes, start, u16::from_be_bytes).map(Cow::Owned),
            #[cfg(feature = "gb18030")]
            Charset::Gb18030 => gb18030(bytes, start),
        }
    }

    /// Writes the byte order mark if the file had one.
    pub(crate) fn begin(self, out: &mut dyn Write) -> std::io::Result<()> {
        if !self.mark {
            return Ok(());
        }
        out.write_all(match self.charset {
            Charset::Utf16Little => LITTLE_MARK,
            Charset::Utf16Big => BIG_MARK,
            _ => UTF8_MARK,
        })
    }

    /// Writes a piece of the text.
    pub(crate) fn write(self, text: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let units = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(order).collect()
        };
        match self.charset {
            Charset::Utf8 => out.write_all(text.as_bytes()),
            Charset::Utf16Little => out.write_all(&units(u16::to_le_bytes)),
            Charset::Utf16Big => out.write_all(&units(u16::to_be_bytes)),
            // It has all characters of Unicode.
            #[cfg(feature = "gb18030")]
            Charset::Gb18030 => out.write_all(&encoding_rs::GB18030.encode(text).0),
        }
    }
}

fn utf16(bytes: &[u8], start: usize, order: fn([u8; 2]) -> u16) -> Result<String, DocumentError> {
    let broken = |position| DocumentError::Encoding {
        encoding: "UTF-16",
        position,
        advice: "the file is damaged; save it as UTF-8",
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len() * 3 / 2);
    let mut position = start;
    for char in char::decode_utf16(pairs.iter().copied().map(order)) {
        let char = char.map_err(|_| broken(position))?;
        position += char.len_utf16() * 2;
        text.push(char);
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(broken(position))
    }
}

#[cfg(feature = "gb18030")]
fn gb18030(bytes: &[u8], start: usize) -> Result<Cow<'_, str>, DocumentError> {
    let mut decoder = encoding_rs::GB18030.new_decoder_without_bom_handling();
    let too_large = || DocumentError::Limit {
        what: "the text".to_owned(),
        found: bytes.len() as u64,
        limit: (usize::MAX / 4) as u64,
    };
    let room = decoder
        .max_utf8_buffer_length_without_replacement(bytes.len())
        .ok_or_else(too_large)?;
    let mut text = String::with_capacity(room);
    let (result, read) = decoder.decode_to_string_without_replacement(bytes, &mut text, true);
    match result {
        encoding_rs::DecoderResult::InputEmpty => Ok(Cow::Owned(text)),
        encoding_rs::DecoderResult::OutputFull => Err(too_large()),
        encoding_rs::DecoderResult::Malformed(length, after) => Err(DocumentError::Encoding {
            encoding: "UTF-8 or GB18030",
            position: start + read.saturating_sub(usize::from(length) + usize::from(after)),
            advice: "save the file as UTF-8; if it is no text, it cannot be translated",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::DocumentError;

    fn round_trip(bytes: &[u8], text: &str) {
        let (decoded, encoding) = decode(bytes).unwrap();
        assert_eq!(decoded, text);
        let mut out = Vec::new();
        encoding.begin(&mut out).unwrap();
        // In pieces, as documents are written.
        for char in decoded.chars() {
            encoding
                .write(char.encode_utf8(&mut [0; 4]), &mut out)
                .unwrap();
        }
        assert_eq!(out, bytes);
    }

    fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn n1_text_comes_back_in_its_encoding() {
        let text = "你好，世界。\r\n𠮷 emoji 👍\n";
        round_trip(text.as_bytes(), text);
        round_trip(format!("\u{feff}{text}").as_bytes(), text);
        round_trip(&utf16(text, u16::to_le_bytes), text);
        round_trip(&utf16(text, u16::to_be_bytes), text);
        round_trip(&utf16(&format!("\u{feff}{text}"), u16::to_le_bytes), text);
        round_trip(&utf16(&format!("\u{feff}{text}"), u16::to_be_bytes), text);
        round_trip(b"", "");
    }

    #[cfg(feature = "gb18030")]
    #[test]
    fn n1_gb18030_comes_back() {
        round_trip(b"\xc4\xe3\xba\xc3\xa1\xa3\r\n", "你好。\r\n");
        round_trip(b"\xc4\xe3 \x95\x32\x82\x36\n", "你 𠀀\n");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let odd = [LITTLE, b"a\0b"].concat();
        for (bytes, position) in [
            (&odd[..], 4),
            (b"\xff\xfe\x00\xd8a\x00", 2),
            (b"\xef\xbb\xbfab\xff", 5),
        ] {
            let error = decode(bytes).unwrap_err();
            let DocumentError::Encoding {
                position: found, ..
            } = error
            else {
                panic!("{error}");
            };
            assert_eq!(found, position, "{bytes:?}");
        }
    }

    const LITTLE: &[u8] = b"\xff\xfe";

    #[test]
    fn declared_big5_is_not_guessed() {
        let page = b"<meta charset=\"big5\"><p>\xa7A\xa6n</p>";
        assert!(matches!(
            decode(page),
            Err(DocumentError::Unsupported { .. })
        ));
    }
}
