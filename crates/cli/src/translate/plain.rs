//! Text in, text out.

use std::borrow::Cow;
use std::io::Read as _;
use std::process::ExitCode;

use anyhow::{Result, anyhow};

use super::batch::Batch;
use super::input::Lines;
use super::truncation::Truncation;
use crate::output;

pub(crate) fn translate_texts(batch: &Batch, texts: &[String]) -> Result<()> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut out = String::new();
    let mut truncation = Truncation::default();
    for translation in batch.translate(&texts)? {
        truncation.count(&translation);
        out += &translation.text;
        out.push('\n');
    }
    output::print(&out)?;
    truncation.report();
    Ok(())
}

/// Standard input as one document.
///
/// # Errors
/// When it is not UTF-8: a document says itself how it is encoded, and would go on saying so.
pub(crate) fn translate_document(batch: &Batch) -> Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        anyhow!(
            "standard input is not UTF-8 from byte {} on: convert it first, for example with \
             `iconv -f GB18030 -t UTF-8`",
            error.valid_up_to()
        )
    })?;
    let mut truncation = Truncation::default();
    for translation in batch.translate(&[text])? {
        truncation.count(&translation);
        output::print(&translation.text)?;
    }
    truncation.report();
    Ok(())
}

/// As many lines come out as go in. The exit code is that of a failure when bytes of a line were
/// not UTF-8.
pub(crate) fn translate_lines(batch: &Batch) -> Result<ExitCode> {
    let input = Lines::of_standard_input(batch)?;
    let mut invalid = InvalidLines::default();
    let mut truncation = Truncation::default();
    let mut done = 0;
    loop {
        let lines = input.next_batch()?;
        if lines.is_empty() {
            truncation.report();
            return Ok(invalid.finish());
        }
        let texts: Vec<Cow<'_, str>> = lines
            .iter()
            .map(|line| String::from_utf8_lossy(line))
            .collect();
        for (number, text) in (done + 1..).zip(&texts) {
            // Text that was replaced is not the line's own.
            if matches!(text, Cow::Owned(_)) {
                invalid.report(number);
            }
        }
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        output::print(&translated(batch, &texts, &mut truncation)?)?;
        done += lines.len();
    }
}

/// Lines with bytes that are not UTF-8; the first ones are named.
#[derive(Default)]
struct InvalidLines {
    count: usize,
}

impl InvalidLines {
    /// Lines that are named.
    const NAMED: usize = 10;

    fn report(&mut self, number: usize) {
        self.count += 1;
        if self.count <= Self::NAMED {
            eprintln!(
                "csanmt: line {number} of standard input is not UTF-8, U+FFFD stands for its bad \
                 bytes: convert it first, for example with `iconv -f GB18030 -t UTF-8`"
            );
        }
    }

    fn finish(&self) -> ExitCode {
        match self.count {
            0 => return ExitCode::SUCCESS,
            count if count > Self::NAMED => {
                eprintln!("csanmt: {count} lines in all are not UTF-8");
            }
            _ => {}
        }
        ExitCode::FAILURE
    }
}

fn translated(batch: &Batch, lines: &[&str], truncation: &mut Truncation) -> Result<String> {
    // The carriage return of a line end is no part of the text, but stays.
    let bare: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect();
    let mut out = String::new();
    for (translation, line) in batch.translate(&bare)?.iter().zip(lines) {
        truncation.count(translation);
        // No model output has a line break; if one ever had, the count of lines would still hold.
        out += &translation.text.replace('\n', " ");
        if line.ends_with('\r') {
            out.push('\r');
        }
        out.push('\n');
    }
    Ok(out)
}
