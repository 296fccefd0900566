//! Values that clients write in more than one way.

use std::fmt;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One text or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Text {
    One(String),
    Many(Vec<String>),
}

impl Text {
    pub(crate) fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or a list of strings")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text::One(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Text, E> {
        Ok(Text::One(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = list.next_element()? {
            texts.push(text);
        }
        Ok(Text::Many(texts))
    }
}

/// `true`, `1`, `"true"`, `"1"` and their opposites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flag(pub(crate) bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlagVisitor;

        impl Visitor<'_> for FlagVisitor {
            type Value = Flag;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("true or false")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Flag, E> {
                Ok(Flag(value))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Flag, E> {
                match value {
                    0 | 1 => Ok(Flag(value == 1)),
                    _ => Err(E::invalid_value(
                        serde::de::Unexpected::Unsigned(value),
                        &self,
                    )),
                }
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Flag, E> {
                match &*value.trim().to_ascii_lowercase() {
                    "true" | "1" | "yes" | "on" => Ok(Flag(true)),
                    "false" | "0" | "no" | "off" | "" => Ok(Flag(false)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(FlagVisitor)
    }
}

/// A whole number, also as a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Number(pub(crate) u64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;

        impl Visitor<'_> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a whole number")
            }

            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Number, E> {
                let unexpected = serde::de::Unexpected::Str(value);
                let number = value.trim().parse();
                number
                    .map(Number)
                    .map_err(|_| E::invalid_value(unexpected, &self))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::{Flag, Number};

    #[test]
    fn flags_and_numbers_are_read_however_they_are_written() {
        for (json, flag) in [
            ("true", true),
            ("\"1\"", true),
            ("0", false),
            ("\"No\"", false),
        ] {
            assert_eq!(
                serde_json::from_str::<Flag>(json).unwrap().0,
                flag,
                "{json}"
            );
        }
        for json in ["2", "\"maybe\"", "[]", "1.5"] {
            assert!(serde_json::from_str::<Flag>(json).is_err(), "{json}");
        }
        assert_eq!(serde_json::from_str::<Number>("\" 3 \"").unwrap().0, 3);
        for json in ["-1", "\"x\"", "1.5", "\"\""] {
            assert!(serde_json::from_str::<Number>(json).is_err(), "{json}");
        }
    }
}
