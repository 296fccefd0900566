//! x86-64: which CPU has what, and the tokens. `avx2` and `avx512` hold the vector operations, the
//! int8 tiles are in [`crate::gemm`].
//!
//! A token's value exists only inside [`run`], whose `Kernels` are the proof that the CPU has the
//! features: holding one makes the intrinsics below sound.
#![allow(unsafe_code)]

mod amx;
mod avx2;
mod avx512;

use std::arch::is_x86_feature_detected;

use crate::Kernels;
use crate::isa::{Isa, Task};

/// The CPU has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// The CPU has AVX2 and AVX-VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AvxVnni(());

/// The CPU has AVX2 and AVX-512 F, BW, DQ, VL, VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512Vnni(());

/// The CPU has the features of [`Avx512Vnni`] and AMX int8 tiles, which this process may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amx(());

impl Amx {
    /// The same CPU without its tiles.
    #[inline(always)]
    pub(crate) fn without_tiles(self) -> Avx512Vnni {
        Avx512Vnni(())
    }
}

/// Whether the CPU has exactly the features that the functions of [`run`] are compiled with.
pub(crate) fn is_usable(isa: Isa) -> bool {
    let avx2 = is_x86_feature_detected!("avx2");
    match isa {
        Isa::Avx2 => avx2,
        Isa::AvxVnni => avx2 && is_x86_feature_detected!("avxvnni"),
        Isa::Avx512Vnni => {
            avx2 && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
        }
        Isa::Amx => is_usable(Isa::Avx512Vnni) && amx::is_permitted(),
        _ => false,
    }
}

/// Runs `task` compiled for `kernels`, one of this module's instruction sets.
#[inline]
pub(crate) fn run<T: Task>(kernels: Kernels, task: T) -> T::Output {
    // SAFETY: `Kernels` exist only for instruction sets whose features `is_usable` has confirmed.
    unsafe {
        match kernels.isa() {
            Isa::AvxVnni => run_avxvnni(task),
            Isa::Avx512Vnni => run_avx512vnni(task),
            Isa::Amx => run_amx(task),
            _ => run_avx2(task),
        }
    }
}

// The features of each wrapper equal those tested in `is_usable`.

#[target_feature(enable = "avx2")]
fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run(Avx2(()))
}

#[target_feature(enable = "avx2,avxvnni")]
fn run_avxvnni<T: Task>(task: T) -> T::Output {
    task.run(AvxVnni(()))
}

#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn run_avx512vnni<T: Task>(task: T) -> T::Output {
    task.run(Avx512Vnni(()))
}

// AMX instructions are written as assembly and need no feature of the compiler.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn run_amx<T: Task>(task: T) -> T::Output {
    task.run(Amx(()))
}
