//! Deliberate stops: a breakpoint for a debugger, and a trap that ends the launch.

use crate::state_space::ptx;

/// Stops in the debugger: CUDA's `__brkpt()`. Without a debugger, a GPU ends the launch, and
/// the simulator continues.
#[doc(alias = "__brkpt")]
#[doc(alias = "brkpt")]
#[inline]
pub fn breakpoint() {
    // SAFETY: a breakpoint changes no memory.
    unsafe {
        ptx!("brkpt": "brkpt;", options(nostack, preserves_flags));
    }
}

/// Ends the launch with an error and no message: CUDA's `__trap()`. It is for kernels that must not
/// contain a call: with a call in it, a kernel with `wgmma` is slow and `setmaxnreg` is ignored.
/// `gpu_assert!` and a panic with a formatted text are calls. Elsewhere use `panic!` or
/// `gpu_assert!`, which report a message.
#[doc(alias = "__trap")]
#[inline(always)]
pub fn trap() -> ! {
    // SAFETY: the instruction ends the thread and the launch.
    unsafe {
        ptx!("trap": "trap;", "exit;", options(noreturn));
    }
}
