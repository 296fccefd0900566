//! `cargo xtask package`: the library as an npm package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::process::{output, run};
use crate::{node, notices, site, wasm_package, workspace};

pub(crate) const HELP: &str = "\
cargo xtask package

Lays out target/package, which is the npm package `csanmt`: the modules of www/lib with their types,
the WebAssembly engine, the licences and those of the crates in it (THIRD-PARTY.txt). Then packs it
as target/csanmt-VERSION.tgz, prints its size, and fails when that is above 4.5 MB. No model is in
it.
";

const LIMIT_BYTES: u64 = 4_500_000;

/// Lays out and packs the package, and returns the path of the tarball.
pub(crate) fn build() -> Result<PathBuf> {
    let wasm = wasm_package::build()?;
    node::install()?;
    let root = workspace::root();
    let package = folder();
    if package.exists() {
        fs::remove_dir_all(&package)
            .with_context(|| format!("cannot clear {}", package.display()))?;
    }
    fs::create_dir_all(&package).with_context(|| format!("cannot make {}", package.display()))?;
    let library = root.join("www/lib");
    let is_ours = |name: &str| {
        name.ends_with(".js")
            || name.ends_with(".d.ts")
            || name == "package.json"
            || name == "README.md"
    };
    copy(&library, &package, is_ours)?;
    let is_engine = |name: &str| {
        [".js", ".d.ts", ".wasm"]
            .iter()
            .any(|end| name.ends_with(end))
            && !name.contains("_bg.wasm.d.ts")
    };
    copy(&wasm, &package, is_engine)?;
    copy(root, &package, |name| name.starts_with("LICENSE-"))?;
    fs::copy(root.join("crates/text/data/NOTICE"), package.join("NOTICE"))
        .context("cannot copy the NOTICE")?;
    notices::write(&notices::WEBASSEMBLY, &package.join(notices::FILE_NAME))?;
    node::emit_types(&package)?;
    check(&package)?;
    pack(&package)
}

/// Builds it for the command line.
pub(crate) fn run_command() -> Result<()> {
    build().map(|_| ())
}

/// Where the package is laid out.
pub(crate) fn folder() -> PathBuf {
    workspace::target().join("package")
}

/// Copies the files of a folder, not of those in it.
fn copy(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> Result<()> {
    let entries = fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_file() && wanted(&name) {
            fs::copy(&path, to.join(&name))
                .with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// Everything that the exports name is there, with types.
fn check(package: &Path) -> Result<()> {
    let path = package.join("package.json");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: serde_json::Value = serde_json::from_str(&text).context("package.json")?;
    let exports = manifest["exports"]
        .as_object()
        .context("package.json has no exports")?;
    let mut named: Vec<&str> = Vec::new();
    for target in exports.values() {
        named.extend(target.as_str());
        named.extend(
            target
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(_, path)| path.as_str()),
        );
    }
    for path in named {
        if !package.join(path).is_file() {
            bail!(
                "package.json names {path}, which is not in {}",
                package.display()
            );
        }
    }
    Ok(())
}

fn pack(package: &Path) -> Result<PathBuf> {
    let target = workspace::target();
    let mut pack = node::npm(["pack", "--silent", "--pack-destination"]);
    pack.arg(&target).current_dir(package);
    let name = output(&mut pack)?;
    let tarball = target.join(name.trim());
    let bytes = tarball
        .metadata()
        .with_context(|| format!("npm did not write {}", tarball.display()))?
        .len();
    let files = site::files_below(package, package)?;
    eprintln!("{} files in {}", files.len(), package.display());
    eprintln!("{}: {bytes} bytes, limit {LIMIT_BYTES}", tarball.display());
    if bytes > LIMIT_BYTES {
        bail!("the package is {bytes} bytes, more than {LIMIT_BYTES}");
    }
    Ok(tarball)
}

/// The package in Node, in bundlers and in Chromium: tests/packages.
pub(crate) fn test(chromium: Option<&str>) -> Result<()> {
    let tarball = build()?;
    let tests = workspace::root().join("tests/packages");
    node::install_in(&tests)?;
    let mut command = node::npm(["test"]);
    command
        .current_dir(&tests)
        .env("CSANMT_PACKAGE", tarball)
        .env("CSANMT_SITE", workspace::site())
        .env(
            "CSANMT_PACKAGE_TESTS",
            workspace::target().join("package-tests"),
        );
    if let Some(chromium) = chromium {
        command.env("CHROMIUM_PATH", chromium);
    }
    run(&mut command)
}
