//! One line of translation to the lines of a cue.

/// The spaces of `text` to break at: for each part of the whole in `shares` (numerator,
/// denominator), increasing, the best one near that place. Fewer when there are not enough words.
pub(super) fn breaks(text: &str, shares: &[(usize, usize)]) -> Vec<usize> {
    let spaces: Vec<usize> = text
        .match_indices(' ')
        .map(|(at, _)| at)
        .filter(|&at| !text[..at].trim().is_empty() && !text[at..].trim().is_empty())
        .collect();
    let mut breaks: Vec<usize> = Vec::new();
    for &(part, whole) in shares {
        let wanted = text.len() * part / whole.max(1);
        let next = spaces
            .iter()
            .copied()
            // A line that is all spaces would end the cue.
            .filter(|&at| {
                let line = breaks.last().map(|&last| text.get(last..at));
                line.is_none_or(|line| line.is_some_and(|line| !line.trim().is_empty()))
            })
            .min_by_key(|&at| {
                let distance = at.abs_diff(wanted);
                // Behind a comma a line may be a tenth longer or shorter.
                let pause = text[..at].ends_with([',', ';', ':', '.', '!', '?']);
                let bonus = if pause { text.len() / 10 } else { 0 };
                (distance.saturating_sub(bonus), distance)
            });
        breaks.extend(next);
    }
    breaks
}

#[cfg(test)]
mod tests {
    use super::breaks;

    fn lines(text: &str, shares: &[(usize, usize)]) -> Vec<String> {
        let mut lines = vec![String::new()];
        let breaks = breaks(text, shares);
        for (at, char) in text.char_indices() {
            if breaks.contains(&at) {
                lines.push(String::new());
            } else if let Some(line) = lines.last_mut() {
                line.push(char);
            }
        }
        lines
    }

    #[test]
    fn d6_lines_break_near_the_place_of_the_source() {
        assert_eq!(
            lines("one two three four", &[(1, 2)]),
            ["one two", "three four"]
        );
        assert_eq!(
            lines("one two three four", &[(9, 10)]),
            ["one two three", "four"]
        );
        assert_eq!(
            lines("I went home early, and then it rained", &[(1, 2)]),
            ["I went home early,", "and then it rained"]
        );
        assert_eq!(lines("a b c", &[(1, 3), (2, 3)]), ["a", "b", "c"]);
    }

    #[test]
    fn no_line_is_empty() {
        assert_eq!(lines("word", &[(1, 2)]), ["word"]);
        assert_eq!(
            lines("two words", &[(1, 4), (2, 4), (3, 4)]),
            ["two", "words"]
        );
        assert_eq!(lines("", &[(1, 2)]), [""]);
        // Places that do not increase.
        assert_eq!(lines("a b c d", &[(3, 4), (1, 4), (1, 4)]).len(), 2);
        for line in lines(" a  b ", &[(0, 4), (1, 4), (2, 4), (3, 4)]) {
            assert!(!line.trim().is_empty(), "{line:?}");
        }
    }
}
