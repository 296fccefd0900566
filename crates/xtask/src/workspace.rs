//! Where things are.

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    // crates/xtask is two levels below the root.
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest)
}

/// Cargo's output folder.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The built site.
pub(crate) fn site() -> PathBuf {
    target().join("site")
}

/// The tests of the page, with the package that pins the node tools.
pub(crate) fn browser_tests() -> PathBuf {
    root().join("tests/browser")
}
