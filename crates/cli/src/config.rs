//! Settings of `csanmt serve` in a TOML file: the names of its options and their values.
//!
//! What the file says takes the place of the options' defaults, so the command line and the
//! environment come before it, and its values are checked as theirs are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use toml::{Table, Value};

use crate::settings;

/// The subcommand that has a file, and its option for it.
const SUBCOMMAND: &str = "serve";
const OPTION: &str = "config";

/// Reads the command line; ends the program as clap does when it is wrong.
pub(crate) fn parse<T: CommandFactory + FromArgMatches>() -> Result<T> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let mut command = T::command();
    let file = named(&arguments);
    if let Some(file) = &file {
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        let table: Table = text.parse().with_context(|| file.display().to_string())?;
        command = with_defaults(command, &table, file)?;
    }
    let outcome = command
        .try_get_matches_from_mut(arguments)
        .and_then(|matches| T::from_arg_matches(&matches));
    outcome.or_else(|error| {
        if error.kind() == ErrorKind::ValueValidation
            && let Some(file) = file
        {
            eprintln!(
                "csanmt: in the command line, the environment or {}:",
                file.display()
            );
        }
        error.exit()
    })
}

/// The file that the command line or the environment names.
fn named(arguments: &[OsString]) -> Option<PathBuf> {
    let mut rest = arguments.iter().skip(1);
    if rest.next()? != SUBCOMMAND {
        return None;
    }
    let mut rest = rest.take_while(|argument| *argument != "--");
    let flag = format!("--{OPTION}");
    while let Some(argument) = rest.next() {
        if *argument == *flag {
            return rest.next().map(PathBuf::from);
        }
        let value = argument
            .to_str()
            .and_then(|text| text.strip_prefix(&flag)?.strip_prefix('='));
        if let Some(value) = value {
            return Some(value.into());
        }
    }
    let variable = std::env::var_os(settings::CONFIG)?;
    (!variable.is_empty()).then(|| variable.into())
}

fn with_defaults(command: clap::Command, table: &Table, file: &Path) -> Result<clap::Command> {
    let Some(serve) = command.find_subcommand(SUBCOMMAND) else {
        return Ok(command);
    };
    let options: Vec<(String, clap::Id)> = serve
        .get_arguments()
        .filter_map(|option| Some((option.get_long()?.to_owned(), option.get_id().clone())))
        .filter(|(name, _)| name != OPTION)
        .collect();
    let mut defaults = Vec::new();
    for (name, value) in table {
        let Some((_, id)) = options.iter().find(|(known, _)| known == name) else {
            let known: Vec<&str> = options.iter().map(|(name, _)| &**name).collect();
            bail!(
                "{}: there is no setting {name}; there are {}",
                file.display(),
                known.join(", ")
            );
        };
        let values = match value {
            Value::Array(values) => values.iter().map(word).collect::<Option<Vec<_>>>(),
            value => word(value).map(|word| vec![word]),
        };
        let Some(values) = values else {
            bail!(
                "{}: {name} must be a text, a number, true or false, or a list of them",
                file.display()
            );
        };
        defaults.push((id.clone(), values));
    }
    Ok(command.mut_subcommand(SUBCOMMAND, |mut serve| {
        for (id, values) in defaults {
            serve = serve.mut_arg(id, |option| option.default_values(values));
        }
        serve
    }))
}

/// A value as the command line would have it.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}
