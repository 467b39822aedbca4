//! Addresses within a state space, as the instructions want them that name one, and the macro by which such instructions are written.
//!
//! Rust has one kind of pointer, the generic one. What copies asynchronously or waits at an mbarrier wants a shared address, of 32
//! bits, or a global one. Converting tells the optimizer that the pointer went somewhere it cannot see.
//! PTX ISA, "State Spaces", "cvta".

/// Inline PTX of an instruction that LLVM has no intrinsic for, or only one that Rust cannot name. On the host it panics.
macro_rules! ptx {
    ($name:literal: $($asm:tt)*) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            core::arch::asm!($($asm)*)
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            crate::state_space::instruction($name)
        }
    }};
}
pub(crate) use ptx;

/// Operands in braces, as the text of an instruction has them: `{c0}, {c1}` of `c0 c1`.
#[cfg(target_arch = "nvptx64")]
macro_rules! list {
    ($first:tt $($more:tt)*) => {
        concat!("{{{", stringify!($first), "}", $(", {", stringify!($more), "}",)* "}}")
    };
}
#[cfg(target_arch = "nvptx64")]
pub(crate) use list;

/// What an instruction is on the host; as unsafe as there.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) unsafe fn instruction(name: &str) -> ! {
    crate::device_only(name)
}

/// The global address of what a generic pointer leads to, as a bulk copy takes it.
///
/// No address is less than zero, and the maximum is there for that reason alone: ptxas 13.0, and the drivers that have it, forget the upper half of an
/// address that is the sum of a pointer and a shifted 32-bit number where it goes to `UBLKCP` from uniform registers. An H200 then tells of an illegal
/// address (driver 580.159.04, 2026-11-22). ptxas 13.5 makes it right, and 13.0 does behind a maximum.
#[cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]
#[inline(always)]
pub(crate) fn global<T>(pointer: *const T) -> u64 {
    let address: u64;
    // SAFETY: computes an address and touches no memory.
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

/// The shared address of what a generic pointer leads to, in this block.
#[cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused_variables, unreachable_code)
)]
#[inline(always)]
pub(crate) fn shared<T>(pointer: *const T) -> u32 {
    let address: u32;
    // SAFETY: computes an address and touches no memory.
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
