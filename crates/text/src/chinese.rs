//! Chinese as the models know it: Simplified characters, half-width letters and digits.

use std::borrow::Cow;
use std::fmt;

use ferrous_opencc::OpenCC;
use ferrous_opencc::config::BuiltinConfig;

use unicode_normalization::UnicodeNormalization as _;

use crate::script::is_han;

/// Turns Traditional into Simplified Chinese, by OpenCC's characters and phrases.
pub struct Simplifier {
    /// Its tables are part of the program; should they be unusable, text stays as it is.
    tables: Option<OpenCC>,
}

impl fmt::Debug for Simplifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simplifier").finish_non_exhaustive()
    }
}

impl Default for Simplifier {
    fn default() -> Self {
        Self {
            tables: OpenCC::from_config(BuiltinConfig::T2s).ok(),
        }
    }
}

impl Simplifier {
    /// `text` in Simplified Chinese.
    #[must_use]
    pub fn simplify(&self, text: &str) -> String {
        match &self.tables {
            Some(tables) if text.contains(is_han) => tables.convert(text),
            _ => text.to_owned(),
        }
    }

    /// How many characters of `text` are written otherwise in Simplified Chinese.
    #[must_use]
    pub fn traditional(&self, text: &str) -> usize {
        let simplified = self.simplify(text);
        text.chars()
            .zip(simplified.chars())
            .filter(|(a, b)| a != b)
            .count()
    }
}

/// `sentence` with half-width letters and digits, without the selectors of character variants.
#[must_use]
pub fn narrow(sentence: &str) -> Cow<'_, str> {
    let strange = |c: char| {
        is_wide(c) || is_variant_selector(c) || is_compatible(c) || matches!(c, '．' | '％' | '：')
    };
    if !sentence.contains(strange) {
        return Cow::Borrowed(sentence);
    }
    let mut out = String::with_capacity(sentence.len());
    let mut chars = sentence.chars().peekable();
    while let Some(c) = chars.next() {
        let previous = out.chars().next_back();
        let in_number = previous.is_some_and(|c| c.is_ascii_digit())
            && chars
                .peek()
                .is_some_and(|&c| c.is_ascii_digit() || matches!(c, '０'..='９'));
        match c {
            _ if is_wide(c) => out.extend(char::from_u32(u32::from(c) - 0xfee0)),
            _ if is_compatible(c) => {
                let narrow_mark = out.chars().next_back();
                match (c, narrow_mark) {
                    // A half-width sound mark belongs to the kana before it.
                    ('ﾞ' | 'ﾟ', Some(kana)) => {
                        out.pop();
                        out.extend([kana].into_iter().chain(c.nfkd()).nfc());
                    }
                    _ => out.extend(std::iter::once(c).nfkc()),
                }
            }
            '．' if in_number => out.push('.'),
            '：' if in_number => out.push(':'),
            '％' => out.push('%'),
            // Behind a picture the selector belongs to it.
            _ if is_variant_selector(c) && previous.is_some_and(is_han) => {}
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Characters that are others in disguise: compatibility ideographs, radicals, half-width kana and
/// marks, marks of vertical text.
fn is_compatible(c: char) -> bool {
    matches!(u32::from(c), 0x2e9f | 0x2ef3 | 0x2f00..=0x2fd5 | 0xf900..=0xfad9 | 0xfe10..=0xfe19
        | 0xfe30..=0xfe48 | 0xff61..=0xff9f | 0x2_f800..=0x2_fa1d)
}

/// Full-width letters and digits.
fn is_wide(c: char) -> bool {
    matches!(c, '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
}

fn is_variant_selector(c: char) -> bool {
    matches!(u32::from(c), 0xfe00..=0xfe0f | 0xe_0100..=0xe_01ef)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l1_traditional_becomes_simplified_by_phrase() {
        let simplifier = Simplifier::default();
        assert_eq!(
            simplifier.simplify("颱風過後，整個臺北都停電了。乾隆的頭髮乾了。"),
            "台风过后，整个台北都停电了。乾隆的头发干了。"
        );
        assert_eq!(simplifier.traditional("這是什麼"), 2);
        assert_eq!(simplifier.traditional("我们今天去学校。abc"), 0);
    }

    #[test]
    fn l5_full_width_letters_and_digits_become_narrow() {
        assert_eq!(
            narrow("ＡＢＣ１２３．５％，１２：３０：好"),
            "ABC123.5%，12:30：好"
        );
        assert_eq!(narrow("豈不⼈⾦樂\u{2f800}"), "豈不人金樂丽");
        assert_eq!(narrow("ﾊﾟﾝとｶﾞｲﾄﾞ｡"), "パンとガイド。");
        assert_eq!(narrow("葛\u{e0100}城\u{fe00}❤\u{fe0f}"), "葛城❤\u{fe0f}");
        assert!(matches!(narrow("你好，12"), Cow::Borrowed(_)));
    }
}
