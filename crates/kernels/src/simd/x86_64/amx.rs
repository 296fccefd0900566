//! Whether this process may use AMX tiles: the CPU has them, and Linux gives a process their eight
//! kilobytes of registers only when it asks.
#![allow(unsafe_code)]

use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// Asks once a process.
pub(super) fn is_permitted() -> bool {
    static PERMITTED: OnceLock<bool> = OnceLock::new();
    *PERMITTED.get_or_init(|| has_int8_tiles() && request())
}

/// CPUID leaf 7: AMX-TILE is bit 24 of EDX, AMX-INT8 bit 25.
fn has_int8_tiles() -> bool {
    const LEAF: u32 = 7;
    const TILE_AND_INT8: u32 = 0b11 << 24;
    __cpuid_count(0, 0).eax >= LEAF && __cpuid_count(LEAF, 0).edx & TILE_AND_INT8 == TILE_AND_INT8
}

/// `arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA)`, for all threads of the process.
#[cfg(target_os = "linux")]
fn request() -> bool {
    const ARCH_PRCTL: isize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XTILEDATA: usize = 18;
    let status: isize;
    // SAFETY: a system call with two numbers, which touches no memory of this process.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => status,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XTILEDATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    status == 0
}

/// Other systems are not asked yet.
#[cfg(not(target_os = "linux"))]
fn request() -> bool {
    false
}
