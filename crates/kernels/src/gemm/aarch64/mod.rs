//! Int8 tiles of AArch64.

mod dotprod;
mod neon;
