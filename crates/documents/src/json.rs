//! JSON: string values are texts, everything else stays.

use csanmt::markup::TaggedText;

use crate::DocumentError;
use crate::line_of;
use crate::passage::{Passage, Sink};

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// A value; at the end of the file, nothing.
    Value,
    /// A value or `]`, after `[`.
    FirstItem,
    /// A key or `}`, after `{`.
    FirstKey,
    Key,
    Colon,
    /// `,` or the end of the container.
    Separator,
}

/// Reads one value or several after each other, as in JSON lines.
pub(crate) fn read<'a>(text: &'a str, sink: &mut dyn Sink<'a>) -> Result<(), DocumentError> {
    let bytes = text.as_bytes();
    let fail = |position: usize, reason: &str| {
        Err(DocumentError::Syntax {
            format: "JSON",
            line: line_of(text, position),
            reason: reason.to_owned(),
        })
    };
    // The open containers: true is an object. Not the call stack, which hostile depth would exhaust.
    let mut open: Vec<bool> = Vec::new();
    let mut expect = Expect::Value;
    let (mut at, mut copied) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let after_value = if open.is_empty() {
            Expect::Value
        } else {
            Expect::Separator
        };
        let value = matches!(expect, Expect::Value | Expect::FirstItem);
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'{' | b'[' if value => {
                open.push(byte == b'{');
                expect = if byte == b'{' {
                    Expect::FirstKey
                } else {
                    Expect::FirstItem
                };
                at += 1;
            }
            b'}' | b']' => {
                let object = byte == b'}';
                let first = if object {
                    Expect::FirstKey
                } else {
                    Expect::FirstItem
                };
                if open.last() != Some(&object) || (expect != Expect::Separator && expect != first)
                {
                    return fail(at, "this bracket closes nothing");
                }
                open.pop();
                expect = if open.is_empty() {
                    Expect::Value
                } else {
                    Expect::Separator
                };
                at += 1;
            }
            b',' if expect == Expect::Separator => {
                expect = if open.last() == Some(&true) {
                    Expect::Key
                } else {
                    Expect::Value
                };
                at += 1;
            }
            b':' if expect == Expect::Colon => {
                expect = Expect::Value;
                at += 1;
            }
            b'"' if value || matches!(expect, Expect::FirstKey | Expect::Key) => {
                let Some(length) = string_length(&bytes[at..]) else {
                    return fail(at, "this string has no end");
                };
                let source = &text[at..at + length];
                if value {
                    sink.copy(&text[copied..at])?;
                    value_passage(source, sink)?;
                    copied = at + length;
                    expect = after_value;
                } else {
                    expect = Expect::Colon;
                }
                at += length;
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' if value => {
                let rest = &text[at..];
                let length = rest
                    .find(
                        |c: char| !matches!(c, '+' | '-' | '.' | '0'..='9' | 'a'..='z' | 'A'..='Z'),
                    )
                    .unwrap_or(rest.len());
                if !is_scalar(&rest[..length]) {
                    return fail(at, "expected a number, true, false or null");
                }
                at += length;
                expect = after_value;
            }
            _ => {
                return fail(
                    at,
                    match expect {
                        Expect::Value => "expected a value",
                        Expect::FirstItem => "expected a value or ]",
                        Expect::FirstKey => "expected a key or }",
                        Expect::Key => "expected a key",
                        Expect::Colon => "expected : after the key",
                        Expect::Separator => "expected , or the end of the object or array",
                    },
                );
            }
        }
    }
    if !open.is_empty() || expect != Expect::Value {
        return fail(text.len(), "the text ends inside an object or array");
    }
    sink.copy(&text[copied..])
}

/// Bytes of the string with its quotes.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn is_scalar(text: &str) -> bool {
    if matches!(text, "true" | "false" | "null") {
        return true;
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (text, None),
    };
    let number = number.strip_prefix('-').unwrap_or(number);
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

fn value_passage<'a>(source: &'a str, sink: &mut dyn Sink<'a>) -> Result<(), DocumentError> {
    // What cannot be text (half a surrogate pair, an escape that is none) stays.
    let Some(text) = unescape(&source[1..source.len() - 1]) else {
        return sink.copy(source);
    };
    let ascii = source.is_ascii() && !text.is_ascii();
    sink.passage(Passage {
        source,
        unit: TaggedText::plain(text),
        write: Box::new(move |unit, out| {
            out.push('"');
            escape(unit.text(), ascii, out);
            out.push('"');
        }),
    })
}

fn unescape(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = *rest.as_bytes().get(at + 1)?;
        rest = rest.get(at + 2..)?;
        text.push(match escape {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = hexadecimal(rest)?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&first) {
                    let second = hexadecimal(rest.strip_prefix("\\u")?)?;
                    rest = &rest[6..];
                    char::decode_utf16([first, second]).next()?.ok()?
                } else {
                    char::from_u32(first.into())?
                }
            }
            _ => return None,
        });
    }
    text.push_str(rest);
    Some(text)
}

fn hexadecimal(text: &str) -> Option<u16> {
    let digits = text.get(..4)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// `ascii` writes other characters as escapes, as the source does.
fn escape(text: &str, ascii: bool, out: &mut String) {
    use std::fmt::Write as _;
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if char < ' ' || (ascii && !char.is_ascii()) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            char => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::passage::Units;
    use crate::testing::{rewritten, upside_down};

    fn texts(json: &str) -> Vec<String> {
        let mut units = Units::default();
        read(json, &mut units).unwrap();
        units
            .0
            .into_iter()
            .map(|unit| unit.text().to_owned())
            .collect()
    }

    #[test]
    fn n1_only_string_values_are_texts() {
        let json = "{ \"键\" : \"值\",\r\n\"n\":-1.50e+3,\"b\":[true, \"二\",null, {\"三\":\"\\u4e09\\n\"}]}\n";
        assert_eq!(texts(json), ["值", "二", "三\n"]);
        assert_eq!(texts("\"一\"\n\"二\"\n{}\n"), ["一", "二"]);
        assert!(texts(" \n").is_empty());
    }

    #[test]
    fn n1_everything_but_the_values_stays() {
        let json = "{ \"键\" : \"值\",\r\n\"n\":-1.50e+3,\"b\":[true, \"\\u4e8c\",null]}\n";
        assert_eq!(
            rewritten(json, read, |text| format!("<{text}\"é\n")),
            "{ \"键\" : \"<值\\\"é\\n\",\r\n\"n\":-1.50e+3,\"b\":[true, \"<\\u4e8c\\\"\\u00e9\\n\",null]}\n"
        );
        assert_eq!(rewritten(json, read, str::to_owned), json);
    }

    #[test]
    fn strings_that_are_no_text_stay() {
        let json = r#"["\ud83d", "\udc4d", "\ud83d\u0041", "\x", "\u12"]"#;
        assert!(texts(json).is_empty());
        assert_eq!(rewritten(json, read, upside_down), json);
        assert_eq!(texts(r#"["\ud83d\udc4d"]"#), ["👍"]);
    }

    #[test]
    fn broken_json_is_refused_with_its_line() {
        for (json, line) in [
            ("{", 1),
            ("[1,\n2", 2),
            ("[1\n2]", 2),
            ("{\"a\" 1}", 1),
            ("{\"a\":1,}", 1),
            ("[1,]", 1),
            ("[\n\"a", 2),
            ("]", 1),
            ("[}", 1),
            ("01", 1),
            ("1.", 1),
            ("nul", 1),
            ("\"a\\\"", 1),
            ("{1:2}", 1),
            ("你好", 1),
        ] {
            let error = read(json, &mut Units::default()).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("JSON, line {line}: ")),
                "{json}: {error}"
            );
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let depth = 1_000_000;
        let json = "[".repeat(depth) + "\"深\"" + &"]".repeat(depth);
        assert_eq!(texts(&json), ["深"]);
        assert!(read(&"[".repeat(depth), &mut Units::default()).is_err());
    }
}
