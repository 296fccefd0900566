//! `csanmt translate`: arguments, standard input or files.

mod batch;
mod crew;
mod files;
mod input;
mod json_lines;
mod plain;
mod progress;
mod team;
mod truncation;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use csanmt::{Format, Options, Terms};
use csanmt_documents::Format as FileFormat;

use crate::model::ModelArguments;
use crate::threads;
pub(crate) use batch::Batch;

/// Translate texts given as arguments, standard input line by line, or files.
///
/// Each argument is a text of its own. Standard input gives as many lines as it has; empty lines
/// stay empty. Bytes that are not UTF-8 become U+FFFD, are reported with their line, and make the
/// exit status 1. What is available at once is translated together, so a terminal or a program that
/// waits for each answer gets it at once, and a file goes at full speed.
#[derive(clap::Args)]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct Arguments {
    /// Texts to translate [default: the lines of standard input]
    text: Vec<String>,
    /// Read and write one JSON object a line, see below
    #[arg(long)]
    jsonl: bool,
    /// With --jsonl: add the best hypothesis of each sentence with its token ids and score, and how
    /// sure the model is
    #[arg(long, requires = "jsonl")]
    scores: bool,
    /// With --jsonl: add the N best hypotheses of each sentence (at most the beam width)
    #[arg(long, value_name = "N", requires = "jsonl",
          value_parser = clap::value_parser!(u8).range(1..=Options::MAX_BEAM as i64))]
    n_best: Option<u8>,
    /// What the texts are written in: text, html or markdown, which take standard input as one
    /// document [default: text]; with --file any of its formats, when a name does not tell it
    #[arg(long, value_name = "FORMAT", conflicts_with = "raw")]
    format: Option<FileFormat>,
    /// Beam width, 1 to 8 [default: the model's own]
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u8).range(1..=Options::MAX_BEAM as i64))]
    beam: Option<u8>,
    /// Translations of terms: a term, a TAB and its translation on each line of FILE
    #[arg(long, value_name = "FILE", conflicts_with = "raw")]
    glossary: Option<PathBuf>,
    /// Terms that stay as they are, one on each line of FILE
    #[arg(long, value_name = "FILE", conflicts_with = "raw")]
    keep_list: Option<PathBuf>,
    /// The lines of the text are wrapped: sentences go over several of them, and only blank and
    /// indented lines begin paragraphs, each of which becomes one line. Takes standard input as one
    /// document
    #[arg(long, conflicts_with_all = ["raw", "jsonl", "file"])]
    wrapped_lines: bool,
    /// What the translation of TEXT, one sentence, begins with; its last word may be half written
    #[arg(long, value_name = "TEXT", conflicts_with = "file", requires = "text")]
    prefix: Option<String>,
    /// Exactly the original pipeline: split at <SENT_SPLIT> only, no guards
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    files: files::FileArguments,
    #[command(flatten)]
    model: ModelArguments,
    /// Threads, 1 to 256 [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<NonZero<usize>>,
}

const LONG_HELP: &str = "\
Files:
  --file keeps everything but the text byte for byte: txt, md, html, srt, vtt, json (string values),
  csv (with --column), docx, pptx, xlsx and epub. Text files keep their encoding (UTF-8, UTF-16,
  GB18030) and line ends. The result appears as NAME.en.EXTENSION beside the file, or where -o says,
  and only when it is complete.

JSON lines:
  {\"text\": \"…\"} in, {\"translation\": \"…\"} out. The text may hold line breaks; other fields are
  passed over. With TEXT arguments these are the texts, and only the output is JSON.

  \"truncated\": true is added when a sentence reached the length limit before its end. Without
  --jsonl a message on standard error says how many did.

  --scores and --n-best add \"hypotheses\", a list of {\"text\", \"ids\", \"score\"}, best first: score is
  the log-probability divided by the length penalty, ids are without the end of sentence. They also
  add \"confidence\", 0 to 1: the mean probability of the tokens of a sentence, of a text that of its
  least certain sentence.
  A text of several sentences (with --raw: pieces between <SENT_SPLIT>) gets in addition
  \"sentences\": [{\"source\", \"translation\", \"confidence\", \"hypotheses\"}, …]; its own \"hypotheses\" then has one
  entry: the whole translation, all ids in order, and the sum of the best scores.

  A line that is not such an object gives {\"error\": \"…\"} in its place; the others are translated,
  and the exit status is 1. Blank lines stay blank.";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut options = if arguments.raw {
        Options::raw()
    } else {
        Options::default()
    };
    if let Some(beam) = arguments.beam {
        options = options.with_beam(beam.into());
    }
    let detailed = arguments.scores || arguments.n_best.is_some();
    if detailed {
        options = options.with_n_best(arguments.n_best.unwrap_or(1).into());
    }
    if let Some(terms) = terms(arguments)? {
        options = options.with_terms(terms);
    }
    if arguments.wrapped_lines {
        options = options.with_wrapped_lines();
    }
    if let Some(prefix) = &arguments.prefix {
        ensure!(arguments.text.len() == 1, "--prefix is for one text");
        options = options.with_prefix(prefix);
    }
    let translator = arguments.model.source()?.open()?;
    let threads = arguments.threads.unwrap_or_else(threads::all_cores);
    if arguments.files.are_given() {
        let files = files::Request {
            arguments: &arguments.files,
            format: arguments.format,
        };
        return files::translate(&files, &translator, &options, threads);
    }
    let format = text_format(arguments.format)?;
    let options = options.with_format(format);
    let batch = Batch::new(translator, options, threads);
    match (arguments.jsonl, arguments.text.is_empty()) {
        (false, true) if format == Format::Text && !arguments.wrapped_lines => {
            return plain::translate_lines(&batch);
        }
        (false, true) => plain::translate_document(&batch)?,
        (false, false) => plain::translate_texts(&batch, &arguments.text)?,
        (true, true) => return json_lines::translate_lines(&batch, detailed),
        (true, false) => json_lines::translate_texts(&batch, detailed, &arguments.text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The format of texts that are in no file.
fn text_format(format: Option<FileFormat>) -> Result<Format> {
    match format {
        None | Some(FileFormat::Text) => Ok(Format::Text),
        Some(FileFormat::Html) => Ok(Format::Html),
        Some(FileFormat::Markdown) => Ok(Format::Markdown),
        Some(other) => bail!("{other} is a format of files: name them with --file"),
    }
}

/// What the glossary and the list of kept terms say; the glossary counts where both have a term.
fn terms(arguments: &Arguments) -> Result<Option<Terms>> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut terms = None;
    for (path, parse) in [
        (&arguments.keep_list, Terms::keep_list as fn(&str) -> _),
        (&arguments.glossary, Terms::glossary),
    ] {
        if let Some(path) = path {
            let found = parse(&read(path)?).with_context(|| path.display().to_string())?;
            terms.get_or_insert_with(Terms::default).extend(&found);
        }
    }
    Ok(terms)
}
