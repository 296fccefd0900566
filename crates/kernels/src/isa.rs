//! Which instruction sets exist, which of them this machine has, and the step into their code.

use std::fmt;
use std::str::FromStr;

use crate::simd::{self, Simd};

/// An instruction set the kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust, everywhere; the reference of all others.
    Scalar,
    /// x86-64 with AVX2.
    Avx2,
    /// x86-64 with AVX2 and AVX-VNNI (256-bit `vpdpbusd`).
    AvxVnni,
    /// x86-64 with AVX-512 F, BW, DQ, VL and VNNI (512-bit `vpdpbusd`).
    Avx512Vnni,
    /// x86-64 as [`Self::Avx512Vnni`], with AMX tiles for the int8 products.
    Amx,
    /// WebAssembly SIMD128.
    Simd128,
    /// WebAssembly SIMD128 with relaxed SIMD's 8-bit dot product.
    RelaxedSimd,
    /// AArch64 NEON.
    Neon,
    /// AArch64 NEON with the dot product extension.
    NeonDot,
}

impl Isa {
    /// All instruction sets, the most capable of each architecture last.
    pub const ALL: [Self; 9] = [
        Self::Scalar,
        Self::Avx2,
        Self::AvxVnni,
        Self::Avx512Vnni,
        Self::Amx,
        Self::Simd128,
        Self::RelaxedSimd,
        Self::Neon,
        Self::NeonDot,
    ];

    /// The name used in settings and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::AvxVnni => "avxvnni",
            Self::Avx512Vnni => "avx512vnni",
            Self::Amx => "amx",
            Self::Simd128 => "simd128",
            Self::RelaxedSimd => "relaxedsimd",
            Self::Neon => "neon",
            Self::NeonDot => "neondot",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no instruction set's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown instruction set `{name}`: expected one of scalar, avx2, avxvnni, avx512vnni, amx, \
     simd128, relaxedsimd, neon, neondot"
)]
pub struct UnknownIsa {
    /// The name given.
    pub name: String,
}

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(name: &str) -> Result<Self, UnknownIsa> {
        let found = Self::ALL.into_iter().find(|isa| isa.name() == name);
        found.ok_or_else(|| UnknownIsa {
            name: name.to_owned(),
        })
    }
}

/// Proof that an instruction set is usable here; all kernels are its methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels {
    /// Only ever an instruction set that `is_usable` has confirmed.
    isa: Isa,
}

impl Kernels {
    /// The fastest kernels this machine and build can run, unchecked; [`crate::self_test::fastest`]
    /// has compared them with the scalar ones.
    pub fn detect() -> Self {
        let best = Isa::ALL.into_iter().rev().find_map(Self::new);
        best.unwrap_or_else(Self::scalar)
    }

    /// Those of plain Rust, which run everywhere.
    pub(crate) const fn scalar() -> Self {
        Self { isa: Isa::Scalar }
    }

    /// The kernels of `isa`, or `None` where this machine or build cannot run them.
    pub fn new(isa: Isa) -> Option<Self> {
        simd::is_usable(isa).then_some(Self { isa })
    }

    /// Everything this machine and build can run, `Scalar` first, the fastest last.
    pub fn available() -> Vec<Self> {
        Isa::ALL.into_iter().filter_map(Self::new).collect()
    }

    /// The instruction set.
    pub const fn isa(self) -> Isa {
        self.isa
    }

    /// Runs `task` compiled for this instruction set.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        simd::run(self, task)
    }
}

/// A computation written once and compiled for every instruction set.
///
/// `run` must be `#[inline(always)]`: it takes on the target features of the function it is
/// inlined into, which alone carries the `#[target_feature]` attribute.
pub(crate) trait Task {
    type Output;
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}
