//! The same files in Chromium: loading, latency and memory of the package with one worker.

use std::cell::RefCell;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::compare::{alternate, median};
use super::full::LENGTHS;
use super::models::Shape;
use super::peer::Peer;
use super::report::{Bound, Report, Row};
use super::{Options, wasm};

/// What one must know to read the rows.
pub(crate) const NOTE: &str = "in Chromium: the package, one worker, relaxed SIMD, beam 4, not bound to a core, time that passed; loading verifies the SHA-256, a download is stored as well, in memory as in a private window; latency is that of a text, by copies of the model whose header limits translations to as many tokens as the source has, and names English as source, so that no check searches again";

/// Adds what a size costs in Chromium.
pub(crate) fn measure(
    report: &mut Report,
    shape: &Shape,
    chromium: &mut Peer,
    options: &Options,
) -> Result<()> {
    let model = shape.model()?;
    let row = |what: &str, peer: String, unit, ours, theirs, bound| Row {
        label: format!("{} in Chromium, {what}", shape.name),
        peer,
        unit,
        ours,
        theirs,
        bound,
        wall_ratio: None,
    };
    eprintln!("{} in Chromium", shape.name);
    let page = RefCell::new(&mut *chromium);
    let load = |fresh| load(&mut page.borrow_mut(), &model, fresh);
    let (stored, downloaded) = alternate(options.repetitions, || load(false), || load(true))?;
    report.rows.push(row(
        "from the store to ready",
        "downloaded from this machine".to_owned(),
        "ms",
        median(stored),
        median(downloaded),
        None,
    ));
    let mut most = 0.0f64;
    for tokens in LENGTHS {
        let copy = shape.limited(tokens)?;
        let times = latency(chromium, &copy, tokens, options.repetitions);
        std::fs::remove_file(&copy).with_context(|| format!("cannot delete {}", copy.display()))?;
        let Latency {
            ours,
            peer,
            theirs,
            memory,
        } = times?;
        let what = format!("{tokens} tokens");
        report
            .rows
            .push(row(&what, peer, "ms/sentence", ours, theirs, None));
        most = most.max(memory);
    }
    let file = model.metadata()?.len() as f64;
    report.rows.push(row(
        "WebAssembly memory",
        format!("1.3 x file ({:.1} MB) + 32 MB", file / 1e6),
        "MB",
        most / 1e6,
        1.3f64.mul_add(file, 32e6) / 1e6,
        Some(Bound::AtMost(1.0)),
    ));
    Ok(())
}

/// Medians in milliseconds, and bytes of WebAssembly memory.
struct Latency {
    ours: f64,
    peer: String,
    theirs: f64,
    memory: f64,
}

/// One sentence of so many tokens, in Chromium and on native code: the same search, bit for bit.
fn latency(
    chromium: &mut Peer,
    model: &Path,
    tokens: usize,
    repetitions: usize,
) -> Result<Latency> {
    let (mut native, peer) = wasm::native(model)?;
    let text = vec!["x"; tokens].join(" ");
    let ids = native.ask(&json!({ "encode": [text] }))?;
    let len = ids["ids"][0].as_array().map_or(0, Vec::len);
    ensure!(len == tokens, "the source has {len} tokens, not {tokens}");
    load(chromium, model, true)?;
    let request = json!({ "text": text, "build": "relaxed-simd" });
    let mut memory = 0.0;
    let (ours, theirs) = alternate(
        repetitions,
        || {
            let (seconds, reply) = chromium.seconds(&request)?;
            let words = reply["text"].as_str().unwrap_or_default();
            let words = words.split_whitespace().count();
            ensure!(words == tokens, "{words} words of {tokens} tokens");
            memory = reply["memory"].as_f64().context("no memory")?;
            Ok(1e3 * seconds)
        },
        || Ok(1e3 * native.seconds(&request)?.0),
    )?;
    let (ours, theirs) = (median(ours), median(theirs));
    Ok(Latency {
        ours,
        peer,
        theirs,
        memory,
    })
}

/// Milliseconds of loading a model, from the store unless it has to be downloaded.
fn load(chromium: &mut Peer, model: &Path, fresh: bool) -> Result<f64> {
    let request = json!({ "load": model, "fresh": fresh });
    Ok(1e3 * chromium.seconds(&request)?.0)
}
