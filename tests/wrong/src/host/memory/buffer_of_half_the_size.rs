//! A buffer has half of the bytes that the kernel fills.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

fn with_buffer(host: &Host, bytes: usize) -> Done {
    let mut buffer = 0;
    // SAFETY: the result has a place.
    ok(unsafe { sys::cuMemAlloc_v2(&mut buffer, bytes) })?;
    host.launch(c"fill", host.a, &[buffer])?;
    host.wait(host.a)?;
    // SAFETY: nothing uses it any more.
    ok(unsafe { sys::cuMemFree_v2(buffer) })
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    with_buffer(host, BYTES / 2)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    with_buffer(host, BYTES)
}
