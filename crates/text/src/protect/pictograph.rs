//! Pictures and signs.

use super::Kind;

const JOINER: char = '\u{200d}';
const VARIATION: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

pub(super) fn scan(text: &str, at: usize) -> Option<(usize, Kind)> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    if let Some(len) = keycap(rest) {
        return Some((at + len, Kind::Emoji));
    }
    if is_flag_letter(first) {
        let second = rest[first.len_utf8()..]
            .chars()
            .next()
            .filter(|&c| is_flag_letter(c));
        return Some((
            at + first.len_utf8() + second.map_or(0, char::len_utf8),
            Kind::Emoji,
        ));
    }
    if rest.starts_with("°C") || rest.starts_with("°F") {
        return Some((at + "°C".len(), Kind::Symbol));
    }
    if is_picture(first) {
        return Some((at + emoji(rest), Kind::Emoji));
    }
    is_sign(first).then(|| {
        let len = first.len_utf8();
        // ✔️ is a sign drawn as a picture.
        let variation = rest[len..].starts_with(VARIATION);
        (
            at + len + if variation { VARIATION.len_utf8() } else { 0 },
            Kind::Symbol,
        )
    })
}

/// 1️⃣ #️⃣
fn keycap(rest: &str) -> Option<usize> {
    let mut chars = rest.chars();
    let first = chars
        .next()
        .filter(|c| c.is_ascii_digit() || matches!(c, '#' | '*'))?;
    let mut len = first.len_utf8();
    let mut next = chars.next()?;
    if next == VARIATION {
        len += next.len_utf8();
        next = chars.next()?;
    }
    (next == KEYCAP).then_some(len + KEYCAP.len_utf8())
}

/// Length of a picture with its modifiers and of what is joined to it.
fn emoji(rest: &str) -> usize {
    let mut end = 0;
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        end += c.len_utf8();
        while let Some(&c) = chars.peek().filter(|&&c| modifies(c)) {
            end += c.len_utf8();
            chars.next();
        }
        let joined = rest[end..]
            .strip_prefix(JOINER)
            .and_then(|tail| tail.chars().next());
        if !joined.is_some_and(|c| is_picture(c) || is_sign(c)) {
            break;
        }
        end += JOINER.len_utf8();
        chars.next();
    }
    end
}

/// Variation selectors, skin tones, the keycap, tags of regional flags.
fn modifies(c: char) -> bool {
    matches!(u32::from(c), 0xfe0e | 0xfe0f | 0x1_f3fb..=0x1_f3ff | 0x20e3 | 0xe_0020..=0xe_007f)
}

fn is_flag_letter(c: char) -> bool {
    matches!(u32::from(c), 0x1_f1e6..=0x1_f1ff)
}

fn is_picture(c: char) -> bool {
    matches!(u32::from(c), 0x1_f000..=0x1_f0ff | 0x1_f170..=0x1_f19a | 0x1_f201..=0x1_faff)
        || matches!(
            u32::from(c),
            0x231a | 0x231b | 0x23e9..=0x23f3 | 0x23f8..=0x23fa | 0x2600..=0x2604 | 0x2614 | 0x2615
                | 0x2618 | 0x261d | 0x2620..=0x263a | 0x2648..=0x2653 | 0x267f | 0x2693 | 0x26a1
                | 0x26bd | 0x26be | 0x26c4 | 0x26c5 | 0x26ce | 0x26d4 | 0x26ea | 0x26f2..=0x26fd
                | 0x2702..=0x270d | 0x2728 | 0x274c | 0x274e | 0x2753..=0x2757 | 0x2763 | 0x2764
                | 0x2795..=0x2797 | 0x2b50 | 0x2b55
        )
}

/// Signs that mean the same in every language.
fn is_sign(c: char) -> bool {
    matches!(
        u32::from(c),
        0xa7 | 0xa9 | 0xae | 0xb0..=0xb3 | 0xb6 | 0xb9 | 0xbc..=0xbe | 0xd7 | 0xf7
            | 0x2020..=0x2022 | 0x203b | 0x2070..=0x209c | 0x2100..=0x218b | 0x2190..=0x23ff
            | 0x2460..=0x25ff | 0x2600..=0x27bf | 0x2900..=0x2bff | 0x3200..=0x33ff
    )
}

/// Other ways in which a translation may write a sign; none for most.
#[must_use]
pub fn sanctioned_forms(sign: &str) -> &'static [&'static str] {
    match sign {
        "°C" => &["℃", "degrees"],
        "°F" => &["℉", "degrees"],
        "℃" => &["°C", "degrees Celsius", "degrees"],
        "℉" => &["°F", "degrees Fahrenheit", "degrees"],
        "°" => &["degree"],
        "㎡" => &["m²", "m2", "sq m", "square met"],
        "㎥" => &["m³", "m3", "cubic met"],
        "㎞" => &["km", "kilomet"],
        "㎝" => &["cm", "centimet"],
        "㎜" => &["mm", "millimet"],
        "㎏" => &["kg", "kilogram"],
        "№" => &["No."],
        "×" => &[" x "],
        _ => &[],
    }
}
