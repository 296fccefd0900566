//! Int8 and f32 kernels of the translation engine, one file per instruction set.
