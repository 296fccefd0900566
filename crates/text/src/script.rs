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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn han_is_neither_kana_nor_hangul_nor_punctuation() {
        assert!("中〇㐂𠮷龘".chars().all(is_han));
        assert!(!"あア한。，A1😀".chars().any(is_han));
    }
}
