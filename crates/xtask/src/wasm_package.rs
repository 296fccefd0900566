//! The engine as a WebAssembly module with its JavaScript bindings.
//!
//! There is no pass of wasm-opt: rustc's own link-time optimisation leaves it one per cent of the
//! size and nothing of the time, too little for another tool to install.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

use crate::process::{cargo, command, exists, output, run};
use crate::workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the package and returns its folder: `csanmt_wasm.js`, `csanmt_wasm.d.ts`,
/// `csanmt_wasm_bg.wasm` and `csanmt_wasm_bg.wasm.d.ts`.
pub(crate) fn build() -> Result<PathBuf> {
    ensure_target()?;
    run(&mut cargo([
        "build",
        "--package",
        "csanmt-wasm",
        "--profile",
        "wasm",
        "--target",
        TARGET,
    ]))?;
    let module = workspace::target()
        .join(TARGET)
        .join("wasm/csanmt_wasm.wasm");
    let package = workspace::target().join("wasm-package");
    bind(&module, &package)?;
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
        anyhow::bail!("the Rust target {TARGET} is missing, and there is no rustup to add it");
    }
    run(&mut command("rustup", ["target", "add", TARGET]))
}

fn bind(module: &Path, package: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .typescript(true)
        // The bindings name the module beside them, so that bundlers find it too.
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(package))
        .with_context(|| format!("wasm-bindgen on {}", module.display()))
}
