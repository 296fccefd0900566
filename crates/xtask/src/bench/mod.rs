//! `cargo xtask bench`: the product beside its peers, both in turn in one run.

mod browser;
mod chart;
mod compare;
mod full;
mod install;
mod kernels;
mod memory;
mod models;
mod native;
mod peer;
mod report;
mod server;
mod start;
mod wasm;
mod work;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::workspace;

pub(crate) const HELP: &str = "\
cargo xtask bench [native|kernels|start|memory|full|wasm|charts]… [OPTIONS]

  native   throughput and latency beside CTranslate2, the original TensorFlow graph, PyTorch and
           ONNX Runtime, all with the weights of the same model
  kernels  the int8 products beside what registers and memory allow
  start    the whole command, from its start to its exit
  memory   the most memory the command needs, and how two threads scale
  full     the released model's size and the base size with generated weights, on native code and
           in Chromium
  server   requests a second of the server beside Flask + PyTorch and FastAPI + CTranslate2
  wasm     Chromium: the engine beside itself on native code and beside onnxruntime-web
  charts   docs/bench/*.svg from what the others have measured

Without a name: native, kernels, start, memory. Peers are installed into target/peers (python with
venv, node with npm); one that cannot be installed is left out. Every result is the median of
several repetitions, ours and the peer's in turn, and goes to target/bench/NAME.json.

  --model FILE       a csanmt model file (default models/zh-en-tiny.safetensors)
  --model-dir DIR    a ModelScope directory, converted first
  --peer NAME        only this peer (repeatable): ctranslate2, tensorflow, torch, onnxruntime;
                     of full also chromium
  --repetitions N    (default 5)
  --sentences N      of tests/golden/dev.tsv in a throughput run (default 128)
  --check            fail when a result is outside its bound
";

/// What the command line asks for.
pub(crate) struct Options {
    model: Option<PathBuf>,
    model_dir: Option<PathBuf>,
    peers: Vec<String>,
    repetitions: usize,
    sentences: usize,
    check: bool,
}

type Benchmark = (&'static str, fn(&Options) -> Result<report::Report>);

const BENCHMARKS: &[Benchmark] = &[
    ("native", native::run),
    ("kernels", kernels::run),
    ("start", start::run),
    ("memory", memory::run),
    ("full", full::run),
    ("server", server::run),
    ("wasm", wasm::run),
];

const DEFAULT: [&str; 4] = ["native", "kernels", "start", "memory"];

pub(crate) fn run(args: &[String]) -> Result<()> {
    let (mut names, options) = parse(args)?;
    if names.is_empty() {
        names = DEFAULT.map(str::to_owned).to_vec();
    }
    let mut outside = 0;
    for name in &names {
        let Some((name, benchmark)) = BENCHMARKS.iter().find(|(known, _)| known == name) else {
            chart::write_all()?;
            continue;
        };
        eprintln!("\n== {name}");
        let report = benchmark(&options).with_context(|| format!("bench {name}"))?;
        report.print();
        report.write(name)?;
        outside += report.outside();
    }
    if options.check && outside > 0 {
        bail!("{outside} results are outside their bounds");
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<(Vec<String>, Options)> {
    let mut names = Vec::new();
    let mut options = Options {
        model: None,
        model_dir: None,
        peers: Vec::new(),
        repetitions: 5,
        sentences: 128,
        check: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--model" => options.model = Some(value()?.into()),
            "--model-dir" => options.model_dir = Some(value()?.into()),
            "--peer" => options.peers.push(value()?.clone()),
            "--repetitions" => options.repetitions = number(arg, value()?)?,
            "--sentences" => options.sentences = number(arg, value()?)?,
            "--check" => options.check = true,
            "charts" => names.push(arg.clone()),
            name if BENCHMARKS.iter().any(|(known, _)| *known == name) => names.push(arg.clone()),
            _ => bail!("unknown argument {arg:?}, see `cargo xtask bench --help`"),
        }
    }
    Ok((names, options))
}

fn number(arg: &str, value: &str) -> Result<usize> {
    match value.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => bail!("{arg} needs a number from 1, not {value:?}"),
    }
}

impl Options {
    fn wants(&self, peer: &str) -> bool {
        self.peers.is_empty() || self.peers.iter().any(|wanted| wanted == peer)
    }

    /// The model file to measure: the given one, the given directory converted, or the default.
    fn model(&self) -> Result<PathBuf> {
        if let Some(file) = &self.model {
            return std::fs::canonicalize(file)
                .with_context(|| format!("cannot find {}", file.display()));
        }
        match &self.model_dir {
            Some(dir) => models::convert(dir, &folder()?.join("given.safetensors")),
            None => Ok(workspace::root().join("models/zh-en-tiny.safetensors")),
        }
    }
}

/// target/bench, made when missing.
fn folder() -> Result<PathBuf> {
    let folder = workspace::target().join("bench");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn args(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn reads_names_and_options_in_any_order() {
        let line = "native --peer torch --repetitions 7 start --check";
        let (names, options) = parse(&args(line)).unwrap();
        assert_eq!(names, ["native", "start"]);
        assert_eq!(options.repetitions, 7);
        assert!(options.check);
        assert!(options.wants("torch") && !options.wants("ctranslate2"));
    }

    #[test]
    fn refuses_unknown_names_and_numbers() {
        for line in ["fast", "--repetitions", "--repetitions 0", "--sentences x"] {
            assert!(parse(&args(line)).is_err(), "{line}");
        }
    }
}
