//! Int8 tiles of x86-64.

mod amx;
mod avx2;
mod avx512vnni;
mod avxvnni;
