//! Character references.

/// References to characters that XML, and pages, may use.
const NAMED: [(&str, char); 29] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("thinsp", '\u{2009}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("hellip", '…'),
    ("middot", '·'),
    ("bull", '•'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("times", '×'),
    ("divide", '÷'),
    ("deg", '°'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("shy", '\u{ad}'),
    ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'),
];

/// The character that `&name;`, `&#1;` or `&#x1;` stands for.
pub(crate) fn decode_reference(raw: &str) -> Option<char> {
    let name = raw.strip_prefix('&')?.strip_suffix(';')?;
    let Some(number) = name.strip_prefix('#') else {
        let known = NAMED.iter().find(|(known, _)| *known == name);
        return known.map(|(_, char)| *char);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|&char| is_allowed(char))
}

/// Appends text as the content of an element.
pub(crate) fn push_escaped(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            char if is_allowed(char) => out.push(char),
            _ => {}
        }
    }
}

/// XML has no way to write other characters.
fn is_allowed(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::{decode_reference, push_escaped};

    #[test]
    fn references_are_characters() {
        for (raw, char) in [
            ("&amp;", '&'),
            ("&#20320;", '你'),
            ("&#x4F60;", '你'),
            ("&nbsp;", '\u{a0}'),
        ] {
            assert_eq!(decode_reference(raw), Some(char));
        }
        for raw in [
            "&foo;",
            "&#0;",
            "&#xd800;",
            "&#x110000;",
            "&#;",
            "amp",
            "&#99999999999;",
        ] {
            assert_eq!(decode_reference(raw), None, "{raw}");
        }
    }

    #[test]
    fn text_is_content() {
        let mut out = String::new();
        push_escaped("a<b>&\"\u{0}\u{b}\u{ffff}\n", &mut out);
        assert_eq!(out, "a&lt;b&gt;&amp;\"\n");
    }
}
