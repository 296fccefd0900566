//! Finding or installing the browser of the tests.

use std::path::Path;

use anyhow::{Result, bail};

use crate::process::{command, exists, output, run};

const KNOWN_PATHS: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The path of a Chromium: `CHROMIUM_PATH`, an installed one, or Debian's, which is installed when
/// that is possible. `None` when there is none and none can be installed.
pub(crate) fn ensure() -> Result<Option<String>> {
    if let Ok(path) = std::env::var("CHROMIUM_PATH") {
        if !Path::new(&path).exists() {
            bail!("CHROMIUM_PATH is {path}, which does not exist");
        }
        return Ok(Some(path));
    }
    if let Some(path) = installed() {
        return Ok(Some(path));
    }
    if !may_install() {
        return Ok(None);
    }
    run(&mut command("apt-get", ["update"]))?;
    run(command(
        "apt-get",
        ["install", "--yes", "--no-install-recommends", "chromium"],
    )
    .env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(installed())
}

fn installed() -> Option<String> {
    let found = KNOWN_PATHS.iter().find(|path| Path::new(path).exists());
    found.map(|&path| path.to_owned())
}

fn may_install() -> bool {
    let root = output(&mut command("id", ["-u"])).is_ok_and(|id| id.trim() == "0");
    root && exists("apt-get")
}
