//! What tells one model's content from another's.

use std::fmt::Write as _;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// The SHA-256 of everything that `content` has, in hexadecimal.
///
/// # Errors
/// When it cannot be read.
pub fn fingerprint(mut content: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match content.read(&mut block)? {
            0 => break,
            count => hash.update(&block[..count]),
        }
    }
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn is_the_hash_of_everything() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(fingerprint(&b""[..]).unwrap(), empty);
        let long = vec![7; 200_000];
        assert_ne!(
            fingerprint(&long[..]).unwrap(),
            fingerprint(&long[1..]).unwrap()
        );
    }
}
