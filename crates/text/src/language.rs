//! Which language a sentence is written in, by its characters.

use crate::chinese::Simplifier;
use crate::script::{is_han, is_hangul, is_kana};

/// A language as far as its characters tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Chinese in Simplified characters, or in characters that both forms share.
    ChineseSimplified,
    /// Chinese with at least one character that only Traditional Chinese has.
    ChineseTraditional,
    /// Chinese characters with kana between them, or kana alone.
    Japanese,
    /// Hangul.
    Korean,
    /// A language in Latin letters.
    Latin,
    /// Another alphabet.
    Other,
    /// No letters.
    None,
}

impl Language {
    /// The code of the language, where the characters give it: `zh-Hans`, `zh-Hant`, `ja`, `ko`.
    #[must_use]
    pub fn code(self) -> Option<&'static str> {
        match self {
            Self::ChineseSimplified => Some("zh-Hans"),
            Self::ChineseTraditional => Some("zh-Hant"),
            Self::Japanese => Some("ja"),
            Self::Korean => Some("ko"),
            Self::Latin | Self::Other | Self::None => None,
        }
    }
}

/// Letters of a text by writing system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Letters {
    /// Chinese characters.
    pub han: usize,
    /// Hiragana and katakana.
    pub kana: usize,
    /// Korean syllables and letters.
    pub hangul: usize,
    /// Latin letters.
    pub latin: usize,
    /// All others.
    pub other: usize,
}

impl Letters {
    /// Counts the letters of `text`.
    #[must_use]
    pub fn count(text: &str) -> Self {
        let mut letters = Self::default();
        for c in text.chars() {
            let count = match c {
                _ if is_han(c) => &mut letters.han,
                _ if is_kana(c) => &mut letters.kana,
                _ if is_hangul(c) => &mut letters.hangul,
                'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                    &mut letters.latin
                }
                _ if c.is_alphabetic() => &mut letters.other,
                _ => continue,
            };
            *count += 1;
        }
        letters
    }

    /// Whether the text is Chinese: it has Chinese characters, and kana or Hangul are at most what
    /// a name or an ornament (鲜の每日) brings along.
    #[must_use]
    pub fn is_chinese(&self) -> bool {
        self.han > 0 && self.kana * 4 <= self.han && self.hangul <= self.han
    }
}

/// The language of a sentence. Kana tell Japanese from Chinese; Chinese characters outweigh Latin
/// ones, since a term in Latin letters is common in Chinese and the reverse is not.
#[must_use]
pub fn detect(text: &str, simplifier: &Simplifier) -> Language {
    let letters = Letters::count(text);
    if letters.is_chinese() {
        if simplifier.traditional(text) > 0 {
            Language::ChineseTraditional
        } else {
            Language::ChineseSimplified
        }
    } else if letters.kana > 0 && letters.kana >= letters.hangul {
        Language::Japanese
    } else if letters.hangul > 0 {
        Language::Korean
    } else if letters.latin > 0 && letters.latin >= letters.other {
        Language::Latin
    } else if letters.other > 0 {
        Language::Other
    } else {
        Language::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l4_languages_are_told_by_their_characters() {
        let simplifier = Simplifier::default();
        for (text, language) in [
            ("我们今天去学校。", Language::ChineseSimplified),
            ("你好", Language::ChineseSimplified),
            ("請問捷運站怎麼走？", Language::ChineseTraditional),
            ("鲜の每日牛奶", Language::ChineseSimplified),
            ("支持Python 3.9", Language::ChineseSimplified),
            ("私は学生です。", Language::Japanese),
            ("ありがとう", Language::Japanese),
            ("東京タワー", Language::Japanese),
            ("안녕하세요", Language::Korean),
            ("Hello, world!", Language::Latin),
            ("Привет", Language::Other),
            ("12:30 😀", Language::None),
        ] {
            assert_eq!(detect(text, &simplifier), language, "{text}");
        }
    }
}
