//! Transfer of registers between warpgroups: `setmaxnreg`.

use crate::state_space::ptx;

/// Asserts that a thread can have this many registers.
const fn can_be(count: u32) {
    assert!(
        count >= 24 && count <= 256 && count & 7 == 0,
        "a thread has 24 to 256 registers, a multiple of 8"
    );
}

/// Increases the number of registers of each thread of this warpgroup to `COUNT`: 24 to 256, a
/// multiple of 8. Other warpgroups of the block must have released registers
/// ([`decrease_registers`]), or the thread waits for ever. All warps of the warpgroup call it, in a
/// kernel with `#[launch_bounds]`.
#[doc(alias = "setmaxnreg.inc")]
#[inline(always)]
pub fn increase_registers<const COUNT: u32>() {
    const { can_be(COUNT) };
    // SAFETY: the instruction changes the number of registers, and keeps their contents.
    unsafe {
        ptx!("setmaxnreg.inc":
            "setmaxnreg.inc.sync.aligned.u32 {count};",
            count = const COUNT,
            options(nostack, preserves_flags),
        );
    }
}

/// Decreases the number of registers of each thread of this warpgroup to `COUNT`: 24 to 256, a
/// multiple of 8. All warps of the warpgroup call it, in a kernel with `#[launch_bounds]`.
#[doc(alias = "setmaxnreg.dec")]
#[inline(always)]
pub fn decrease_registers<const COUNT: u32>() {
    const { can_be(COUNT) };
    // SAFETY: as for `increase_registers`; the compiler uses only the registers that are left.
    unsafe {
        ptx!("setmaxnreg.dec":
            "setmaxnreg.dec.sync.aligned.u32 {count};",
            count = const COUNT,
            options(nostack, preserves_flags),
        );
    }
}
