//! The subcommands of model engineers: what makes models smaller, and what trains them.

pub(crate) mod bench_table;
pub(crate) mod distill;
pub(crate) mod finetune;
mod latency;
pub(crate) mod prune;
pub(crate) mod quantize;
mod session;
pub(crate) mod shortlist;
pub(crate) mod train;
