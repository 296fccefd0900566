//! The engine as WebAssembly modules with their JavaScript bindings: one module for every browser
//! with SIMD, one that also uses relaxed SIMD's 8-bit dot product. Both have the same interface,
//! hence one set of bindings, which is checked.
//!
//! There is no pass of wasm-opt: rustc's own link-time optimisation leaves it one per cent of the
//! size and nothing of the time, too little for another tool to install.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::process::{cargo, command, exists, output, run};
use crate::workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// What `cargo --config` gets on top of .cargo/config.toml for the build with relaxed SIMD.
pub(crate) const RELAXED_SIMD: &str =
    r#"target.wasm32-unknown-unknown.rustflags=["-C","target-feature=+relaxed-simd"]"#;

const BINDINGS: &str = "csanmt_wasm.js";
const MODULE: &str = "csanmt_wasm_bg.wasm";
const RELAXED_MODULE: &str = "csanmt_wasm_relaxed_bg.wasm";

/// Builds the package and returns its folder: `csanmt_wasm.js`, `csanmt_wasm.d.ts`,
/// `csanmt_wasm_bg.wasm` and `csanmt_wasm_relaxed_bg.wasm`.
pub(crate) fn build() -> Result<PathBuf> {
    ensure_target()?;
    let target = workspace::target();
    let package = target.join("wasm-package");
    bind(&compile(&target, &[])?, &package)?;

    // Cargo keeps one set of flags for each target folder: sharing it would rebuild everything.
    let folder = target.join("wasm-relaxed");
    let relaxed = folder.join("package");
    bind(&compile(&folder, &["--config", RELAXED_SIMD])?, &relaxed)?;

    if read(&package.join(BINDINGS))? != read(&relaxed.join(BINDINGS))? {
        bail!(
            "the bindings of the two WebAssembly builds differ: compare {BINDINGS} in {} and {}",
            package.display(),
            relaxed.display()
        );
    }
    fs::copy(relaxed.join(MODULE), package.join(RELAXED_MODULE))
        .with_context(|| format!("cannot copy {RELAXED_MODULE}"))?;
    Ok(package)
}

/// Adds the standard library for WebAssembly when the toolchain lacks it.
pub(crate) fn ensure_target() -> Result<()> {
    let libraries = output(&mut command(
        "rustc",
        ["--print", "target-libdir", "--target", TARGET],
    ))?;
    if Path::new(libraries.trim()).is_dir() {
        return Ok(());
    }
    if !exists("rustup") {
        bail!("the Rust target {TARGET} is missing, and there is no rustup to add it");
    }
    run(&mut command("rustup", ["target", "add", TARGET]))
}

/// Compiles into `folder` and returns the path of the module.
fn compile(folder: &Path, options: &[&str]) -> Result<PathBuf> {
    let mut build = cargo(["build", "--package", "csanmt-wasm", "--profile", "wasm"]);
    build
        .args(["--target", TARGET, "--target-dir"])
        .arg(folder)
        .args(options);
    run(&mut build)?;
    Ok(folder.join(TARGET).join("wasm/csanmt_wasm.wasm"))
}

fn bind(module: &Path, package: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .typescript(true)
        // Which module it is decides the worker, which names both, so that bundlers find them.
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(package))
        .with_context(|| format!("wasm-bindgen on {}", module.display()))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
