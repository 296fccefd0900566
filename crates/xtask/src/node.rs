//! The node tools: TypeScript as a checker and the driver of the browser, pinned by the lockfile
//! in tests/browser.

use std::process::Command;

use anyhow::{Result, bail};

use crate::process::{command, exists, run};
use crate::workspace;

/// Installs what the lockfile names, unless it is there already.
pub(crate) fn install() -> Result<()> {
    if !exists("node") || !exists("npm") {
        bail!("node and npm are needed for the tests of the page: install node 20 or later");
    }
    let folder = workspace::browser_tests();
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
    let compiler = workspace::browser_tests().join("node_modules/typescript/bin/tsc");
    let compiler = compiler.to_string_lossy().into_owned();
    for project in [
        "www/lib/tsconfig.json",
        "www/lib/tsconfig.worker.json",
        "www/app/tsconfig.json",
        "www/app/tsconfig.worker.json",
        "tests/browser/tsconfig.json",
    ] {
        run(&mut command(
            "node",
            [compiler.as_str(), "--project", project],
        ))?;
    }
    Ok(())
}

fn npm<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    command(program, args)
}

fn modified(path: &std::path::Path) -> Option<std::time::SystemTime> {
    path.metadata().and_then(|meta| meta.modified()).ok()
}
