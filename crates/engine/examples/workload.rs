//! The engine's side of `cargo xtask bench`: `workload MODEL [ISA]`.
//!
//! The peers in tests/peers speak the same protocol, one JSON object a line on standard input and
//! one on standard output, after a first line that says what runs:
//!
//! - `{"sentences": [[id, …], …], "beam": 4, "batch": 32, "threads": 1, "steps": 20}` is
//!   translated once: `{"seconds": …, "cpu_seconds": …, "tokens": …}`. With
//!   `steps`, every sentence gets exactly that many tokens; without, sentences end by themselves.
//! - `{"text": "…"}` is translated once, from text to text: `{"seconds": …, "cpu_seconds": …}`.
//! - `{"encode": ["text", …]}` gives the ids of texts: `{"ids": [[id, …], …]}`.

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use csanmt::{AlignedBytes, Options, Translator};
use csanmt_format::ModelFile;
use csanmt_model::{Isa, Kernels, Model, SearchOptions, Workspace};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(untagged)]
enum Request {
    Encode { encode: Vec<String> },
    Text { text: String },
    Run(Run),
}

#[derive(Deserialize)]
struct Run {
    sentences: Vec<Vec<u32>>,
    beam: usize,
    batch: usize,
    #[serde(default = "one")]
    threads: usize,
    steps: Option<usize>,
}

fn one() -> usize {
    1
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: workload MODEL [ISA]")?;
    let kernels = match arguments.next() {
        Some(name) => {
            let isa: Isa = name
                .parse()
                .map_err(|_| format!("{name:?} is no instruction set"))?;
            let found = Kernels::available().into_iter().find(|k| k.isa() == isa);
            found.ok_or_else(|| format!("this machine has no {isa}"))?
        }
        None => Kernels::detect(),
    };
    let begin = Instant::now();
    let bytes = std::fs::read(&path)?;
    let file = ModelFile::parse(Arc::new(AlignedBytes::from(&bytes[..])))?;
    drop(bytes);
    let model = Model::load(&file, kernels)?;
    answer(&json!({
        "name": "csanmt",
        "version": env!("CARGO_PKG_VERSION"),
        "isa": kernels.isa().to_string(),
        "load_seconds": begin.elapsed().as_secs_f64(),
        "config": file.config(),
    }))?;
    let mut pool = Pool {
        model: &model,
        workspaces: Vec::new(),
    };
    let mut translator = None;
    for line in std::io::stdin().lock().lines() {
        let reply = match serde_json::from_str(&line?)? {
            Request::Encode { encode } => encode_texts(Path::new(&path), &encode)?,
            Request::Text { text } => {
                if translator.is_none() {
                    let bytes = AlignedBytes::from(&std::fs::read(&path)?[..]);
                    translator = Some(Translator::with_kernels(bytes, kernels)?);
                }
                let translator = translator.as_ref().ok_or("no translator")?;
                translate(translator, &text)?
            }
            Request::Run(run) => pool.run(&run)?,
        };
        answer(&reply)?;
    }
    Ok(())
}

fn answer(value: &Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    out.flush()
}

fn encode_texts(path: &Path, texts: &[String]) -> Result<Value, Box<dyn Error>> {
    let translator = Translator::open(path)?;
    let ids: Vec<_> = texts
        .iter()
        .map(|text| translator.trace(text).ids)
        .collect();
    Ok(json!({ "ids": ids }))
}

fn translate(translator: &Translator, text: &str) -> Result<Value, Box<dyn Error>> {
    let (begin, cpu) = (Instant::now(), cpu_time());
    translator.translate(text, &Options::default())?;
    Ok(json!({
        "seconds": begin.elapsed().as_secs_f64(),
        "cpu_seconds": (cpu_time() - cpu).as_secs_f64(),
    }))
}

/// The model and one workspace a thread, kept so that every run but the first is warm.
struct Pool<'m> {
    model: &'m Model,
    workspaces: Vec<Workspace>,
}

impl Pool<'_> {
    fn run(&mut self, run: &Run) -> Result<Value, Box<dyn Error>> {
        let model = self.model;
        let threads = run.threads.max(1);
        while self.workspaces.len() < threads {
            self.workspaces.push(model.workspace());
        }
        let mut options = model.search_options();
        options.beam = run.beam;
        match run.steps {
            Some(steps) => (options.min_len, options.max_len) = (steps, steps),
            None => options = options.for_translation(),
        }
        options.batch.sentences = run.batch.max(1);
        let next = AtomicUsize::new(0);
        // What the engine makes one search of, where only the whole translation counts.
        let joined = run.batch.saturating_mul(8).max(1);
        let batches: Vec<_> = run.sentences.chunks(joined).collect();
        let (begin, cpu) = (Instant::now(), cpu_time());
        let tokens = if threads == 1 {
            search_all(model, &mut self.workspaces[0], &options, &batches, &next)?
        } else {
            let workspaces = &mut self.workspaces[..threads];
            std::thread::scope(|scope| {
                let running: Vec<_> = workspaces
                    .iter_mut()
                    .map(|w| scope.spawn(|| search_all(model, w, &options, &batches, &next)))
                    .collect();
                running
                    .into_iter()
                    .map(|thread| thread.join().map_err(|_| "a thread panicked".to_owned())?)
                    .sum::<Result<usize, String>>()
            })?
        };
        Ok(json!({
            "seconds": begin.elapsed().as_secs_f64(),
            "cpu_seconds": (cpu_time() - cpu).as_secs_f64(),
            "tokens": tokens,
        }))
    }
}

/// Takes batches until none is left; returns the tokens of the best hypotheses.
fn search_all(
    model: &Model,
    workspace: &mut Workspace,
    options: &SearchOptions,
    batches: &[&[Vec<u32>]],
    next: &AtomicUsize,
) -> Result<usize, String> {
    let mut tokens = 0;
    while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
        let results = model
            .search(
                batch,
                options,
                workspace,
                &mut |_| ControlFlow::Continue(()),
            )
            .map_err(|error| error.to_string())?;
        let best = results
            .iter()
            .filter_map(|result| result.hypotheses.first());
        tokens += best.map(|hypothesis| hypothesis.ids.len()).sum::<usize>();
    }
    Ok(tokens)
}

/// Processor time of all threads of this process.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}
