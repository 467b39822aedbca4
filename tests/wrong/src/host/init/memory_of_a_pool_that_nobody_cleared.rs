//! Memory from a stream's pool is assumed to be zero.

use cust::sys;

use crate::host::{BYTES, Done, Host, WORDS, ok};

fn with_memory(host: &Host, clears: bool) -> Done {
    let mut memory = 0;
    // SAFETY: the result has a place.
    ok(unsafe { sys::cuMemAllocAsync(&mut memory, BYTES, host.a) })?;
    if clears {
        // SAFETY: this many words are there.
        ok(unsafe { sys::cuMemsetD32Async(memory, 0, WORDS, host.a) })?;
    }
    host.launch(c"mark", host.a, &[host.data, memory])?;
    // SAFETY: nothing uses it behind this.
    ok(unsafe { sys::cuMemFreeAsync(memory, host.a) })?;
    host.wait(host.a)
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    with_memory(host, false)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    with_memory(host, true)
}
