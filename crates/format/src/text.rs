//! Text tensors: vocabularies and merge rules, zlib-compressed.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::error::FormatError;

/// No text is longer than this when unpacked.
pub(crate) const MAX_TEXT: usize = 64 << 20;

/// One compressed byte gives at most 1032 (RFC 1951: 258 bytes from 2 bits).
const MAX_RATIO: usize = 1032;

/// Compressed at the best level; the zlib frame carries a check sum.
pub(crate) fn deflate(text: &[u8]) -> Vec<u8> {
    compress_to_vec_zlib(text, 10)
}

/// Unpacks `packed`, which must give exactly `len` bytes.
pub(crate) fn inflate(name: &str, packed: &[u8], len: usize) -> Result<Vec<u8>, FormatError> {
    let broken = |message: String| FormatError::Text {
        name: name.to_owned(),
        message,
    };
    let justified = packed.len().saturating_mul(MAX_RATIO).min(MAX_TEXT);
    if len > justified {
        return Err(broken(format!(
            "{} bytes cannot hold {len}, expected at most {justified}",
            packed.len()
        )));
    }
    let text = decompress_to_vec_zlib_with_limit(packed, len)
        .map_err(|error| broken(format!("zlib: {error}")))?;
    if text.len() != len {
        return Err(broken(format!(
            "unpacks to {} bytes, expected {len}",
            text.len()
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{deflate, inflate};

    #[test]
    fn round_trip() {
        for text in [&b""[..], b"a", &b"\xe4\xb8\xad\xe6\x96\x87\n".repeat(500)] {
            let packed = deflate(text);
            assert_eq!(inflate("t", &packed, text.len()).unwrap(), text);
        }
    }

    #[test]
    fn wrong_length_bomb_and_damage_are_refused() {
        let packed = deflate(&[7; 1000]);
        assert!(inflate("t", &packed, 999).is_err());
        assert!(inflate("t", &packed, 1001).is_err());
        assert!(inflate("t", &packed, usize::MAX).is_err());
        assert!(inflate("t", &packed[..packed.len() - 5], 1000).is_err());
        let mut damaged = packed;
        *damaged.last_mut().unwrap() ^= 1;
        assert!(
            inflate("t", &damaged, 1000).is_err(),
            "the check sum counts"
        );
    }
}
