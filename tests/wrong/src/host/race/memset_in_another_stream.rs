//! A buffer is cleared in one stream, and added to in another.

use cust::sys;

use crate::host::{Done, Host, WORDS, ok};

pub(in crate::host) fn wrong(host: &Host) -> Done {
    // SAFETY: this many words are there.
    ok(unsafe { sys::cuMemsetD32Async(host.data, 0, WORDS, host.a) })?;
    host.launch(c"count", host.b, &[host.data])
}

pub(in crate::host) fn right(host: &Host) -> Done {
    // SAFETY: this many words are there.
    ok(unsafe { sys::cuMemsetD32Async(host.data, 0, WORDS, host.b) })?;
    host.launch(c"count", host.b, &[host.data])
}
