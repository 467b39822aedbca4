//! The end of the process, by C's library, which all systems have.

use std::ffi::c_int;

/// Calls the function at the end of the process, with the program's own `atexit` handlers.
pub(crate) fn at_exit(function: extern "C" fn()) {
    // SAFETY: the handler takes no arguments and does not unwind.
    unsafe { libc::atexit(function) };
}

/// Ends the process without any work at its end.
pub(crate) fn leave(code: c_int) -> ! {
    // SAFETY: the call has no conditions.
    unsafe { libc::_exit(code) }
}
