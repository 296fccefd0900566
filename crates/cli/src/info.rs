//! `csanmt info`: what is in use on this machine.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;

use crate::model::ModelArguments;
use crate::{output, settings, site, threads};

/// Print the version, the model, the instruction set and the settings in use.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let source = arguments.model.source()?;
    let translator = source.open()?;
    let config = translator.config();
    let page = match site::default() {
        Some(site) => format!("{site:?}"),
        None => "none".to_owned(),
    };
    let rows = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("model", source.to_string()),
        (
            "languages",
            format!("{} to {}", config.src_lang, config.tgt_lang),
        ),
        ("beam", config.beam_size.to_string()),
        ("instruction set", translator.instruction_set()),
        ("threads", threads::all_cores().to_string()),
        ("page", page),
    ];
    let mut text = String::new();
    for (label, value) in rows {
        writeln!(text, "{label:<16} {value}")?;
    }
    for (name, meaning, default) in settings::ALL {
        let value = match std::env::var_os(name) {
            Some(_) if settings::SECRETS.contains(&name) => "set".to_owned(),
            Some(value) => value.display().to_string(),
            None => format!("not set: {default}"),
        };
        writeln!(text, "{name:<16} {value} ({meaning})")?;
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
