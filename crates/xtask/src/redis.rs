//! The Redis that the server's tests start.

use anyhow::{Result, bail};

use crate::process::{command, exists, output, run};

/// Installs Debian's when there is none and that is possible. Without one its tests are skipped,
/// except where CI is set.
pub(crate) fn ensure() -> Result<()> {
    if exists("redis-server") {
        return Ok(());
    }
    let root = output(&mut command("id", ["-u"])).is_ok_and(|id| id.trim() == "0");
    if root && exists("apt-get") {
        run(&mut command("apt-get", ["update"]))?;
        let packages = [
            "install",
            "--yes",
            "--no-install-recommends",
            "redis-server",
        ];
        run(command("apt-get", packages).env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    if !exists("redis-server") && std::env::var_os("CI").is_some() {
        bail!("no redis-server, which tests of the server need");
    }
    Ok(())
}
