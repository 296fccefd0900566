//! The engine in Chromium beside itself on native code, and beside onnxruntime-web.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::compare::{alternate, median};
use super::install;
use super::native::CORE;
use super::peer::Peer;
use super::report::{Bound, Report, Row};
use super::{Options, work};
use crate::process::{command, run as run_command};
use crate::{chromium, node, site, workspace};

/// Sentences in a text.
const SENTENCES: usize = 32;
const ONNXRUNTIME_WEB: &str = "onnxruntime-web@1.30.0";

pub(crate) fn run(options: &Options) -> Result<Report> {
    let mut browser = browser()?;
    let mut report = Report::default();
    let model = workspace::root().join("models/zh-en-tiny.safetensors");
    let (native, native_name) = native(&model)?;
    let native = RefCell::new(native);
    let onnx = match onnxruntime_web(&model, options) {
        Ok(folders) => folders,
        Err(error) => {
            report.note(format!("onnxruntime-web is left out: {error:#}"));
            None
        }
    };
    if let Some((runtime, models)) = &onnx {
        let config = native.borrow().hello()["config"].to_string();
        browser.arg(runtime).arg(models).arg(config);
    }
    let browser = RefCell::new(Peer::start(&browser, Some(CORE))?);
    report.note(format!(
        "Chromium on one core, {}; a text of {SENTENCES} sentences; time that passed",
        browser.borrow().name()
    ));

    let texts: Vec<String> = work::dev_texts()?.into_iter().take(SENTENCES).collect();
    let text = texts.join("\n");
    let ask = |peer: &RefCell<Peer>, request: &Value| Ok(peer.borrow_mut().seconds(request)?.0);
    for (build, bound) in [("relaxed-simd", 0.5), ("simd", 0.25)] {
        let (ours, theirs) = alternate(
            options.repetitions,
            || ask(&browser, &json!({ "text": text, "build": build })),
            || ask(&native, &json!({ "text": text })),
        )?;
        report
            .rows
            .push(row(build, &native_name, (ours, theirs), SENTENCES, bound));
    }
    if onnx.is_some() {
        beside_onnxruntime(&mut report, &native, &browser, &texts, options)?;
    }
    Ok(report)
}

/// The command that serves the site, built anew, and runs its library in Chromium on request.
pub(crate) fn browser() -> Result<Command> {
    let Some(chromium) = chromium::ensure()? else {
        bail!("no Chromium: install it or set CHROMIUM_PATH");
    };
    node::install()?;
    site::build()?;
    let script = workspace::root().join("tests/peers/chromium_peer.js");
    let mut browser = command("node", [&script]);
    browser
        .env("CHROMIUM_PATH", chromium)
        .env("CSANMT_SITE", workspace::site());
    Ok(browser)
}

/// The engine on native code with vectors that most machines have, and its name.
pub(crate) fn native(model: &Path) -> Result<(Peer, String)> {
    let isa = cfg!(target_arch = "x86_64").then_some("avx2");
    let native = Peer::start(&work::ours(model, isa)?, Some(CORE))?;
    let isa = native.hello()["isa"].as_str().unwrap_or_default();
    let name = format!("native, {isa}");
    Ok((native, name))
}

fn beside_onnxruntime(
    report: &mut Report,
    native: &RefCell<Peer>,
    browser: &RefCell<Peer>,
    texts: &[String],
    options: &Options,
) -> Result<()> {
    let few: Vec<&String> = texts.iter().step_by(4).collect();
    let mut sentences = Vec::new();
    for text in &few {
        let reply = native.borrow_mut().ask(&json!({ "encode": [text] }))?;
        let ids: Vec<Vec<u32>> = serde_json::from_value(reply["ids"].clone())?;
        sentences.extend(ids);
    }
    let steps = work::usual_steps(&mut native.borrow_mut(), &sentences)?;
    let one_by_one = || {
        let mut sum = 0.0;
        for text in &few {
            let request = json!({ "text": text, "build": "relaxed-simd" });
            sum += browser.borrow_mut().seconds(&request)?.0;
        }
        Ok(sum)
    };
    let theirs = || {
        let request = json!({ "sentences": sentences, "beam": 4, "steps": steps });
        let reply = browser.borrow_mut().seconds(&request);
        Ok(reply.context("onnxruntime-web")?.0)
    };
    let results = alternate(options.repetitions, one_by_one, theirs)?;
    let name = format!("{} int8", ONNXRUNTIME_WEB.replace('@', " "));
    report.rows.push(row(
        "relaxed-simd, one by one",
        &name,
        results,
        few.len(),
        3.0,
    ));
    report.note(format!(
        "onnxruntime-web: one thread, {steps} steps a sentence, as many as our translations have tokens on average; ours searches on until its own rule ends it"
    ));
    Ok(())
}

fn row(
    label: &str,
    peer: &str,
    (ours, theirs): (Vec<f64>, Vec<f64>),
    sentences: usize,
    bound: f64,
) -> Row {
    let rate = |seconds: Vec<f64>| sentences as f64 / median(seconds);
    Row {
        label: format!("Chromium, {label}"),
        peer: peer.to_owned(),
        unit: "sentences/s",
        ours: rate(ours),
        theirs: rate(theirs),
        bound: Some(Bound::AtLeast(bound)),
        wall_ratio: None,
    }
}

/// The folders of the runtime and of the exported models; `None` when it is not wanted.
fn onnxruntime_web(model: &Path, options: &Options) -> Result<Option<(PathBuf, PathBuf)>> {
    if !options.wants("onnxruntime") {
        return Ok(None);
    }
    let folder = workspace::target().join("peers/web");
    let runtime = folder.join("node_modules/onnxruntime-web/dist");
    if !runtime.exists() {
        std::fs::create_dir_all(&folder)?;
        let npm = [
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefix",
        ];
        run_command(command("npm", npm).arg(&folder).arg(ONNXRUNTIME_WEB))?;
    }
    // The native peer exports the models before it says that it is ready.
    let native = install::python_peer("onnxruntime")?;
    drop(Peer::start(&native.command(model)?, None)?);
    Ok(Some((runtime, native.cache(model))))
}
