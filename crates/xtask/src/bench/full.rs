//! What users of the released sizes can expect, with generated weights.

use std::time::Instant;

use anyhow::{Context, Result};

use super::compare::{Quantity, compare, median};
use super::models::{BASE, FULL, Shape};
use super::native::CORE;
use super::peer::Peer;
use super::report::{Report, Row};
use super::{Options, browser, install, memory, start, wasm, work};
use crate::process::command;
use crate::serve;

/// Source tokens of a sentence; it gets as many target tokens.
pub(crate) const LENGTHS: [usize; 3] = [10, 25, 60];

pub(crate) fn run(options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let program = serve::build_server()?;
    let mut chromium = None;
    if options.wants("chromium") {
        match wasm::browser().and_then(|command| Peer::start(&command, None)) {
            Ok(peer) => chromium = Some(peer),
            Err(error) => report.note(format!("Chromium is left out: {error:#}")),
        }
    }
    for shape in [&BASE, &FULL] {
        measure(&mut report, shape, &program, options)
            .with_context(|| format!("size {}", shape.name))?;
        if let Some(Err(error)) = chromium
            .as_mut()
            .map(|chromium| browser::measure(&mut report, shape, chromium, options))
        {
            report.note(format!("{} in Chromium: {error:#}", shape.name));
        }
    }
    report.note("generated weights, one vocabulary of 50 000 tokens, int8, one thread on one core, one sentence at a time, beam 4, as many target as source tokens");
    if chromium.is_some() {
        report.note(browser::NOTE);
    }
    report.note("CTranslate2 has no semantic branch: it computes encoder and decoder only");
    Ok(report)
}

fn measure(report: &mut Report, shape: &Shape, program: &str, options: &Options) -> Result<()> {
    let begin = Instant::now();
    let model = shape.model()?;
    let file = model.metadata()?.len() as f64;
    report.note(format!(
        "{}: {:.1} MB as int8{}",
        shape.name,
        file / 1e6,
        if begin.elapsed().as_secs() > 0 {
            format!(
                ", generated and converted in {:.0} s",
                begin.elapsed().as_secs_f64()
            )
        } else {
            String::new()
        }
    ));
    let mut ours = Peer::start(&work::ours(&model, None)?, Some(CORE))?;
    let peer = install::python_peer("ctranslate2")?;
    let peer = options.wants(peer.name).then(|| {
        peer.command(&model)
            .and_then(|command| Peer::start(&command, Some(CORE)))
    });
    let mut peer = match peer {
        Some(Ok(peer)) => Some(peer),
        Some(Err(error)) => {
            report.note(format!("CTranslate2 is left out: {error:#}"));
            None
        }
        None => None,
    };
    for length in LENGTHS {
        let label = format!("{}, {length} tokens", shape.name);
        let sentences = work::random_sentences(&[length], shape.vocabulary);
        let job = work::job(&sentences, 4, 1, Some(length));
        let quantity = Quantity::Milliseconds;
        let row = match &mut peer {
            Some(peer) => {
                let sides = (&mut ours, peer);
                compare(&label, sides, &job, options.repetitions, quantity, None)?
            }
            None => {
                ours.run(&job)?;
                let seconds = (0..options.repetitions)
                    .map(|_| Ok(ours.run(&job)?.cpu_seconds))
                    .collect::<Result<Vec<f64>>>()?;
                alone(label, "ms/sentence", 1e3 * median(seconds))
            }
        };
        report.rows.push(row);
    }
    drop(ours);
    let text = super::folder()?.join("one.txt");
    std::fs::write(&text, work::dev_texts()?.swap_remove(3))?;
    let mut translate = command(program, ["translate", "--threads", "1", "--model"]);
    translate.arg(&model);
    let peak = memory::peak_rss(&translate, &text)?;
    report.rows.push(memory::row(
        &format!("{}, one sentence", shape.name),
        peak,
        &model,
    )?);
    if shape.name == FULL.name {
        let row = start::before_the_first_token(program, &model, options.repetitions)?;
        report.rows.push(row);
    }
    Ok(())
}

/// A value without a peer.
fn alone(label: String, unit: &'static str, ours: f64) -> Row {
    Row {
        label,
        peer: String::new(),
        unit,
        ours,
        theirs: f64::NAN,
        bound: None,
        wall_ratio: None,
    }
}
