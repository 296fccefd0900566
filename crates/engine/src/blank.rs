//! Text in which there is nothing to see.

/// Whether the text has nothing to translate: no characters, or only white space, control
/// characters and characters that print nothing.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.split(prints_nothing)
        .all(csanmt_text::document::is_blank)
}

/// What no text consists of, though it may be part of one: joiners, marks of direction, invisible
/// operators, variation selectors, the empty Braille cell, the Hangul filler.
fn prints_nothing(char: char) -> bool {
    matches!(
        char,
        '\u{180e}'
            | '\u{200c}'
            | '\u{200d}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2061}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
    )
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn what_prints_nothing_is_blank() {
        for text in [
            "",
            " \t\r\n\u{3000}\u{a0}\u{85}\u{2028}",
            "\u{0}\u{1e}",
            "\u{feff}\u{ad}\u{200b}\u{2060}\u{200e}",
            "\u{200c}\u{200d}\u{2063}\u{fe0f}",
            "\u{2800} \u{2800}",
        ] {
            assert!(is_blank(text), "{text:?}");
            for visible in ["好", ".", "👍"] {
                assert!(!is_blank(&format!("{text}{visible}{text}")), "{text:?}");
            }
        }
    }
}
