//! The end of the process, after the program's own code has finished.
//!
//! An `atexit` handler runs before the destructors of static objects that were made before it was
//! registered. Such objects still release streams and buffers. A function among the finalisers of
//! the executable or library runs after all of those.

pub(crate) mod leak;

use crate::objects::submission::host_access;
use crate::platform::process;
use crate::{record, summary};
use std::sync::atomic::{AtomicU32, Ordering};

/// The ID of the process that started the simulator; 0 if none did.
static STARTED_BY: AtomicU32 = AtomicU32::new(0);

/// Registers the work at the end of this process.
pub(crate) fn begin() {
    if STARTED_BY.swap(std::process::id(), Ordering::Relaxed) == 0 {
        register_end();
    }
}

process::at_end!(end);

extern "C" fn end() {
    // A process forked from this one ends here as well, and it has made nothing.
    if STARTED_BY.swap(0, Ordering::Relaxed) != std::process::id() {
        return;
    }
    // A panic that leaves this function aborts the process. A summary is not worth that.
    let _ = std::panic::catch_unwind(host_access::tell_at_end);
    let _ = std::panic::catch_unwind(leak::at_end);
    let _ = std::panic::catch_unwind(summary::end);
    let _ = std::panic::catch_unwind(record::end);
}
