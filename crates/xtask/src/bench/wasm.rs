//! Stub.
use super::{Options, report::Report};
use anyhow::{Result, bail};
pub(crate) fn run(_: &Options) -> Result<Report> {
    bail!("not yet")
}
