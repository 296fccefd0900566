//! SubRip (srt) and WebVTT: numbers, time codes and settings stay, the text of cues is translated.

mod breaking;
mod cue;
mod tag;

use self::cue::{Line, payload};
use crate::DocumentError;
use crate::passage::Sink;

/// Which of the two formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    SubRip,
    WebVtt,
}

/// Reads cues: lines up to a blank line, one of which has `-->`.
pub(crate) fn read<'a>(
    text: &'a str,
    dialect: Dialect,
    sink: &mut dyn Sink<'a>,
) -> Result<(), DocumentError> {
    let mut cues = 0;
    let mut block: Vec<Line<'a>> = Vec::new();
    for line in lines(text) {
        let blank = line.text.trim().is_empty();
        if blank {
            cues += read_block(text, dialect, &block, cues > 0, sink)?;
            block.clear();
            sink.copy(&text[line.start..line.end])?;
        } else {
            block.push(line);
        }
    }
    cues += read_block(text, dialect, &block, cues > 0, sink)?;
    if cues == 0 && !text.trim().is_empty() && !text.starts_with("WEBVTT") {
        return Err(DocumentError::Syntax {
            format: match dialect {
                Dialect::SubRip => "SubRip",
                Dialect::WebVtt => "WebVTT",
            },
            line: 1,
            reason: "no line has time codes like 00:00:01,000 --> 00:00:02,000".to_owned(),
        });
    }
    Ok(())
}

/// Lines with their ends: `\n`, `\r\n` or `\r`.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let end = match &rest.as_bytes()[length..] {
            [] => length,
            [b'\r', b'\n', ..] => length + 2,
            _ => length + 1,
        };
        let line = Line {
            text: &rest[..length],
            start,
            end: start + end,
        };
        start = line.end;
        Some(line)
    })
}

/// Returns the number of cues that begin in the block.
fn read_block<'a>(
    text: &'a str,
    dialect: Dialect,
    block: &[Line<'a>],
    after_cue: bool,
    sink: &mut dyn Sink<'a>,
) -> Result<usize, DocumentError> {
    let (Some(start), Some(end)) = (block.first(), block.last()) else {
        return Ok(0);
    };
    let bytes = start.start..end.end;
    let times: Vec<usize> = (0..block.len())
        .filter(|&i| is_timing(block[i].text))
        .collect();
    let Some(&first) = times.first() else {
        // In SubRip a cue may have blank lines; in WebVTT this is a note, a style, a region.
        if dialect == Dialect::SubRip && after_cue {
            payload(text, dialect, block, sink)?;
        } else {
            sink.copy(&text[bytes])?;
        }
        return Ok(0);
    };
    sink.copy(&text[bytes.start..block[first].end])?;
    for (i, &time) in times.iter().enumerate() {
        // Cues that no blank line separates: the number of the next one is no text of this one.
        let end = match times.get(i + 1) {
            Some(&next) if next > time + 1 && is_number(block[next - 1].text) => next - 1,
            Some(&next) => next,
            None => block.len(),
        };
        payload(text, dialect, &block[time + 1..end], sink)?;
        if let Some(&next) = times.get(i + 1) {
            sink.copy(&text[block[end].start..block[next].end])?;
        }
    }
    Ok(times.len())
}

fn is_timing(line: &str) -> bool {
    let starts = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    starts
        && line
            .split_once("-->")
            .is_some_and(|(_, end)| end.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

fn is_number(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
