//! Int8 tiles of WebAssembly.

mod simd128;
