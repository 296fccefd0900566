//! The `csanmt` command: one file a subcommand.

mod config;
mod convert;
mod eval;
mod info;
mod inspect;
mod model;
mod output;
mod serve;
mod settings;
mod site;
mod threads;
mod translate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chinese to English translation on this machine.
#[derive(Parser)]
#[command(name = "csanmt", version, arg_required_else_help = true)]
struct Command {
    #[command(subcommand)]
    subcommand: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    Translate(translate::Arguments),
    Serve(Box<serve::Arguments>),
    Convert(convert::Arguments),
    Inspect(inspect::Arguments),
    Eval(eval::Arguments),
    Info(info::Arguments),
}

fn main() -> ExitCode {
    let command: Command = match config::parse() {
        Ok(command) => command,
        Err(error) => {
            eprintln!("csanmt: {}", output::explain(&error));
            return ExitCode::from(2);
        }
    };
    let outcome = match command.subcommand {
        Subcommands::Translate(arguments) => translate::run(&arguments),
        Subcommands::Serve(arguments) => serve::run(*arguments),
        Subcommands::Convert(arguments) => convert::run(&arguments),
        Subcommands::Inspect(arguments) => inspect::run(&arguments),
        Subcommands::Eval(arguments) => eval::run(&arguments),
        Subcommands::Info(arguments) => info::run(&arguments),
    };
    match outcome {
        Ok(code) => code,
        // Whoever read the output has seen enough.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("csanmt: {}", output::explain(&error));
            ExitCode::FAILURE
        }
    }
}
