//! Addresses within a state space, and the macro for the inline PTX that takes them.
//!
//! Rust has one kind of pointer, the generic one. Asynchronous copies and mbarriers take a shared
//! address of 32 bits, or a global one. The conversion also tells the optimizer that the pointer
//! has escaped. PTX ISA, "State Spaces", "cvta".

/// Inline PTX of an instruction that LLVM has no intrinsic for, or only one that Rust cannot name.
/// On the host it panics.
#[doc(hidden)]
#[macro_export]
macro_rules! __ptx {
    ($name:literal: $($asm:tt)*) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            core::arch::asm!($($asm)*)
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            $crate::inside::instruction($name)
        }
    }};
}
pub(crate) use __ptx as ptx;

/// Makes the operands of an instruction's text, in braces: `{c0}, {c1}` from `c0 c1`.
#[cfg(target_arch = "nvptx64")]
macro_rules! list {
    ($first:tt $($more:tt)*) => {
        concat!("{{{", stringify!($first), "}", $(", {", stringify!($more), "}",)* "}}")
    };
}
#[cfg(target_arch = "nvptx64")]
pub(crate) use list;

/// Replaces an instruction on the host. It panics, and is `unsafe` like the instruction.
///
/// # Safety
/// The instruction's contract.
#[cfg(not(target_arch = "nvptx64"))]
pub unsafe fn instruction(name: &str) -> ! {
    crate::device_only(name)
}

/// Returns the global address of a generic pointer, for a bulk copy.
///
/// The maximum with zero changes no address; it works around a defect. When an address is the sum
/// of a pointer and a shifted 32-bit number, and goes to `UBLKCP` from uniform registers, ptxas
/// 13.0 (also inside drivers) loses its upper half. An H200 then reports an illegal address (driver
/// 580.159.04, 2026-11-22). The maximum prevents it. ptxas 13.5 does not have this defect.
#[cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]
#[inline(always)]
pub(crate) fn global<T>(pointer: *const T) -> u64 {
    let address: u64;
    // SAFETY: the instruction computes an address and accesses no memory.
    unsafe {
        ptx!("cvta.to.global":
            "{{ .reg .b64 global; cvta.to.global.u64 global, {pointer}; max.u64 {address}, global, 0; }}",
            pointer = in(reg64) pointer.expose_provenance(),
            address = lateout(reg64) address,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    address
}

/// Returns the shared address of a generic pointer into this block's shared memory.
#[cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]
#[inline(always)]
pub fn shared<T>(pointer: *const T) -> u32 {
    let address: u32;
    // SAFETY: the instruction computes an address and accesses no memory.
    unsafe {
        ptx!("cvta.to.shared":
            "{{ .reg .b64 shared; cvta.to.shared.u64 shared, {pointer}; cvt.u32.u64 {address}, shared; }}",
            pointer = in(reg64) pointer.expose_provenance(),
            address = lateout(reg32) address,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    address
}
