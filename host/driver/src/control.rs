//! Two C functions that the driver API has no call for, for harnesses in other languages that run
//! many tests in one process: `lanewise_set_seed` and `lanewise_write_summary`. The Python package
//! `lanewise-cuda` uses them. They are exported beside the driver API's symbols, and do nothing
//! on a GPU.

use std::ffi::{CStr, c_char, c_int};

use crate::platform::process;
use crate::{settings, summary};

/// Sets the seed that orders the warps of later launches, as `LANEWISE_SEED` does at the start.
#[unsafe(no_mangle)]
pub extern "C" fn lanewise_set_seed(seed: u64) {
    settings::set_seed(seed);
}

/// Writes what has run so far to a file: the JSON that `LANEWISE_COUNTERS` writes at the end of the
/// program. One of the two variables `LANEWISE_COUNTERS` and `LANEWISE_SUMMARY` has to be set.
/// Launches are asynchronous: synchronise first.
///
/// Returns 0, or 1 if the file cannot be written.
///
/// # Safety
/// `path` points to a string that a zero ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lanewise_write_summary(path: *const c_char) -> c_int {
    if path.is_null() {
        return 1;
    }
    // SAFETY: the caller promises a string that a zero ends, and the pointer is not null.
    let path = process::path(unsafe { CStr::from_ptr(path) });
    c_int::from(std::fs::write(path, summary::so_far()).is_err())
}
