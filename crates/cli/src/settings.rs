//! Every environment variable the program reads.

/// A model file to use instead of the embedded one.
pub(crate) const MODEL: &str = "CSANMT_MODEL";
/// How much `csanmt serve` logs.
pub(crate) const LOG: &str = "CSANMT_LOG";
/// A file with settings of `csanmt serve`.
pub(crate) const CONFIG: &str = "CSANMT_CONFIG";
/// What lets clients of `csanmt serve` in.
pub(crate) const TOKENS: &str = "CSANMT_TOKENS";
/// The Redis of `csanmt serve`, whose address may have a password.
pub(crate) const REDIS: &str = "CSANMT_REDIS";

/// Name, meaning, and what holds when it is not set. Every option of `csanmt serve` has a variable,
/// which `csanmt serve --help` names; these are the ones beside them.
pub(crate) const ALL: [(&str, &str, &str); 5] = [
    (MODEL, "model file", "the embedded model"),
    (LOG, "off, error, warn, info, debug or trace", "info"),
    (CONFIG, "settings of `csanmt serve` as TOML", "none"),
    (TOKENS, "tokens that clients need, with commas", "none"),
    (REDIS, "cache that servers share", "none"),
];

/// Those that are shown only as set or not.
pub(crate) const SECRETS: [&str; 2] = [TOKENS, REDIS];
