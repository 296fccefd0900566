//! Plain text: the engine keeps lines itself, so it gets blocks of them.

use crate::DocumentError;
use crate::passage::{Passage, Sink};

/// From here on a block ends at the next blank line,
const ENOUGH: usize = 4 << 10;
/// and from here on at any line.
const MUCH: usize = 16 << 10;

/// Cuts a text into blocks of lines, at blank lines where it can.
pub(crate) fn read<'a>(text: &'a str, sink: &mut dyn Sink<'a>) -> Result<(), DocumentError> {
    let (mut start, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        end += line.len();
        let length = end - start;
        if length >= MUCH || (length >= ENOUGH && line.trim().is_empty()) {
            block(&text[start..end], sink)?;
            start = end;
        }
    }
    block(&text[start..], sink)
}

/// The last line break stays outside: blocks are joined by line breaks.
fn block<'a>(text: &'a str, sink: &mut dyn Sink<'a>) -> Result<(), DocumentError> {
    let lines = text.trim_end_matches(['\r', '\n']);
    if !lines.is_empty() {
        sink.passage(Passage::verbatim(lines))?;
    }
    sink.copy(&text[lines.len()..])
}

#[cfg(test)]
mod tests {
    use super::{MUCH, read};
    use crate::passage::Units;

    #[test]
    fn blocks_end_at_lines_and_are_bounded() {
        let text = "一二三四五六七八九十。\r\n".repeat(10_000);
        let mut units = Units::default();
        read(&text, &mut units).unwrap();
        assert!(units.0.len() > 10);
        for unit in &units.0 {
            assert!(unit.text().len() <= MUCH + 40 && unit.text().ends_with('。'));
        }
        let whole: Vec<&str> = units.0.iter().map(|unit| unit.text()).collect();
        assert_eq!(whole.join("\r\n") + "\r\n", text);
    }

    #[test]
    fn paragraphs_stay_together() {
        let paragraph = "字".repeat(100) + "\n";
        let text = (paragraph.repeat(5) + "\n").repeat(20);
        let mut units = Units::default();
        read(&text, &mut units).unwrap();
        assert!(units.0.len() > 1);
        for unit in &units.0 {
            assert_eq!(
                unit.text().lines().filter(|line| !line.is_empty()).count() % 5,
                0
            );
        }
    }
}
