//! Evaluation sets and scores.
//!
//! A set is a TSV file: one sentence a line, source and reference with a TAB between them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::metrics::{MetricError, bleu, chrf};

/// A longer line is taken for a file of another kind.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Why an evaluation set cannot be read.
///
/// A message says what failed; where there is a [source](std::error::Error::source), it says why
/// and is not repeated in the message: print the whole chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The file cannot be opened or read.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is wrong.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// The file has no lines.
    #[error("{} is empty, expected lines of a source, a TAB and a reference", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// What is wrong with a line of an evaluation set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// Not a source and a reference.
    #[error("{found} field(s), expected 2: a source, a TAB and a reference")]
    Fields {
        /// How many fields there are.
        found: usize,
    },
    /// Nothing but white space before the TAB.
    #[error("the source is empty; leave the line out or complete it")]
    EmptySource,
    /// Nothing but white space after the TAB.
    #[error("the reference is empty; leave the line out or complete it")]
    EmptyReference,
    /// Not UTF-8.
    #[error("byte {offset} of the line is not valid UTF-8; convert the file to UTF-8")]
    Encoding {
        /// Offset of the first wrong byte in the line, from 0.
        offset: usize,
    },
    /// Too long to be a sentence.
    #[error("longer than {MAX_LINE_BYTES} bytes; expected one sentence a line")]
    TooLong,
}

/// Reads the sources and references of an evaluation set, in the file's order.
///
/// A byte order mark and carriage returns at line ends are dropped; sentences are not trimmed.
///
/// # Errors
/// When the file cannot be read, holds no lines, or a line is not a source, a TAB and a
/// reference.
pub fn read_pairs(path: impl AsRef<Path>) -> Result<Vec<(String, String)>, EvaluateError> {
    let path = path.as_ref();
    let io_error = |source| EvaluateError::Io {
        path: path.to_path_buf(),
        source,
    };
    let mut reader = BufReader::new(File::open(path).map_err(io_error)?);
    let mut pairs = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        // Two bytes more, for the line end.
        let mut limited = reader.by_ref().take(MAX_LINE_BYTES as u64 + 2);
        if limited.read_until(b'\n', &mut line).map_err(io_error)? == 0 {
            break;
        }
        let number = pairs.len() + 1;
        let pair = parse_line(&line, number == 1).map_err(|problem| EvaluateError::Line {
            path: path.to_path_buf(),
            line: number,
            problem,
        })?;
        pairs.push(pair);
    }
    if pairs.is_empty() {
        return Err(EvaluateError::Empty {
            path: path.to_path_buf(),
        });
    }
    Ok(pairs)
}

fn parse_line(line: &[u8], first: bool) -> Result<(String, String), LineProblem> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > MAX_LINE_BYTES {
        return Err(LineProblem::TooLong);
    }
    let line = str::from_utf8(line).map_err(|error| LineProblem::Encoding {
        offset: error.valid_up_to(),
    })?;
    let line = match line.strip_prefix('\u{feff}') {
        Some(rest) if first => rest,
        _ => line,
    };
    let found = line.split('\t').count();
    let (source, reference) = match line.split_once('\t') {
        Some(pair) if found == 2 => pair,
        _ => return Err(LineProblem::Fields { found }),
    };
    if source.trim().is_empty() {
        return Err(LineProblem::EmptySource);
    }
    if reference.trim().is_empty() {
        return Err(LineProblem::EmptyReference);
    }
    Ok((source.to_owned(), reference.to_owned()))
}

/// How good translations of a set are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Corpus BLEU, 0 to 100.
    pub bleu: f64,
    /// Corpus chrF2, 0 to 100.
    pub chrf: f64,
    /// How many sentences were compared.
    pub sentences: usize,
}

impl Score {
    /// Scores translations against their references, in the same order.
    ///
    /// # Errors
    /// When the lists differ in length or are empty.
    pub fn of(
        hypotheses: &[impl AsRef<str>],
        references: &[impl AsRef<str>],
    ) -> Result<Self, MetricError> {
        Ok(Self {
            bleu: bleu(hypotheses, references)?,
            chrf: chrf(hypotheses, references)?,
            sentences: hypotheses.len(),
        })
    }
}
