//! Text in, text out.

use anyhow::{Result, bail};

use super::batch::Batch;
use super::input::Lines;
use crate::output;

pub(crate) fn translate_texts(batch: &Batch, texts: &[String]) -> Result<()> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut out = String::new();
    for translation in batch.translate(&texts)? {
        out += &translation.text;
        out.push('\n');
    }
    output::print(&out)?;
    Ok(())
}

/// As many lines come out as go in.
pub(crate) fn translate_lines(batch: &Batch) -> Result<()> {
    let input = Lines::of_standard_input(batch);
    let mut done = 0;
    loop {
        let lines = input.next_batch()?;
        if lines.is_empty() {
            return Ok(());
        }
        let mut texts = Vec::with_capacity(lines.len());
        let mut invalid = None;
        for line in &lines {
            match std::str::from_utf8(line) {
                Ok(text) => texts.push(text),
                Err(_) => {
                    invalid = Some(done + texts.len() + 1);
                    break;
                }
            }
        }
        output::print(&translated(batch, &texts)?)?;
        if let Some(number) = invalid {
            bail!(
                "line {number} of standard input is not UTF-8: convert it first, for example with \
                 `iconv -f GB18030 -t UTF-8`"
            );
        }
        done += lines.len();
    }
}

fn translated(batch: &Batch, lines: &[&str]) -> Result<String> {
    // The carriage return of a line end is no part of the text, but stays.
    let bare: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect();
    let mut out = String::new();
    for (translation, line) in batch.translate(&bare)?.iter().zip(lines) {
        // No model output has a line break; if one ever had, the count of lines would still hold.
        out += &translation.text.replace('\n', " ");
        if line.ends_with('\r') {
            out.push('\r');
        }
        out.push('\n');
    }
    Ok(out)
}
