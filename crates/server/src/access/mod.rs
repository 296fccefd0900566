//! Who may ask, and how often.

mod caller;
mod rate;
mod tokens;

pub(crate) use caller::{Caller, Peer};
pub(crate) use rate::Rates;
pub(crate) use tokens::Tokens;
