//! Half of a new buffer is copied to, and a kernel reads all of it.

use cust::sys;

use crate::host::{BYTES, Done, Host, ok};

fn with_buffer(host: &Host, bytes: usize) -> Done {
    let mut buffer = 0;
    // SAFETY: the result has a place, and both have this many bytes.
    unsafe {
        ok(sys::cuMemAlloc_v2(&mut buffer, BYTES))?;
        ok(sys::cuMemcpyHtoDAsync_v2(
            buffer,
            host.pinned.cast(),
            bytes,
            host.a,
        ))?;
    }
    host.launch(c"mark", host.a, &[host.data, buffer])?;
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
