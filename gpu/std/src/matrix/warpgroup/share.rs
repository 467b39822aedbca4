//! Registers that warpgroups give to each other: `setmaxnreg`.

use crate::state_space::ptx;

/// That a thread can have this many.
const fn can_be(count: u32) {
    assert!(
        count >= 24 && count <= 256 && count & 7 == 0,
        "a thread has 24 to 256 registers, a multiple of 8"
    );
}

/// Takes registers for this warpgroup's threads, up to this many each: 24 to 256, a multiple of 8.
/// Others of the block must have given some ([`decrease_registers`]), or the thread waits for ever.
/// All warps of the warpgroup call it, in a kernel with `#[launch_bounds]`.
#[doc(alias = "setmaxnreg.inc")]
#[inline(always)]
pub fn increase_registers<const COUNT: u32>() {
    const { can_be(COUNT) };
    // SAFETY: says how registers are shared out; what they hold stays.
    unsafe {
        ptx!("setmaxnreg.inc":
            "setmaxnreg.inc.sync.aligned.u32 {count};",
            count = const COUNT,
            options(nostack, preserves_flags),
        );
    }
}

/// Gives registers of this warpgroup's threads away, down to this many each: 24 to 256, a multiple
/// of 8. All warps of the warpgroup call it, in a kernel with `#[launch_bounds]`.
#[doc(alias = "setmaxnreg.dec")]
#[inline(always)]
pub fn decrease_registers<const COUNT: u32>() {
    const { can_be(COUNT) };
    // SAFETY: as for `increase_registers`; the compiler keeps within what is left.
    unsafe {
        ptx!("setmaxnreg.dec":
            "setmaxnreg.dec.sync.aligned.u32 {count};",
            count = const COUNT,
            options(nostack, preserves_flags),
        );
    }
}
