//! `cargo xtask serve`: page and API on this machine.

use anyhow::{Context, Result};

use crate::{process, site, workspace};

pub(crate) const HELP: &str = "\
cargo xtask serve [--port N] [--host ADDRESS] [ARGS…]

Builds the site (see `cargo xtask site --help`) and the server, then runs
`csanmt serve --site target/site ARGS…` until it is stopped.
";

pub(crate) fn run(args: &[String]) -> Result<()> {
    site::build()?;
    let binary = build_server()?;
    let site = workspace::site();
    let mut server = process::command(&binary, ["serve", "--site"]);
    server.arg(&site).args(args);
    become_process(&mut server).with_context(|| format!("cannot run {binary}"))
}

/// Builds the `csanmt` command and returns its path.
pub(crate) fn build_server() -> Result<String> {
    process::run(&mut process::cargo([
        "build",
        "--release",
        "--package",
        "csanmt-cli",
    ]))?;
    let name = format!("csanmt{}", std::env::consts::EXE_SUFFIX);
    let path = workspace::target().join("release").join(name);
    Ok(path.to_string_lossy().into_owned())
}

/// On Unix the server takes this process's place, so that signals reach it directly.
#[cfg(unix)]
fn become_process(server: &mut std::process::Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    Err(server.exec().into())
}

#[cfg(not(unix))]
fn become_process(server: &mut std::process::Command) -> Result<()> {
    process::run(server)
}
