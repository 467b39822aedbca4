//! Stopping on purpose: for a debugger, or for good.

use crate::state_space::ptx;

/// Stops in the debugger: CUDA's `__brkpt()`. Without a debugger, a GPU ends the launch and the
/// simulator goes on.
#[doc(alias = "__brkpt")]
#[doc(alias = "brkpt")]
#[inline]
pub fn breakpoint() {
    // SAFETY: changes nothing.
    unsafe {
        ptx!("brkpt": "brkpt;", options(nostack, preserves_flags));
    }
}

/// Ends the launch with an error and no message: CUDA's `__trap()`. It is for kernels that must not
/// contain a call, which a panic would be: with a call in it, a kernel with `wgmma` is slow and
/// `setmaxnreg` is ignored. Elsewhere `panic!` and `gpu_assert!` say more.
#[doc(alias = "__trap")]
#[inline(always)]
pub fn trap() -> ! {
    // SAFETY: the thread ends here, and the launch.
    unsafe {
        ptx!("trap": "trap;", "exit;", options(noreturn));
    }
}
