//! One TCP connection: who may have it and for how long.

mod activity;
mod counted;
mod occupancy;
mod socket;

pub(crate) use activity::Activity;
pub(crate) use counted::Counted;
pub(crate) use occupancy::Occupancy;
pub(crate) use socket::Socket;
