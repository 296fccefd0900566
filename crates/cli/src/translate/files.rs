//! Files in, files out.

use std::fs;
use std::io::{self, ErrorKind};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use csanmt::{Options, Translator};
use csanmt_documents::{Column, Document, Format, Limits, Settings, Summary};
use csanmt_lab::Output;

use super::progress::Meter;
use super::team::Team;
use crate::output;

/// `--file` and what belongs to it.
#[derive(clap::Args)]
pub(crate) struct FileArguments {
    /// Translate files, see below
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["text", "jsonl", "raw"])]
    file: Vec<PathBuf>,
    /// With --file: the translated file, or a folder for several [default: NAME.en.EXTENSION]
    #[arg(short, long, value_name = "FILE", requires = "file")]
    output: Option<PathBuf>,
    /// With --file: a column of a table to translate, by number (from 1) or by its title in the
    /// first row; can be given several times
    #[arg(long, value_name = "COLUMN", requires = "file", value_parser = column)]
    column: Vec<Column>,
    /// With --file: what separates the columns [default: found out]
    #[arg(long, value_name = "CHARACTER", requires = "file", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// With --file: replace files that exist
    #[arg(long, requires = "file")]
    force: bool,
}

/// Files to translate.
pub(crate) struct Request<'a> {
    pub(crate) arguments: &'a FileArguments,
    /// What they are, if not what their names and contents tell.
    pub(crate) format: Option<Format>,
}

impl FileArguments {
    pub(crate) fn are_given(&self) -> bool {
        !self.file.is_empty()
    }
}

fn column(value: &str) -> Result<Column, String> {
    if value.is_empty() {
        return Err("expected a number from 1 or a title".to_owned());
    }
    Ok(match value.parse() {
        Ok(number) => Column::Number(number),
        Err(_) => Column::Name(value.to_owned()),
    })
}

fn delimiter(value: &str) -> Result<u8, String> {
    match value {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match value.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(*byte),
            _ => Err("expected one ASCII character, or tab".to_owned()),
        },
    }
}

/// Translates all files; those that cannot be translated are told and make the exit status 1.
pub(crate) fn translate(
    request: &Request<'_>,
    translator: &Translator,
    options: &Options,
    threads: NonZero<usize>,
) -> Result<ExitCode> {
    let arguments = request.arguments;
    let targets = targets(arguments)?;
    let team = Team::new(translator, options, threads);
    let mut failed = false;
    for (file, target) in arguments.file.iter().zip(&targets) {
        match translate_file(request, &team, file, target) {
            Ok(summary) if summary.truncated > 0 => eprintln!(
                "csanmt: {}: the length limit cut sentences short in {} of its texts",
                file.display(),
                summary.truncated
            ),
            Ok(_) => {}
            Err(error) if arguments.file.len() == 1 => return Err(error),
            Err(error) => {
                eprintln!("csanmt: {}", output::explain(&error));
                failed = true;
            }
        }
    }
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Where each translation goes.
fn targets(arguments: &FileArguments) -> Result<Vec<PathBuf>> {
    let mut targets = Vec::new();
    let folder = arguments.output.as_ref().filter(|output| output.is_dir());
    if arguments.file.len() > 1
        && let (Some(output), None) = (&arguments.output, folder)
    {
        bail!(
            "{} is no folder, expected one for several files",
            output.display()
        );
    }
    for file in &arguments.file {
        let target = match (folder, &arguments.output) {
            (Some(folder), _) => folder.join(file.file_name().unwrap_or(file.as_os_str())),
            (None, Some(output)) => output.clone(),
            (None, None) => beside(file),
        };
        ensure!(
            !targets.contains(&target),
            "two of the files would be written to {}",
            target.display()
        );
        targets.push(target);
    }
    Ok(targets)
}

/// `film.srt` becomes `film.en.srt`.
fn beside(file: &Path) -> PathBuf {
    match file.extension() {
        Some(extension) => {
            let mut end = std::ffi::OsString::from("en.");
            end.push(extension);
            file.with_extension(end)
        }
        None => file.with_extension("en"),
    }
}

fn translate_file(
    request: &Request<'_>,
    team: &Team<'_>,
    file: &Path,
    target: &Path,
) -> Result<Summary> {
    let arguments = request.arguments;
    let settings = settings(arguments);
    let unreadable = || format!("cannot read {}", file.display());
    check_readable(file, &settings.limits).with_context(unreadable)?;
    let target = writable(target, arguments.force)?;
    let bytes = fs::read(file).with_context(unreadable)?;
    let name = || file.display().to_string();
    let format = match request.format {
        Some(format) => format,
        None => Format::detect(&file.to_string_lossy(), &bytes).with_context(name)?,
    };
    let document = Document::open(format, &bytes, &settings).with_context(name)?;
    let mut output =
        Output::create(&target).with_context(|| format!("cannot write {}", target.display()))?;
    let mut meter = Meter::new(&name());
    let summary = document.translate(team, &mut output, &mut |progress| {
        meter.show(progress);
        ControlFlow::Continue(())
    });
    meter.finish();
    let summary = summary.with_context(name)?;
    output
        .commit()
        .with_context(|| format!("cannot write {}", target.display()))?;
    Ok(summary)
}

fn settings(arguments: &FileArguments) -> Settings {
    let settings = Settings::default().with_columns(arguments.column.clone());
    match arguments.delimiter {
        Some(delimiter) => settings.with_delimiter(delimiter),
        None => settings,
    }
}

/// The file behind links; refuses what must not be replaced.
fn writable(target: &Path, force: bool) -> Result<PathBuf> {
    match fs::metadata(target) {
        Ok(old) if !old.is_file() => bail!("{} is no file", target.display()),
        Ok(_) if !force => bail!(
            "{} exists already: give another name with -o, or replace it with --force",
            target.display()
        ),
        Ok(_) => target
            .canonicalize()
            .with_context(|| format!("cannot write {}", target.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(target.to_owned()),
        Err(error) => Err(error).with_context(|| format!("cannot write {}", target.display())),
    }
}

/// Refuses what is no file or too large.
fn check_readable(file: &Path, limits: &Limits) -> io::Result<()> {
    let metadata = fs::metadata(file)?;
    if metadata.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "this is a folder"));
    }
    if metadata.len() > limits.file {
        let reason = format!("it has more than {} bytes", limits.file);
        return Err(io::Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use csanmt_documents::Column;

    use super::{beside, column, delimiter};

    #[test]
    fn a_translation_is_named_after_its_file() {
        for (file, expected) in [
            ("film.srt", "film.en.srt"),
            ("a/b.zh.docx", "a/b.zh.en.docx"),
            ("README", "README.en"),
        ] {
            assert_eq!(beside(Path::new(file)), Path::new(expected));
        }
    }

    #[test]
    fn columns_are_numbers_or_titles() {
        assert_eq!(column("2").unwrap(), Column::Number(2));
        assert_eq!(column("名称").unwrap(), Column::Name("名称".to_owned()));
        assert!(column("").is_err());
        assert_eq!(delimiter("\\t"), Ok(b'\t'));
        assert_eq!(delimiter(";"), Ok(b';'));
        for wrong in ["", "\"", "；", ";;"] {
            assert!(delimiter(wrong).is_err(), "{wrong}");
        }
    }
}
