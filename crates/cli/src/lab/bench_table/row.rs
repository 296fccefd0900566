//! One model of the table: processes that measure it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use csanmt::{Options, Translator};
use csanmt_lab::bench::{Speed, Subject, median};
use csanmt_lab::evaluate::{Score, read_pairs};
use csanmt_lab::inspect;
use serde::{Deserialize, Serialize};

use super::original::Original;
use crate::output;

/// Starts of a model file that are timed in each turn.
const STARTS: usize = 5;
/// Rounds of one process.
pub(super) const ROUNDS: usize = 3;

/// Measures one model in this process; `csanmt bench-table` runs it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model file
    model: PathBuf,
    /// Only load the model and translate two tokens
    #[arg(long)]
    first: bool,
    /// Only translate these sentence pairs and score the translations
    #[arg(long, value_name = "FILE")]
    dev: Option<PathBuf>,
}

/// What a process says of its model.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Measured {
    speed: Speed,
    /// Processor time for each second that passed.
    cpu: Option<f64>,
    /// Bytes, file and program included.
    peak_memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Quality {
    pub(super) bleu: f64,
    pub(super) chrf: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(dev) = &arguments.dev {
        let (sources, references): (Vec<_>, Vec<_>) = read_pairs(dev)?.into_iter().unzip();
        let translator = Translator::open(&arguments.model)?;
        let mut hypotheses = Vec::new();
        for source in &sources {
            hypotheses.push(translator.translate(source, &Options::raw())?.text);
        }
        let result = serde_json::to_string(&quality(&hypotheses, &references)?)?;
        output::print(&format!("{result}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = csanmt_lab::open_model(&arguments.model)
        .with_context(|| arguments.model.display().to_string())?;
    let subject = Subject::load(&file)?;
    if arguments.first {
        subject.translate(1, 2)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (begin, before) = (Instant::now(), processor_seconds());
    let speed = subject.speed(ROUNDS)?;
    let passed = begin.elapsed().as_secs_f64();
    let cpu = processor_seconds().zip(before);
    let result = Measured {
        speed,
        cpu: cpu.map(|(after, before)| (after - before) / passed),
        peak_memory: peak_memory(),
    };
    let result = serde_json::to_string(&result)?;
    output::print(&format!("{result}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn quality(hypotheses: &[String], references: &[String]) -> Result<Quality> {
    let Score { bleu, chrf, .. } = Score::of(hypotheses, references)?;
    Ok(Quality { bleu, chrf })
}

/// What this program says of a model file in a process of its own.
fn process(file: &Path, arguments: &[&std::ffi::OsStr]) -> Result<String> {
    let program = std::env::current_exe().context("this program")?;
    let mut command = Command::new(program);
    command.arg("bench-row").arg(file).args(arguments);
    command.stdin(Stdio::null());
    answer(command)
}

/// Runs a program to its end and gives its standard output.
pub(super) fn answer(mut command: Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !output.status.success() {
        bail!("{}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Processor time of this process, where Linux tells it.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have spaces.
    let rest = text.rsplit_once(')')?.1;
    let mut fields = rest.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    // Linux counts in hundredths here, whatever its timer does.
    Some((ticks()? + ticks()?) / 100.0)
}

/// Most memory of this process so far, where Linux tells it.
fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// What is measured.
enum Program {
    File(PathBuf),
    Original(Original),
}

/// A model and what was measured so far.
pub(super) struct Row {
    name: String,
    program: Program,
    bytes: u64,
    parameters: u64,
    starts: Vec<f64>,
    measured: Vec<Measured>,
    quality: Option<Quality>,
}

/// Medians of a row.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Summary {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) parameters: u64,
    /// From the start of the process to its end after two tokens.
    pub(super) start_ms: f64,
    pub(super) latency_ms: [f64; 3],
    pub(super) sentences_per_second: f64,
    pub(super) cpu: Option<f64>,
    pub(super) peak_memory: Option<u64>,
    pub(super) quality: Option<Quality>,
}

impl Row {
    pub(super) fn of_file(name: String, file: PathBuf) -> Result<Self> {
        let inspection = inspect(&file)?;
        if let Some(problem) = inspection.problem {
            bail!("{}: {problem}", file.display());
        }
        let (bytes, parameters) = (inspection.file_bytes, inspection.parameters);
        Ok(Self::new(name, Program::File(file), bytes, parameters))
    }

    /// The original TensorFlow graph.
    pub(super) fn of_original(original: Original) -> Result<Self> {
        let bytes = original.checkpoint_bytes()?;
        let parameters = original.parameters()?;
        let name = "original TensorFlow graph, f32".to_owned();
        Ok(Self::new(
            name,
            Program::Original(original),
            bytes,
            parameters,
        ))
    }

    fn new(name: String, program: Program, bytes: u64, parameters: u64) -> Self {
        Self {
            name,
            program,
            bytes,
            parameters,
            starts: Vec::new(),
            measured: Vec::new(),
            quality: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// One turn.
    pub(super) fn measure(&mut self, dev: Option<&Path>) -> Result<()> {
        let context = || format!("{}: the measurement failed", self.name);
        let starts = match self.program {
            Program::File(_) => STARTS,
            // It takes seconds, which needs no repetition to be seen.
            Program::Original(_) => 1,
        };
        for _ in 0..starts {
            let begin = Instant::now();
            self.start().with_context(context)?;
            self.starts.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        let measured = match &self.program {
            Program::File(file) => serde_json::from_str(&process(file, &[])?)?,
            Program::Original(original) => original.measured()?,
        };
        self.measured.push(measured);
        if let Some(dev) = dev {
            self.quality = Some(match &self.program {
                Program::File(file) => {
                    let text = process(file, &["--dev".as_ref(), dev.as_os_str()])?;
                    serde_json::from_str(&text)?
                }
                Program::Original(original) => {
                    let (sources, references): (Vec<_>, Vec<_>) =
                        read_pairs(dev)?.into_iter().unzip();
                    quality(&original.translate(&sources)?, &references)?
                }
            });
        }
        Ok(())
    }

    /// From nothing to two tokens.
    fn start(&self) -> Result<()> {
        match &self.program {
            Program::File(file) => process(file, &["--first".as_ref()]).map(drop),
            Program::Original(original) => original.parameters().map(drop),
        }
    }

    pub(super) fn summary(&self) -> Summary {
        let of = |part: &dyn Fn(&Measured) -> f64| median(self.measured.iter().map(part).collect());
        let cpu: Vec<f64> = self.measured.iter().filter_map(|m| m.cpu).collect();
        let peaks = self.measured.iter().filter_map(|m| m.peak_memory);
        Summary {
            name: self.name.clone(),
            bytes: self.bytes,
            parameters: self.parameters,
            start_ms: median(self.starts.clone()),
            latency_ms: [0, 1, 2].map(|i| of(&|m| m.speed.latency_ms[i])),
            sentences_per_second: of(&|m| m.speed.sentences_per_second),
            cpu: (!cpu.is_empty()).then(|| median(cpu)),
            peak_memory: peaks.max(),
            quality: self.quality,
        }
    }
}
