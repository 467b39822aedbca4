//! The process: its start, its end, its children.

use std::ffi::{CStr, c_int};
use std::path::PathBuf;

/// Calls the function at the end of the process, with the program's own `atexit` handlers.
pub(crate) fn at_exit(function: extern "C" fn()) {
    // SAFETY: the handler takes no arguments and does not unwind.
    unsafe { libc::atexit(function) };
}

/// No process is forked from another one.
///
/// # Safety
/// There is nothing to keep.
pub(crate) unsafe fn in_children(_: unsafe extern "C" fn()) {}

/// Ends the process without any work at its end.
pub(crate) fn leave(code: c_int) -> ! {
    // SAFETY: the call has no conditions.
    unsafe { libc::_exit(code) }
}

/// Returns the path that C code has written.
pub(crate) fn path(text: &CStr) -> PathBuf {
    PathBuf::from(text.to_string_lossy().into_owned())
}

/// No process shares anything with another one.
pub(crate) fn is_gone(_: u32) -> bool {
    true
}

/// Makes `register_end`, which makes sure that a function is called at the end of this process,
/// before the destructors of static objects that are older.
macro_rules! at_end {
    ($function:path) => {
        fn register_end() {
            process::at_exit($function);
        }
    };
}
pub(crate) use at_end;

/// Makes the loader call a function before any other code of this program or library.
#[doc(hidden)]
#[macro_export]
macro_rules! when_loaded {
    ($function:path) => {
        /// The loader calls the functions listed in this section.
        #[used]
        #[unsafe(link_section = ".CRT$XCU")]
        static WHEN_LOADED: extern "C" fn() = $function;
    };
}
pub(crate) use when_loaded;
