//! Int8 tiles of WebAssembly.

#[cfg(target_feature = "relaxed-simd")]
mod relaxed;
mod simd128;
