//! The checks of a translation by name, so that the effect of each can be measured.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Something that keeps a translation faithful to its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Guard {
    /// A translation is at most 3 × source tokens + 10 long.
    Length,
    /// The unknown token is never chosen.
    Unknown,
    /// The model sees signs in place of addresses, code, pictures …
    Signs,
    /// What the source protects has to be in the translation.
    Lost,
    /// Nothing is said over and over.
    Loops,
    /// Of several sound hypotheses one without `invinvitation` is taken.
    Stutters,
    /// No Chinese characters and no brackets out of nowhere.
    Untranslated,
    /// No, not and never where the source has them; money and times of day as in the source.
    Wording,
}

impl Guard {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Length,
        Self::Unknown,
        Self::Signs,
        Self::Lost,
        Self::Loops,
        Self::Stutters,
        Self::Untranslated,
        Self::Wording,
    ];

    /// Its name, as it is parsed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Unknown => "unknown",
            Self::Signs => "signs",
            Self::Lost => "lost",
            Self::Loops => "loops",
            Self::Stutters => "stutters",
            Self::Untranslated => "untranslated",
            Self::Wording => "wording",
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Guard {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|guard| guard.name() == name);
        found.ok_or_else(|| Error::Option {
            name: "guard",
            value: name.to_owned(),
            expected: "length, unknown, signs, lost, loops, stutters, untranslated or wording",
        })
    }
}

/// A set of guards; by default all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Guards {
    /// One bit a guard that is left out.
    left_out: u16,
}

impl Guards {
    /// No guard at all.
    #[must_use]
    pub fn none() -> Self {
        Guard::ALL.into_iter().fold(Self::default(), Self::without)
    }

    /// All of these but one.
    #[must_use]
    pub fn without(self, guard: Guard) -> Self {
        Self {
            left_out: self.left_out | 1 << guard as u16,
        }
    }

    /// Whether a guard is in use.
    #[must_use]
    pub fn has(self, guard: Guard) -> bool {
        self.left_out & 1 << guard as u16 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_left_out_by_name() {
        for guard in Guard::ALL {
            assert_eq!(guard.name().parse::<Guard>().ok(), Some(guard));
            let others = Guards::default().without(guard);
            for other in Guard::ALL {
                assert_eq!(others.has(other), other != guard);
                assert!(!Guards::none().has(other));
            }
        }
        assert!("nothing".parse::<Guard>().is_err());
    }
}
