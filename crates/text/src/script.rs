//! Writing systems, as far as translation has to know them.

/// Whether `c` is a Chinese character (Unicode ideographs with all extensions, and 〇).
#[must_use]
pub fn is_han(c: char) -> bool {
    matches!(c,
        '\u{3007}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}'
    )
}

/// Whether `c` is hiragana or katakana, of either width.
#[must_use]
pub fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Whether `c` is a Korean syllable or letter.
#[must_use]
pub fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn han_is_neither_kana_nor_hangul_nor_punctuation() {
        assert!("中〇㐂𠮷龘".chars().all(is_han));
        assert!("あアー".chars().all(is_kana) && "한ㄱ".chars().all(is_hangul));
        assert!(!"あア한。，A1😀".chars().any(is_han));
    }
}
