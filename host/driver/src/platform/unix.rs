//! What Linux and macOS have in common.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Calls the function in every process that is forked from this one.
///
/// # Safety
/// It may only do what is allowed between `fork` and the child's own code.
pub(crate) unsafe fn in_children(function: unsafe extern "C" fn()) {
    // SAFETY: passed on to the caller.
    unsafe { libc::pthread_atfork(None, None, Some(function)) };
}

/// Returns the path that C code has written.
pub(crate) fn path(text: &CStr) -> PathBuf {
    Path::new(OsStr::from_bytes(text.to_bytes())).into()
}
