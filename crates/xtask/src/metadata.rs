//! What cargo knows of the workspace and its dependencies.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process::{cargo, output};

/// `cargo metadata` with further options.
pub(crate) fn metadata(options: &[&str]) -> Result<Value> {
    let mut command = cargo(["metadata", "--format-version", "1"]);
    let text = output(command.args(options))?;
    serde_json::from_str(&text).context("cargo metadata")
}
