//! For debuggers.

use crate::state_space::ptx;

/// Stops for a debugger: CUDA's `__brkpt()`. Without one, a GPU ends the launch; the simulator goes on.
#[doc(alias = "__brkpt")]
#[doc(alias = "brkpt")]
#[inline]
pub fn breakpoint() {
    // SAFETY: changes nothing.
    unsafe {
        ptx!("brkpt": "brkpt;", options(nostack, preserves_flags));
    }
}
