//! The tokens that open the server.

use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq as _};

/// A set of tokens, kept as hashes. Comparing takes the same time for every text of a length.
pub(crate) struct Tokens(Vec<[u8; 32]>);

impl Tokens {
    pub(crate) fn new(tokens: &[String]) -> Self {
        let tokens = tokens.iter().filter(|token| !token.is_empty());
        Self(tokens.map(|token| hash(token)).collect())
    }

    /// Everybody may ask.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, token: &str) -> bool {
        let hash = hash(token);
        // All of them are compared, whichever fits.
        let found = self
            .0
            .iter()
            .fold(Choice::from(0), |found, known| found | known.ct_eq(&hash));
        found.into()
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    #[test]
    fn j7_only_the_whole_token_fits() {
        let tokens = Tokens::new(&["one".into(), "two".into(), String::new()]);
        assert!(tokens.contains("one") && tokens.contains("two"));
        for wrong in ["", "on", "one ", "ONE", "onetwo"] {
            assert!(!tokens.contains(wrong), "{wrong:?}");
        }
        assert!(Tokens::new(&[String::new()]).is_empty());
    }
}
