//! The node tools: TypeScript as a checker and the driver of the browser, pinned by the lockfile
//! in tests/browser.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{command, exists, run};
use crate::workspace;

/// Installs what the lockfile of the tests of the page names, unless it is there already.
pub(crate) fn install() -> Result<()> {
    install_in(&workspace::browser_tests())
}

/// Installs what the lockfile in a folder names, unless it is there already.
pub(crate) fn install_in(folder: &Path) -> Result<()> {
    if !exists("node") || !exists("npm") {
        bail!("node and npm are needed for the tests of the page: install node 20 or later");
    }
    // npm writes this file last; a lockfile newer than it means another set of packages.
    let installed = modified(&folder.join("node_modules/.package-lock.json"));
    let wanted = modified(&folder.join("package-lock.json"));
    if installed.is_some() && installed > wanted {
        return Ok(());
    }
    run(npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder))
}

/// Checks the JSDoc types of the library, the page and the tests.
pub(crate) fn check_types() -> Result<()> {
    for project in [
        "www/lib/tsconfig.json",
        "www/app/tsconfig.json",
        "www/app/tsconfig.worker.json",
        "tests/browser/tsconfig.json",
    ] {
        run(&mut compiler(["--project", project]))?;
    }
    Ok(())
}

/// Writes the types of the library's modules into a folder.
pub(crate) fn emit_types(folder: &Path) -> Result<()> {
    let mut emit = compiler(["--project", "www/lib/tsconfig.json"]);
    emit.args([
        "--noEmit",
        "false",
        "--declaration",
        "--emitDeclarationOnly",
    ])
    .args([
        "--allowImportingTsExtensions",
        "true",
        "--rootDir",
        "www/lib",
        "--outDir",
    ])
    .arg(folder);
    run(&mut emit)
}

fn compiler<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let compiler = workspace::browser_tests().join("node_modules/typescript/bin/tsc");
    let mut command = command("node", [compiler]);
    command.args(args);
    command
}

pub(crate) fn npm<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    command(program, args)
}

fn modified(path: &std::path::Path) -> Option<std::time::SystemTime> {
    path.metadata().and_then(|meta| meta.modified()).ok()
}
