//! Every environment variable the program reads.

/// A model file to use instead of the embedded one.
pub(crate) const MODEL: &str = "CSANMT_MODEL";
/// How much `csanmt serve` logs.
pub(crate) const LOG: &str = "CSANMT_LOG";

/// Name, meaning, and what holds when it is not set.
pub(crate) const ALL: [(&str, &str, &str); 2] = [
    (MODEL, "model file", "the embedded model"),
    (LOG, "off, error, warn, info, debug or trace", "info"),
];
