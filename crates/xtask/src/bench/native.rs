//! Throughput and latency on one core beside other engines.

use anyhow::Result;

use super::compare::{Quantity, compare};
use super::install::{PYTHON_PEERS, PythonPeer};
use super::models;
use super::peer::Peer;
use super::report::{Bound, Report};
use super::{Options, work};

/// The core that one-thread programs run on.
pub(crate) const CORE: usize = 0;

pub(crate) fn run(options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let model = options.model()?;
    let mut ours = Peer::start(&work::ours(&model, None)?, Some(CORE))?;
    let sentences = work::dev_set(&mut ours, options.sentences)?;
    let steps = work::usual_steps(&mut ours, &sentences)?;
    report.note(format!(
        "one thread on one core, {}; rates are of processor time, `wall` is the ratio of the time that passed",
        ours.hello()["isa"].as_str().unwrap_or_default()
    ));
    report.note(format!(
        "{} sentences of tests/golden/dev.tsv as token ids, {} source tokens; {steps} target tokens of each are forced on both sides, unless a row says otherwise",
        sentences.len(),
        sentences.iter().map(Vec::len).sum::<usize>(),
    ));
    for peer in PYTHON_PEERS.iter().filter(|peer| options.wants(peer.name)) {
        let started = peer
            .command(&model)
            .and_then(|command| Peer::start(&command, Some(CORE)));
        let mut running = match started {
            Ok(running) => running,
            Err(error) => {
                report.note(format!("{} is left out: {error:#}", peer.name));
                continue;
            }
        };
        let sides = &mut (&mut ours, &mut running);
        let result = match peer.name {
            "ctranslate2" => beside_ctranslate2(&mut report, sides, &sentences, steps, options),
            _ => beside(peer, &mut report, sides, &sentences, steps, options),
        };
        if let Err(error) = result {
            report.note(format!("{} broke off: {error:#}", peer.name));
        }
    }
    if options.wants("ctranslate2") && options.model.is_none() && options.model_dir.is_none() {
        drop(ours);
        if let Err(error) = base_shape(&mut report, options) {
            report.note(format!("{} is left out: {error:#}", models::BASE.name));
        }
    }
    Ok(report)
}

type Sides<'a> = (&'a mut Peer, &'a mut Peer);

fn beside_ctranslate2(
    report: &mut Report,
    (ours, peer): &mut Sides<'_>,
    sentences: &[Vec<u32>],
    steps: usize,
    options: &Options,
) -> Result<()> {
    report.note("CTranslate2 has no semantic branch: it computes encoder and decoder only");
    let few = &evenly(sentences, 24);
    let all = [
        (
            "batch 32, beam 4",
            4,
            32,
            Some(steps),
            sentences,
            Quantity::SentencesPerSecond,
            Some(Bound::AtLeast(2.0)),
        ),
        (
            "batch 32, beam 1",
            1,
            32,
            Some(steps),
            sentences,
            Quantity::SentencesPerSecond,
            Some(Bound::AtLeast(2.0)),
        ),
        (
            "one sentence, beam 4",
            4,
            1,
            Some(steps),
            few,
            Quantity::Milliseconds,
            Some(Bound::AtMost(0.5)),
        ),
        (
            "one sentence, beam 1",
            1,
            1,
            Some(steps),
            few,
            Quantity::Milliseconds,
            Some(Bound::AtMost(0.5)),
        ),
        (
            "batch 32, beam 4, natural ends",
            4,
            32,
            None,
            sentences,
            Quantity::SentencesPerSecond,
            Some(Bound::AtLeast(2.0)),
        ),
        (
            "batch 32, beam 1, natural ends",
            1,
            32,
            None,
            sentences,
            Quantity::SentencesPerSecond,
            Some(Bound::AtLeast(2.0)),
        ),
        (
            "one sentence, beam 4, natural ends",
            4,
            1,
            None,
            few,
            Quantity::Milliseconds,
            Some(Bound::AtMost(0.5)),
        ),
    ];
    for (label, beam, batch, steps, sentences, quantity, bound) in all {
        let job = work::job(sentences, beam, batch, steps);
        let sides = (&mut **ours, &mut **peer);
        report.rows.push(compare(
            label,
            sides,
            &job,
            options.repetitions,
            quantity,
            bound,
        )?);
    }
    Ok(())
}

fn beside(
    peer: &PythonPeer,
    report: &mut Report,
    (ours, running): &mut Sides<'_>,
    sentences: &[Vec<u32>],
    steps: usize,
    options: &Options,
) -> Result<()> {
    let bound = match peer.name {
        "tensorflow" => Some(Bound::AtLeast(8.0)),
        "torch" => Some(Bound::AtLeast(4.0)),
        _ => None,
    };
    let few = evenly(sentences, 12);
    for (batch, beam) in [(1, 4), (1, 1), (12, 4)] {
        let mut label = format!("batch {batch}, beam {beam}");
        let mut job = work::job(&few, beam, batch, Some(steps));
        if peer.name == "tensorflow" {
            // The same network on both sides ends at the same places.
            label += ", natural ends";
            job.steps = None;
        }
        let sides = (&mut **ours, &mut **running);
        let quantity = Quantity::SentencesPerSecond;
        let bound = bound.filter(|_| peer.name != "tensorflow" || batch == 1);
        let row = compare(&label, sides, &job, options.repetitions, quantity, bound)?;
        report.rows.push(row);
    }
    Ok(())
}

fn base_shape(report: &mut Report, options: &Options) -> Result<()> {
    let shape = models::BASE;
    let model = shape.model()?;
    let mut ours = Peer::start(&work::ours(&model, None)?, Some(CORE))?;
    let peer = super::install::python_peer("ctranslate2")?;
    let mut peer = Peer::start(&peer.command(&model)?, Some(CORE))?;
    let sentences = work::random_sentences(&[25; 32], shape.vocabulary);
    for (what, count, batch, quantity, bound) in [
        (
            "batch 32, beam 4",
            32,
            32,
            Quantity::SentencesPerSecond,
            Bound::AtLeast(1.3),
        ),
        (
            "one sentence, beam 4",
            3,
            1,
            Quantity::Milliseconds,
            Bound::AtMost(0.75),
        ),
    ] {
        let label = format!("{}, {what}", shape.name);
        let job = work::job(&sentences[..count], 4, batch, Some(20));
        let sides = (&mut ours, &mut peer);
        report.rows.push(compare(
            &label,
            sides,
            &job,
            options.repetitions,
            quantity,
            Some(bound),
        )?);
    }
    report.note(format!(
        "{}: generated weights, {} tokens in the vocabulary, sentences of 25 source and 20 target tokens",
        shape.name, shape.vocabulary
    ));
    Ok(())
}

/// `count` sentences from all lengths.
fn evenly(sentences: &[Vec<u32>], count: usize) -> Vec<Vec<u32>> {
    let step = sentences.len().div_ceil(count).max(1);
    sentences.iter().step_by(step).cloned().collect()
}
