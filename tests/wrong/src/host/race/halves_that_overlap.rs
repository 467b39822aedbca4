//! Two streams copy a half of the buffer each, and one half is a word too long.

use cust::sys::{self, CUstream};

use crate::host::{BYTES, Done, Host, ok};

fn copy(host: &Host, stream: CUstream, from: usize, bytes: usize) -> Done {
    let to = host.data + from as u64;
    // SAFETY: both have this many bytes from there on.
    ok(unsafe { sys::cuMemcpyHtoDAsync_v2(to, host.pinned.byte_add(from).cast(), bytes, stream) })
}

pub(in crate::host) fn wrong(host: &Host) -> Done {
    copy(host, host.a, 0, BYTES / 2 + 4)?;
    copy(host, host.b, BYTES / 2, BYTES / 2)
}

pub(in crate::host) fn right(host: &Host) -> Done {
    copy(host, host.a, 0, BYTES / 2)?;
    copy(host, host.b, BYTES / 2, BYTES / 2)
}
