//! `cargo xtask COMMAND`: the one build tool. It needs nothing but rustup, a C compiler and, for
//! the tests of the page, node; what else is missing it installs or names.

mod bench;
mod check_deps;
mod chromium;
mod licences;
mod manifest;
mod metadata;
mod node;
mod notices;
mod package;
mod process;
mod redis;
mod serve;
mod site;
mod sizes;
mod test;
mod wasm_package;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask COMMAND

  serve [ARGS…]  build the site and the server, then run `csanmt serve ARGS…` on it
  site           build the page with its WebAssembly engine into target/site
  package        lay out and pack the npm package into target/package
  notices        write the licences of all code that is compiled into what we give away
  test           everything that continuous integration runs, stopping at the first failure
  check-deps     fail when a crate depends on one it may not know
  bench [NAME…]  measure the engine beside its peers
  sizes          print the sizes of the built site's WebAssembly and JavaScript, fail above the limit

`cargo xtask COMMAND --help` says more.
";

/// The commands: name, help, and what to run with the remaining arguments.
type Command = (&'static str, &'static str, fn(&[String]) -> Result<()>);

const COMMANDS: &[Command] = &[
    ("serve", serve::HELP, serve::run),
    ("site", site::HELP, |args| {
        without_arguments(args, site::build)
    }),
    ("package", package::HELP, |args| {
        without_arguments(args, package::run_command)
    }),
    ("notices", notices::HELP, |args| {
        without_arguments(args, notices::run)
    }),
    ("test", test::HELP, |args| {
        without_arguments(args, test::run)
    }),
    ("check-deps", check_deps::HELP, |args| {
        without_arguments(args, check_deps::run)
    }),
    ("bench", bench::HELP, bench::run),
    ("sizes", sizes::HELP, |args| {
        without_arguments(args, sizes::run)
    }),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let Some((name, rest)) = args.split_first() else {
        print!("{HELP}");
        bail!("no command given");
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{HELP}");
        return Ok(());
    }
    let Some((_, help, run)) = COMMANDS.iter().find(|(known, ..)| known == name) else {
        print!("{HELP}");
        bail!("unknown command {name:?}");
    };
    if rest.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{help}");
        return Ok(());
    }
    run(rest)
}

fn without_arguments(args: &[String], run: fn() -> Result<()>) -> Result<()> {
    match args.first() {
        Some(arg) => bail!("unexpected argument {arg:?}"),
        None => run(),
    }
}
