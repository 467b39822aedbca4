//! The process: its start, its end, its children.

pub(crate) use super::super::end::{at_exit, leave};
pub(crate) use super::super::without::process::{at_end, is_gone};
use std::ffi::CStr;
use std::path::PathBuf;

/// No process is forked from another one.
///
/// # Safety
/// There is nothing to keep.
pub(crate) unsafe fn in_children(_: unsafe extern "C" fn()) {}

/// Returns the path that C code has written.
pub(crate) fn path(text: &CStr) -> PathBuf {
    PathBuf::from(text.to_string_lossy().into_owned())
}

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
