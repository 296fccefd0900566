//! The `csanmt` command: one file a subcommand.

mod config;
mod convert;
mod eval;
mod info;
mod inspect;
#[cfg(feature = "training")]
mod lab;
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
    #[cfg(feature = "training")]
    Prune(lab::prune::Arguments),
    #[cfg(feature = "training")]
    Quantize(lab::quantize::Arguments),
    #[cfg(feature = "training")]
    Shortlist(lab::shortlist::Arguments),
    #[cfg(feature = "training")]
    Finetune(Box<lab::finetune::Arguments>),
    #[cfg(feature = "training")]
    Train(Box<lab::train::Arguments>),
    #[cfg(feature = "training")]
    BenchTable(lab::bench_table::Arguments),
    #[cfg(feature = "training")]
    #[command(hide = true)]
    BenchRow(lab::bench_table::RowArguments),
    #[cfg(feature = "training")]
    Distill(Box<lab::distill::Arguments>),
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
        #[cfg(feature = "training")]
        Subcommands::Prune(arguments) => lab::prune::run(&arguments),
        #[cfg(feature = "training")]
        Subcommands::Quantize(arguments) => lab::quantize::run(&arguments),
        #[cfg(feature = "training")]
        Subcommands::Shortlist(arguments) => lab::shortlist::run(&arguments),
        #[cfg(feature = "training")]
        Subcommands::Finetune(arguments) => lab::finetune::run(&arguments),
        #[cfg(feature = "training")]
        Subcommands::Distill(arguments) => lab::distill::run(&arguments),
        #[cfg(feature = "training")]
        Subcommands::BenchTable(arguments) => lab::bench_table::run(&arguments),
        #[cfg(feature = "training")]
        Subcommands::BenchRow(arguments) => lab::bench_table::run_row(&arguments),
        #[cfg(feature = "training")]
        Subcommands::Train(arguments) => lab::train::run(&arguments),
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
