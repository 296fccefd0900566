//! Speed of translation on this machine, one thread: `cargo run --release -p csanmt --example
//! throughput MODEL TEXT [beam…]`, where TEXT has one sentence a line.
//!
//! Everything is repeated and the median counts. *Engine* is the search over token ids alone, *text*
//! includes segmentation and detokenisation, *latency* is the mean
//! of one sentence at a time.

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use csanmt::{AlignedBytes, Kernels, Options, Translator};
use csanmt_format::ModelFile;
use csanmt_model::{Model, SearchOptions, Workspace};

const REPETITIONS: usize = 7;
/// Sentences in one call of the search, as in a long translation.
const BATCH: usize = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(model), Some(text)) = (arguments.next(), arguments.next()) else {
        return Err("usage: throughput MODEL TEXT [beam…]".into());
    };
    let beams: Vec<usize> = arguments
        .map(|beam| beam.parse())
        .collect::<Result<_, _>>()?;
    let text = std::fs::read_to_string(text)?;
    let translator = Translator::open(&model)?;
    let bytes = AlignedBytes::from(&std::fs::read(model)?[..]);
    let model = Model::load(&ModelFile::parse(Arc::new(bytes))?, Kernels::detect())?;
    let sentences: Vec<Vec<u32>> = text
        .lines()
        .map(|line| translator.trace(line).ids)
        .filter(|ids| !ids.is_empty())
        .collect();
    println!(
        "{} sentences, {}",
        sentences.len(),
        translator.instruction_set()
    );
    for beam in if beams.is_empty() { vec![4, 1] } else { beams } {
        engine(&model, &sentences, beam)?;
        let options = Options::default().with_beam(beam);
        let seconds = median(|| translator.translate(&text, &options).map(drop))?;
        println!(
            "  text:    {:7.0} sentences/s",
            sentences.len() as f64 / seconds
        );
    }
    Ok(())
}

fn engine(model: &Model, sentences: &[Vec<u32>], beam: usize) -> Result<(), Box<dyn Error>> {
    let mut options = model.search_options().for_translation();
    options.beam = beam;
    let mut workspace = model.workspace();
    let mut tokens = 0;
    let seconds = median(|| {
        tokens = search(model, sentences, BATCH, &options, &mut workspace)?;
        Ok::<_, csanmt_model::ModelError>(())
    })?;
    let count = sentences.len() as f64;
    println!(
        "beam {beam}\n  engine:  {:7.0} sentences/s, {:.0} tokens/s",
        count / seconds,
        tokens as f64 / seconds
    );
    let one_by_one = median(|| search(model, sentences, 1, &options, &mut workspace).map(drop))?;
    println!("  latency: {:7.2} ms a sentence", 1e3 * one_by_one / count);
    Ok(())
}

/// Translates all sentences and returns how many tokens the best translations have.
fn search(
    model: &Model,
    sentences: &[Vec<u32>],
    batch: usize,
    options: &SearchOptions,
    workspace: &mut Workspace,
) -> Result<usize, csanmt_model::ModelError> {
    let mut tokens = 0;
    for batch in sentences.chunks(batch) {
        let observe = &mut |_| ControlFlow::Continue(());
        let results = model.search(batch, options, workspace, observe)?;
        let best = results
            .iter()
            .filter_map(|result| result.hypotheses.first());
        tokens += best.map(|best| best.ids.len()).sum::<usize>();
    }
    Ok(tokens)
}

/// Median seconds of a call.
fn median<E>(mut f: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    f()?;
    let mut seconds = Vec::new();
    for _ in 0..REPETITIONS {
        let start = now();
        f()?;
        seconds.push(now() - start);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[REPETITIONS / 2])
}

/// Seconds that this thread has computed, so that other programs do not count; where the system
/// does not tell, seconds that have passed.
fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let passed = START.elapsed().as_secs_f64();
    let computed = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = computed.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(passed, |nanoseconds| 1e-9 * nanoseconds)
}
