//! The most memory of the whole command, and what a second thread brings.

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::compare::{alternate, median};
use super::peer::{Job, Peer};
use super::report::{Bound, Report, Row};
use super::{Options, folder, work};
use crate::process::command;
use crate::serve;

const MB: f64 = 1e6;
/// What the program may need beside the model.
const ALLOWANCE: f64 = 40.0 * MB;

pub(crate) fn run(options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let program = serve::build_server()?;
    let model = options.model()?;
    let texts = folder()?.join("dev.txt");
    std::fs::write(&texts, work::dev_texts()?.join("\n"))?;
    let one_thread = ["translate", "--threads", "1"];
    if options.model.is_none() && options.model_dir.is_none() {
        let peak = peak_rss(&command(&program, one_thread), &texts)?;
        report
            .rows
            .push(row("dev set, model in the program", peak, &model)?);
    }
    let mut given = command(&program, one_thread);
    given.arg("--model").arg(&model);
    report.rows.push(row(
        "dev set, one thread",
        peak_rss(&given, &texts)?,
        &model,
    )?);
    report.rows.extend(two_threads(&model, options)?);
    report.note("peak memory is VmHWM: the pages of program and mapped model are in it");
    report.note("two threads: batches of 32, beam 4, time that passed; bound: nine tenths of what a second thread brings to a streaming sum, at most 1.8");
    Ok(report)
}

/// A peak beside what it may be.
pub(crate) fn row(label: &str, peak: f64, model: &Path) -> Result<Row> {
    let file = model.metadata().context("size of the model")?.len() as f64;
    Ok(Row {
        label: format!("peak memory, {label}"),
        peer: format!("1.15 x file ({:.1} MB) + 40 MB", file / MB),
        unit: "MB",
        ours: peak / MB,
        theirs: 1.15f64.mul_add(file, ALLOWANCE) / MB,
        bound: Some(Bound::AtMost(1.0)),
        wall_ratio: None,
    })
}

/// The most memory of a command in bytes. /proc forgets a process as it ends, so it is asked all
/// the time; memory that only grows in the last two milliseconds is missed.
pub(crate) fn peak_rss(command: &Command, input: &Path) -> Result<f64> {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args()).stdout(Stdio::null());
    copy.stdin(File::open(input).context("input of the program")?);
    let mut child = copy.spawn().context("cannot start the program")?;
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0.0f64;
    loop {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0.0) * 1024.0);
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("the program failed: {status}");
            }
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    if peak == 0.0 {
        bail!("/proc does not tell the memory of a process here");
    }
    Ok(peak)
}

fn two_threads(model: &Path, options: &Options) -> Result<Vec<Row>> {
    if std::thread::available_parallelism().map_or(1, std::num::NonZero::get) < 2 {
        return Ok(Vec::new());
    }
    let ours = std::cell::RefCell::new(Peer::start(&work::ours(model, None)?, None)?);
    let sentences = work::dev_set(&mut ours.borrow_mut(), 256)?;
    let two = Job {
        threads: 2,
        ..work::job(&sentences, 4, 32, None)
    };
    let one = Job {
        threads: 1,
        ..two.clone()
    };
    let seconds = |job: &Job| Ok(ours.borrow_mut().run(job)?.seconds);
    let (b, a) = alternate(options.repetitions, || seconds(&two), || seconds(&one))?;
    let (streams_2, streams_1) =
        alternate(options.repetitions, || Ok(stream(2)), || Ok(stream(1)))?;
    let machine = (2.0 * median(streams_1) / median(streams_2)).min(2.0);
    let rate = |seconds: Vec<f64>| sentences.len() as f64 / median(seconds);
    let row = |label: &str, peer: &str, unit, ours, theirs, bound| Row {
        label: label.to_owned(),
        peer: peer.to_owned(),
        unit,
        ours,
        theirs,
        bound,
        wall_ratio: None,
    };
    let bound = (90.0 * machine).floor() / 100.0;
    Ok(vec![
        row(
            "streaming sum, two threads",
            "one thread",
            "",
            machine,
            1.0,
            None,
        ),
        row(
            "two threads",
            "one thread",
            "sentences/s",
            rate(b),
            rate(a),
            Some(Bound::AtLeast(bound)),
        ),
    ])
}

/// Seconds in which each of the threads sums memory of its own that no cache holds.
fn stream(threads: usize) -> f64 {
    let memory: Vec<Vec<u64>> = (0..threads).map(|i| vec![i as u64; 16 << 20]).collect();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for memory in &memory {
            scope.spawn(move || {
                for _ in 0..4 {
                    black_box(memory.iter().fold(0u64, |sum, x| sum.wrapping_add(*x)));
                }
            });
        }
    });
    begin.elapsed().as_secs_f64()
}
