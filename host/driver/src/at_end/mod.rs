//! The end of the process, after the program's own code has finished.
//!
//! An `atexit` handler runs before the destructors of static objects that were made before it was
//! set, and such objects still release streams and buffers. A function among the finalisers of the
//! executable or library runs after all of those.

pub(crate) mod leak;

use crate::objects::submission::host_access;
use crate::summary;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process that started the simulator; 0 where none did.
static STARTED_BY: AtomicU32 = AtomicU32::new(0);

#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section holds pointers to functions without arguments, and this is one.
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = end;

/// Has the end of this process told.
pub(crate) fn begin() {
    #[cfg(target_os = "linux")]
    // Who names it has it linked.
    std::hint::black_box(&AT_END);
    let before = STARTED_BY.swap(std::process::id(), Ordering::Relaxed);
    if before == 0 && !cfg!(target_os = "linux") {
        // SAFETY: the handler takes no arguments and does not unwind.
        unsafe { libc::atexit(end) };
    }
}

extern "C" fn end() {
    // What was forked from it ends as well, and made nothing.
    if STARTED_BY.swap(0, Ordering::Relaxed) != std::process::id() {
        return;
    }
    // What unwinds out of here aborts, and a summary is not worth that.
    let _ = std::panic::catch_unwind(host_access::tell_at_end);
    let _ = std::panic::catch_unwind(leak::at_end);
    let _ = std::panic::catch_unwind(summary::end);
}
