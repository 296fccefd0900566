//! Words as BLEU counts them: the rules of mteval-v13a, called "13a" by sacreBLEU.

/// The words of a line, in one string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    spaced: String,
}

impl Words {
    /// The words, in order.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        let words = self.spaced.split(is_white_space);
        words.filter(|word| !word.is_empty()).collect()
    }
}

/// Splits a line into words.
///
/// In this order: `<skipped>` and hyphens at line ends go, four HTML entities are decoded, then
/// 1. ASCII punctuation other than `'`, `,`, `-` and `.` becomes a word of its own,
/// 2. `.` and `,` after anything but a digit,
/// 3. `.` and `,` before anything but a digit,
/// 4. `-` after a digit.
///
/// Digits are 0 to 9 only, and punctuation outside ASCII stays within its word.
///
/// ```
/// let line = csanmt_lab::metrics::tokenize_13a("It's 1,000.5 &lt; 5-6, e.g.");
/// let words = ["It's", "1,000.5", "<", "5", "-", "6", ",", "e", ".", "g", "."];
/// assert_eq!(line.words(), words);
/// ```
#[must_use]
pub fn tokenize_13a(line: &str) -> Words {
    let line = line.trim_end_matches(is_white_space);
    // A space at both ends: rules 2 and 3 look at the character beside the point.
    let line = format!(" {} ", decode_entities(line));
    let line = set_off_punctuation(&line);
    let line = replace_pairs(&line, |a, b| !a.is_ascii_digit() && is_point(b), After);
    let line = replace_pairs(&line, |a, b| is_point(a) && !b.is_ascii_digit(), Before);
    let spaced = replace_pairs(&line, |a, b| a.is_ascii_digit() && b == '-', After);
    Words { spaced }
}

/// White space as Python's `str.isspace` has it: Unicode's, and the four ASCII separators.
pub(super) fn is_white_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// One entity after the other, so that `&amp;lt;` becomes `<` but `&amp;quot;` becomes `&quot;`.
fn decode_entities(line: &str) -> String {
    let line = line.replace("<skipped>", "");
    let line = line.replace("-\n", "").replace('\n', " ");
    if !line.contains('&') {
        return line;
    }
    let line = line.replace("&quot;", "\"").replace("&amp;", "&");
    line.replace("&lt;", "<").replace("&gt;", ">")
}

fn set_off_punctuation(line: &str) -> String {
    let mut spaced = String::with_capacity(line.len() + line.len() / 4);
    for c in line.chars() {
        if c.is_ascii_punctuation() && !matches!(c, '\'' | ',' | '-' | '.') {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    spaced
}

fn is_point(c: char) -> bool {
    matches!(c, '.' | ',')
}

/// Where [`replace_pairs`] sets the second space, the first being between the two characters.
#[derive(Clone, Copy)]
enum Space {
    Before,
    After,
}
use Space::{After, Before};

/// Puts spaces between and beside two adjacent characters that belong together by `applies`.
/// Pairs do not overlap: after one, the search goes on behind its second character, as with a
/// regular expression.
fn replace_pairs(line: &str, applies: impl Fn(char, char) -> bool, space: Space) -> String {
    let mut spaced = String::with_capacity(line.len() + line.len() / 4);
    let mut rest = line.chars().peekable();
    while let Some(first) = rest.next() {
        match rest.next_if(|&second| applies(first, second)) {
            Some(second) => match space {
                Before => spaced.extend([' ', first, ' ', second]),
                After => spaced.extend([first, ' ', second, ' ']),
            },
            None => spaced.push(first),
        }
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(line: &str) -> String {
        tokenize_13a(line).words().join(" ")
    }

    #[test]
    fn points_and_commas() {
        assert_eq!(spaced("1,000.50"), "1,000.50");
        assert_eq!(spaced("Yes, 5."), "Yes , 5 .");
        assert_eq!(spaced(".5 ,5 a.5"), ". 5 , 5 a . 5");
        assert_eq!(spaced("wait..."), "wait . . .");
        assert_eq!(spaced("5.., 6"), "5 . . , 6");
    }

    #[test]
    fn hyphens_and_apostrophes() {
        assert_eq!(
            spaced("well-known 5-6 -7 don't"),
            "well-known 5 - 6 -7 don't"
        );
        assert_eq!(spaced("line-\nend\nnext"), "lineend next");
    }

    #[test]
    fn entities_are_decoded_in_order() {
        assert_eq!(spaced("&quot;&amp;&lt;&gt;"), "\" & < >");
        assert_eq!(spaced("&amp;lt;"), "<");
        assert_eq!(spaced("&amp;quot;"), "& quot ;");
        assert_eq!(spaced("a<skipped>b"), "ab");
    }

    #[test]
    fn other_scripts_stay_whole() {
        assert_eq!(spaced("“你好，世界！”"), "“你好，世界！”");
        assert_eq!(spaced("٣.٤ a\u{a0}b\u{1f}c"), "٣ . ٤ a b c");
        assert_eq!(spaced(" \u{3000}\n"), "");
    }
}
