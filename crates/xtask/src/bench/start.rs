//! How long the whole command takes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::compare::median;
use super::models;
use super::report::{Bound, Report, Row};
use super::{Options, folder};
use crate::process::command;
use crate::{serve, workspace};

/// A process takes milliseconds, so that many can be run.
const RUNS: usize = 8;

pub(crate) fn run(options: &Options) -> Result<Report> {
    let program = serve::build_server()?;
    let repetitions = options.repetitions * RUNS;
    let mut report = Report::default();
    let model = options.model()?;
    let model = model.to_string_lossy();
    // The default model is in the program.
    let chosen: &[&str] = match (&options.model, &options.model_dir) {
        (None, None) => &[],
        _ => &["--model", &model],
    };
    let translate = [&["translate", "你好"], chosen].concat();
    let (translate, version) = turns(
        repetitions,
        &command(&program, translate),
        &command(&program, ["--version"]),
    )?;
    report.rows.push(Row {
        label: "csanmt translate 你好".to_owned(),
        peer: "40 ms".to_owned(),
        unit: "ms",
        ours: translate,
        theirs: 40.0,
        bound: Some(Bound::AtMost(1.0)),
        wall_ratio: None,
    });
    report.rows.push(Row {
        label: "csanmt translate 你好".to_owned(),
        peer: "csanmt --version".to_owned(),
        unit: "ms",
        ours: translate,
        theirs: version,
        bound: None,
        wall_ratio: None,
    });
    let full = folder()?.join(format!("{}.safetensors", models::FULL.name));
    if full.exists() {
        report
            .rows
            .push(before_the_first_token(&program, &full, repetitions)?);
        report.note("before the first token: `csanmt info`, which opens the model and its texts; mapping: reading the file once with `cat`");
    } else {
        report.note("the full shape is measured when `cargo xtask bench full` has made it");
    }
    report.note(format!(
        "whole processes, medians of {repetitions}, time that passed"
    ));
    Ok(report)
}

/// What must happen before the full shape can translate, beside the least that any such program
/// does: start, and take the file's pages.
pub(crate) fn before_the_first_token(
    program: &str,
    model: &Path,
    repetitions: usize,
) -> Result<Row> {
    let file = model.to_string_lossy();
    let (info, version) = turns(
        repetitions,
        &command(program, ["info", "--model", &file]),
        &command(program, ["--version"]),
    )?;
    let mut cat = command("cat", [&*file]);
    let mapping = median(
        (0..5)
            .map(|_| milliseconds(&mut cat))
            .collect::<Result<Vec<_>>>()?,
    );
    Ok(Row {
        label: format!("{}: before its first token", models::FULL.name),
        peer: "csanmt --version + mapping".to_owned(),
        unit: "ms",
        ours: info,
        theirs: version + mapping,
        bound: Some(Bound::AtMost(3.0)),
        wall_ratio: None,
    })
}

/// Median milliseconds of two commands run in turn.
fn turns(repetitions: usize, first: &Command, second: &Command) -> Result<(f64, f64)> {
    let (mut first, mut second) = (copy(first), copy(second));
    let (a, b) = super::compare::alternate(
        repetitions,
        || milliseconds(&mut first),
        || milliseconds(&mut second),
    )?;
    Ok((median(a), median(b)))
}

fn copy(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args()).current_dir(workspace::root());
    copy
}

fn milliseconds(command: &mut Command) -> Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let begin = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let passed = begin.elapsed().as_secs_f64() * 1e3;
    if !status.success() {
        bail!("{:?} failed: {status}", command.get_program());
    }
    Ok(passed)
}
